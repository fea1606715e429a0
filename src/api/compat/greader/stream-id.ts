// How the Google Reader API names what entries are taken from: a feed, a label, or a state.

export type StreamId =
  /** By its id, or by its address. */
  | { readonly kind: 'feed'; readonly feed: number | string }
  | { readonly kind: 'label'; readonly name: string }
  | { readonly kind: 'state'; readonly state: string };

export const feedStream = (id: number): string => `feed/${id}`;
export const labelStream = (name: string): string => `user/-/label/${name}`;
export const stateStream = (state: string): string => `user/-/state/com.google/${state}`;

export const readingList = stateStream('reading-list');

/** Undefined if it is none. Whose it is stands as "-", a name or a number, and is always the one who asks. */
export function parseStreamId(text: string): StreamId | undefined {
  const trimmed = text.trim();
  const [, feed] = /^(?:feed\/)+(.+)$/s.exec(trimmed) ?? [];
  if (feed !== undefined) return { kind: 'feed', feed: /^\d{1,15}$/.test(feed) ? Number(feed) : feed };
  const [, kind, rest] = /^user\/[^/]*\/(label|state\/com\.google)\/(.+)$/s.exec(trimmed) ?? [];
  if (kind === undefined || rest === undefined) return undefined;
  return kind === 'label' ? { kind, name: rest } : { kind: 'state', state: rest };
}
