// A small database of ReedMe, and what the API shows of it once it is here.
import type { LecternProcess } from './lectern-process.ts';
import { oldFeed, oldItem } from './legacy-database.ts';

export const few = {
  groups: [
    { id: 1, name: 'Default' },
    { id: 5, name: 'News' },
  ],
  feeds: [oldFeed(3, { group_id: 5, suspended: 1 })],
  items: [oldItem(41, { feed_id: 3, unread: 0 }), oldItem(42, { feed_id: 3, bookmark: 1 })],
};

export async function shown(server: LecternProcess, cookie: string) {
  const get = async (path: string) =>
    (
      (await (await server.request(path, { headers: { cookie } })).json()) as {
        data: Record<string, unknown>[];
      }
    ).data;
  return {
    groups: (await get('/api/groups')).map(({ id, name }) => [id, name]),
    feeds: (await get('/api/feeds')).map(({ id, group_id, unread_count }) => [id, group_id, unread_count]),
    items: (await get('/api/items?order_by=created_at'))
      .map(({ id, unread, guid }) => [id, unread, guid])
      .sort(),
    bookmarks: (await get('/api/bookmarks')).map(({ item_id, link }) => [item_id, link]),
  };
}

export const expected = {
  groups: [
    [1, 'Default'],
    [5, 'News'],
  ],
  feeds: [[3, 5, 1]],
  items: [
    [41, false, 'g41'],
    [42, true, 'g42'],
  ],
  bookmarks: [[42, 'https://a.example/42']],
};

export const cookieOf = (answer: Response) => (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
