// What a Fever client asks for: any number of lists at once, and at most one mark. Clients differ in whether they put it into
// the address or into the body, so that nothing is made of where it stands.
import { Invalid } from '../../../errors.ts';

export const selectors = [
  'groups',
  'feeds',
  'favicons',
  'items',
  'links',
  'unread_item_ids',
  'saved_item_ids',
] as const;
export type Selector = (typeof selectors)[number];

export type FeverMark =
  | { readonly what: 'item'; readonly as: 'read' | 'unread' | 'saved' | 'unsaved'; readonly ids: number[] }
  | { readonly what: 'feed' | 'group'; readonly id: number; readonly beforeSeconds: number | undefined };

export interface ItemsWanted {
  /** These, and nothing else. */
  readonly withIds: readonly number[] | undefined;
  /** Down from the newest, or from below this one. */
  readonly maxId: number | undefined;
  /** Up from this one. */
  readonly sinceId: number;
  /** Only of these, where any are named. */
  readonly feedIds: readonly number[];
  readonly groupIds: readonly number[];
}

export interface FeverRequest {
  readonly wanted: ReadonlySet<Selector>;
  readonly items: ItemsWanted;
  readonly mark: FeverMark | undefined;
}

/** As many as a page has. */
export const itemsAtOnce = 50;
const scopesAtOnce = 100;

export function parseFeverRequest(parameters: URLSearchParams): FeverRequest {
  const wanted = new Set(selectors.filter((name) => parameters.has(name)));
  // Nothing says when an entry was read, so that nothing can be made unread by that. The answer says what is unread still.
  if (isSet(parameters.get('unread_recently_read'))) wanted.add('unread_item_ids');
  return { wanted, items: parseItems(parameters), mark: parseMark(parameters) };
}

function parseItems(parameters: URLSearchParams): ItemsWanted {
  const maxId = parameters.get('max_id');
  const scopes = (name: string) => {
    const ids = idsIn(parameters, name);
    if (ids.length > scopesAtOnce) throw new Invalid(`${name}: at most ${scopesAtOnce} are taken`);
    return ids;
  };
  return {
    withIds: isSet(parameters.get('with_ids'))
      ? idsIn(parameters, 'with_ids').slice(0, itemsAtOnce)
      : undefined,
    maxId: isSet(maxId) ? wholeNumber('max_id', maxId) : undefined,
    sinceId: Math.max(0, wholeNumber('since_id', parameters.get('since_id') || '0')),
    feedIds: scopes('feed_ids'),
    groupIds: scopes('group_ids'),
  };
}

function parseMark(parameters: URLSearchParams): FeverMark | undefined {
  const what = parameters.get('mark');
  if (!isSet(what)) return undefined;
  const as = parameters.get('as');
  if (what === 'item') {
    if (as !== 'read' && as !== 'unread' && as !== 'saved' && as !== 'unsaved')
      throw new Invalid('as: expected read, unread, saved or unsaved');
    const ids = idsIn(parameters, 'id');
    if (ids.length === 0) throw new Invalid('id: expected the id of an item');
    return { what, as, ids };
  }
  if (what !== 'feed' && what !== 'group') throw new Invalid('mark: expected item, feed or group');
  if (as !== 'read') throw new Invalid(`as: a ${what} can be marked read and nothing else`);
  const before = parameters.get('before');
  return {
    what,
    id: wholeNumber('id', parameters.get('id') ?? ''),
    beforeSeconds: isSet(before) ? wholeNumber('before', before.replace(/\.\d*$/, '')) : undefined,
  };
}

const isSet = (text: string | null): text is string => text !== null && text.trim() !== '';

/** Repeated, or with commas. */
function idsIn(parameters: URLSearchParams, name: string): number[] {
  const texts = parameters.getAll(name).flatMap((text) => text.split(','));
  return [...new Set(texts.filter(isSet).map((text) => wholeNumber(name, text)))];
}

function wholeNumber(name: string, text: string): number {
  if (!/^\s*-?\d{1,15}\s*$/.test(text)) throw new Invalid(`${name}: expected a whole number`);
  return Number(text);
}
