// A library to lend to an assistant, and what an assistant hears.

import { searchSources } from '../../src/cli/search-sources.ts';
import { bookmarkPage } from '../../src/feeds/bookmark.ts';
import { makeHighlight, makeWords } from '../../src/highlights/make.ts';
import { saveItem } from '../../src/items/save-item.ts';
import type { User } from '../../src/model/user.ts';
import type { TestApi } from './api.ts';
import { changeItem, keepCopy } from './items.ts';
import { fill, listAll, newFeed, published } from './reader.ts';
import { indexAll } from './search-docs.ts';

export interface Lent {
  readonly item: number;
  readonly bookmark: number;
  readonly entries: readonly number[];
  readonly feed: number;
  readonly annotation: number;
  readonly collection: string;
}

/** Everything that a tool could show, with the mark of its owner in each text. `findable` is a word in all of them. */
export async function fillLibrary(
  api: TestApi,
  user: User,
  mark: string,
  findable = 'lighthouse',
): Promise<Lent> {
  const { store, files, database } = api.opened;
  const rows = store.forUser(user.id);
  const link = `https://${mark}.example/feed`;
  const feed = (await rows.feeds.create({ ...newFeed(link), name: `News of ${mark}` })).id;
  await fill(
    store,
    link,
    ['a', 'b', 'c'].map((guid, n) =>
      published(guid, {
        title: `${mark} entry ${guid} on the ${findable}`,
        link: `https://${mark}.example/${guid}`,
        content: `<p>${mark} wrote of the ${findable}, part ${guid}.</p>`,
        pubDate: 1_700_000_000_000 + n * 60_000,
      }),
    ),
  );
  const entries = (await listAll(rows, { feedId: feed })).map(({ id }) => id);
  const { item } = await saveItem(rows, { url: `https://${mark}.example/page`, tags: [`${mark} tag`] });
  const text = Array.from({ length: 400 }, (_, n) => `Line ${n} of ${mark} about the ${findable}.`).join(
    '\n',
  );
  await changeItem(database, item.id, {
    title: `${mark} page on the ${findable}`,
    ...(await keepCopy(files, { id: item.id, userId: user.id }, { text })),
  });
  const bookmark = await bookmarkPage(rows, {
    link: `https://${mark}.example/star`,
    title: `${mark} star of the ${findable}`,
    content: `<p>${mark} kept the ${findable}.</p>`,
    feedName: '',
    pubDate: 1_700_000_000_000,
  });
  const deps = { rows, randomText: api.accounts.randomText };
  const highlight = await makeHighlight(deps, {
    url: `https://${mark}.example/page`,
    text: `The ${findable} of ${mark} stands where the long road ends, and nobody has ever counted its steps.`,
    color: 'yellow',
    boundary: null,
    madeAt: 1_700_000_000_000,
  });
  await makeWords(deps, 'comments', { parentId: highlight.id, content: `${mark} noted this` });
  const collection = `Box of ${mark}`;
  await rows.collections.create({ name: collection, description: '', parentId: null });
  await indexAll(store, ...Object.values(searchSources(store, files)));
  return { item: item.id, bookmark: bookmark.id, entries, feed, annotation: highlight.id, collection };
}

/** One call of every tool that must go well. */
export function callsOf(
  lent: Lent,
  mark: string,
): readonly { name: string; arguments: Record<string, unknown> }[] {
  return [
    { name: 'search', arguments: { q: 'lighthouse', limit: 5 } },
    { name: 'get_text', arguments: { kind: 'item', id: String(lent.item) } },
    { name: 'find_quote', arguments: { quote: 'where the long road ends, nobody ever counted its steps' } },
    { name: 'list_highlights', arguments: { url: `https://${mark}.example/page` } },
    { name: 'recent_entries', arguments: { unread_only: true, feed: `News of ${mark}` } },
    { name: 'list_tags', arguments: {} },
    {
      name: 'save',
      arguments: { url: `https://${mark}.example/new`, tags: ['To Read'], collection: lent.collection },
    },
    { name: 'tag', arguments: { item_id: lent.item, add: ['maritime'], remove: [`${mark} tag`] } },
    { name: 'mark_read', arguments: { entry_ids: lent.entries.slice(0, 2).map(String) } },
  ];
}

export interface Heard {
  readonly isError?: boolean | undefined;
  readonly content: readonly { readonly type: string; readonly text: string }[];
}

/** What the first block says, in our own words. */
export function factsOf({ content }: Heard): Record<string, unknown> {
  return JSON.parse(content[0]?.text ?? '') as Record<string, unknown>;
}

/** The rows of a list. */
export function rowsOf({ content }: Heard): Record<string, unknown>[] {
  return content[1] ? (JSON.parse(content[1].text) as Record<string, unknown>[]) : [];
}
