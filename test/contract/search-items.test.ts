// Saved items are found by what is known of them and by the text of their copies, and a page that is there by several
// routes is found once.
import { beforeEach, expect, it } from 'vitest';
import { searchSources } from '../../src/cli/search-sources.ts';
import { Unavailable } from '../../src/errors.ts';
import { bookmarkEntry } from '../../src/feeds/bookmark.ts';
import { itemSource } from '../../src/items/item-search.ts';
import type { Files } from '../../src/library/files/files.ts';
import { searchText } from '../../src/search/search-text.ts';
import { showHits } from '../../src/search/show-hits.ts';
import type { Database } from '../../src/store/database.ts';
import type { Store } from '../../src/store/store.ts';
import { onEachEngine, openEmptyStore } from '../support/engines.ts';
import { changeItem, keepCopy, saveItem } from '../support/items.ts';
import { folderFiles, temporaryFolder } from '../support/library.ts';
import { addUser, fill, listAll, newFeed, published } from '../support/reader.ts';
import { indexAll } from '../support/search-docs.ts';

const link = 'https://example.org/feed';

onEachEngine('a search for saved items', (engine) => {
  let store: Store;
  let database: Database;
  let files: Files;
  let anna: Awaited<ReturnType<typeof addUser>>;

  beforeEach(async () => {
    ({ store, database } = await openEmptyStore(engine));
    files = await folderFiles(await temporaryFolder());
    anna = await addUser(store, 'anna', 'owner');
  });

  const index = () => indexAll(store, ...Object.values(searchSources(store, files)));
  const search = async (
    q: string,
    { kinds, userId = anna.id }: { kinds?: string[]; userId?: number } = {},
  ) => {
    const { hits, query, found } = await searchText(
      { store, now: Date.now },
      { userId, q, limit: 50, ...(kinds && { kinds }) },
    );
    expect(found).toBe(hits.length);
    return showHits({ sources: searchSources(store, files) }, { userId, hits, query });
  };
  const found = async (q: string, options = {}) =>
    (await search(q, options)).map(({ kind, text }) => `${kind} ${text.refId}`).sort();
  const highlight = (itemId: number) =>
    database.write((trx) =>
      trx
        .insertInto('resources')
        .values({
          user_id: anna.id,
          item_id: itemId,
          source: 's',
          original_id: 'o',
          type: 'website',
          title: '',
          created_at: 0,
          updated_at: 0,
          deleted_at: null,
        })
        .execute(),
    );

  it.each<[what: string, excerpt: string, copy: string, shown: string]>([
    [
      'is how the copy goes on',
      'Wading birds',
      'Herons\n\nWading  birds\nof shallow water',
      'Wading  birds\nof shallow water',
    ],
    ['was cut', 'Wading birds of…', 'Wading birds of shallow water', 'Wading birds of shallow water'],
    ['is another text', 'A page on herons', 'Herons\nWading birds', 'A page on herons\nWading birds'],
    ['stands alone', 'Wading birds', '', 'Wading birds'],
    ['is empty', '', 'Herons wade', 'Herons wade'],
  ])('shows an excerpt once when it %s', async (_what, excerpt, copy, shown) => {
    const id = await saveItem(database, anna.id, 'https://example.org/herons', { title: 'Herons', excerpt });
    if (copy) await changeItem(database, id, await keepCopy(files, { id, userId: anna.id }, { text: copy }));
    await index();
    expect((await search('herons')).map(({ snippet }) => snippet.text)).toEqual([shown]);
  });

  it('knows their title, excerpt, author, site and tags, and when they were published', async () => {
    const id = await saveItem(database, anna.id, 'https://www.example.org/herons?utm_source=x', {
      title: 'Herons',
      excerpt: 'Wading birds',
      author: 'Ann Author',
      site_name: 'Marshland',
      tags: ['birds', 'water'],
      published_at: 1_600_000_000_000,
    });
    await index();
    for (const q of ['herons', 'wading', 'author', 'marshland', 'birds water'])
      expect(await found(q)).toEqual([`item ${id}`]);
    expect((await search('herons'))[0]?.text).toMatchObject({
      url: 'https://www.example.org/herons?utm_source=x',
      site: 'www.example.org',
      publishedAt: 1_600_000_000_000,
    });
    expect(await found('herons', { userId: anna.id + 1 })).toEqual([]);
  });

  it('follows their tags, whoever changes them', async () => {
    const id = await saveItem(database, anna.id, 'https://example.org/a', { title: 'A' });
    const { items, tags } = anna.rows;
    await items.change(id, { tags: ['heron', 'bird'] });
    await index();
    expect(await found('heron')).toEqual([`item ${id}`]);
    await tags.rename('heron', 'egret');
    await index();
    expect([await found('heron'), await found('egret')]).toEqual([[], [`item ${id}`]]);
    await tags.delete('egret');
    await items.change(id, { tags: [] });
    await index();
    expect([await found('egret'), await found('bird')]).toEqual([[], []]);
  });

  it('reads the text of the copy, and cuts the snippet from it', async () => {
    const id = await saveItem(database, anna.id, 'https://example.org/a', { title: 'A' });
    const text = `${'other words '.repeat(100)}a heron stood there`;
    await changeItem(database, id, await keepCopy(files, { id, userId: anna.id }, { text }));
    await index();
    const [hit] = await search('heron');
    expect(hit?.snippet.text).toContain('a heron stood there');
    expect(hit?.snippet.cutBefore).toBe(true);
  });

  it('takes a file that is missing for no text, and finds the item by the rest', async () => {
    const copied = { title: 'Gone', snapshot_key: 'items/77', snapshot_files: '{}' };
    const id = await saveItem(database, anna.id, 'https://example.org/a', copied);
    await index();
    expect(await found('gone')).toEqual([`item ${id}`]);
  });

  it('shows what was found while the library is away, and indexes nothing by halves', async () => {
    const id = await saveItem(database, anna.id, 'https://example.org/a', { title: 'Heron' });
    await changeItem(database, id, await keepCopy(files, { id, userId: anna.id }, { text: 'an egret' }));
    const broken = {
      get: async () => {
        throw new Unavailable('library', 'the library is away');
      },
    };
    const source = itemSource({ items: store.itemTexts, files: broken });
    await expect(indexAll(store, source)).rejects.toThrow('the library is away');
    await index();
    expect(await found('egret')).toEqual([`item ${id}`]);
    expect((await source.read([id], anna.id)).map(({ title, text }) => [title, text])).toEqual([
      ['Heron', ''],
    ]);
  });

  it('is cut where nobody would read on, between two characters', async () => {
    const id = await saveItem(database, anna.id, 'https://example.org/a');
    const text = `x${'\u00e9'.repeat(400_000)}`;
    await changeItem(database, id, await keepCopy(files, { id, userId: anna.id }, { text }));
    const [shown] = await itemSource({ items: store.itemTexts, files }).read([id], anna.id);
    expect(shown?.text.length).toBeLessThan(text.length);
    expect(text.startsWith(shown?.text ?? '?')).toBe(true);
  });

  it('shows a page that is an item, a bookmark and an entry once, as the item', async () => {
    await anna.rows.feeds.create(newFeed(link));
    await fill(store, link, [
      published('a', { link: 'http://example.org/a/?utm_source=feed', content: 'heron' }),
    ]);
    const [entry] = await listAll(anna.rows);
    const bookmark = await bookmarkEntry(anna.rows, entry?.id ?? 0);
    await index();
    expect(await found('heron')).toEqual([`bookmark ${bookmark.id}`]);
    const id = await saveItem(database, anna.id, 'https://example.org/a', { title: 'Heron' });
    await index();
    expect(await found('heron')).toEqual([`item ${id}`]);
    expect(await found('heron', { kinds: ['entry'] })).toEqual([`entry ${entry?.id}`]);
    // The words of the bookmark are found where the item does not have them.
    await changeItem(database, id, { title: 'Bird' });
    await index();
    expect(await found('heron')).toEqual([`bookmark ${bookmark.id}`]);
  });

  it('leaves what is there by a star alone to the bookmark, until it has a copy or is highlighted', async () => {
    const starred = { saved_at: null, title: 'Heron', enrichment_status: 'succeeded' } as const;
    const id = await saveItem(database, anna.id, 'https://example.org/a', starred);
    const other = await saveItem(database, anna.id, 'https://example.org/b', starred);
    await index();
    expect(await found('heron')).toEqual([]);
    await changeItem(database, id, await keepCopy(files, { id, userId: anna.id }, { text: 'a copy' }));
    await highlight(other);
    await changeItem(database, other, { updated_at: 1 });
    await index();
    expect(await found('heron')).toEqual([`item ${id}`, `item ${other}`]);
  });

  it('loses what is deleted, and has it again when it is restored', async () => {
    const id = await saveItem(database, anna.id, 'https://example.org/a', { title: 'Heron' });
    await index();
    await changeItem(database, id, { deleted_at: 5, deleted_by: 'person' });
    expect(await search('heron')).toEqual([]);
    await index();
    expect(await found('heron')).toEqual([]);
    await changeItem(database, id, { deleted_at: null, deleted_by: '' });
    await index();
    expect(await found('heron')).toEqual([`item ${id}`]);
  });

  it('finds the same after everything was indexed anew', async () => {
    for (let n = 0; n < 40; n += 1)
      await saveItem(database, anna.id, `https://example.org/${n}`, { title: 'Heron' });
    await index();
    const before = await found('heron');
    expect(before.length).toBe(40);
    await store.searchIndex.clear();
    await index();
    expect(await found('heron')).toEqual(before);
  });
});
