// /highlights?annotation=12 and /highlights?note=5 name one highlight or note, as whoever has found it knows it. They lead to
// where it stands: into the kept copy of its page, or among all that was said about its page.
import { get } from '../lib/api.ts';
import type { Item } from '../lib/api-types.ts';
import { noFilters, placeHref } from './place.ts';
import type { Highlight } from './types.ts';

export interface Named {
  readonly kind: 'annotation' | 'note';
  readonly id: number;
}

export function parseNamed(search: string): Named | undefined {
  const values = new URLSearchParams(search);
  for (const kind of ['annotation', 'note'] as const) {
    const text = values.get(kind) ?? '';
    if (/^[1-9]\d{0,14}$/.test(text)) return { kind, id: Number(text) };
  }
  return undefined;
}

/** Before the page is shown: most often another one is. */
export async function followNamed(): Promise<void> {
  const named = parseNamed(location.search);
  if (!named) return;
  const href = await hrefOf(named).catch(() => '/highlights');
  if (href.startsWith('/highlights')) {
    history.replaceState(null, '', href);
    dispatchEvent(new PopStateEvent('popstate'));
    return;
  }
  location.replace(href);
  await new Promise(() => {});
}

async function hrefOf({ kind, id }: Named): Promise<string> {
  const amongAll = (resource: number) => placeHref({ view: 'all', ...noFilters, resource });
  if (kind === 'note') {
    const { data } = await get<{ data: { resource_id: number } }>(`/api/notes/${id}`);
    return `${amongAll(data.resource_id)}#note-${id}`;
  }
  const { data } = await get<{ data: Highlight }>(`/api/annotations/${id}`);
  const itemId = data.resource.item_id;
  const hasCopy =
    itemId !== null &&
    (await get<Item>(`/api/v1/items/${itemId}?include=details`).then(
      ({ details }) => details.hasContent && details.deletedAt === null,
      () => false,
    ));
  return hasCopy
    ? `/library?item=${itemId}#highlight-${id}`
    : `${amongAll(data.resource_id)}#highlight-${id}`;
}
