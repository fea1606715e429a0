// The reset that lets the tests of a suite share one database.
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { parseQuery } from '../../src/search/parse-query.ts';
import type { Database } from '../../src/store/database.ts';
import { derivedTables, durableTables } from '../../src/store/durable.ts';
import type { Store } from '../../src/store/store.ts';
import { onEachEngine, openEmptyStore, openFreshStore } from '../support/engines.ts';
import { addUser, fill, listAll, newFeed, published } from '../support/reader.ts';
import { foundIds, indexAll, MemorySource } from '../support/search-docs.ts';

const link = 'https://example.org/feed';
// FTS5 keeps no columns that could be read.
const readableTables = [...durableTables.map(({ name }) => name as string), ...derivedTables].filter(
  (name) => name !== 'search_terms',
);

onEachEngine('an index that was emptied', (engine) => {
  it('equals a new index, and gives out the same ids again', async () => {
    const fresh = await openFreshStore(engine);
    const newRows = await rowsOf(fresh.database);
    await fresh.store.close();

    const first = await openEmptyStore(engine);
    const seen = await use(first.store);
    expect(await rowsOf(first.database)).not.toEqual(newRows);

    const second = await openEmptyStore(engine);
    expect(second.database).toBe(first.database);
    expect(await rowsOf(second.database)).toEqual(newRows);
    expect(await foundIds(second.store, 1, parseQuery('heron'))).toEqual([]);
    expect(await use(second.store)).toEqual(seen);
  });

  it('keeps its journal triggers', async () => {
    await openEmptyStore(engine);
    const { store, database } = await openEmptyStore(engine);
    await addUser(store, 'anna', 'owner');
    const noted = await sql`SELECT * FROM journal_dirty`.execute(database.read);
    expect(noted.rows).not.toEqual([]);
  });
});

/** Writes rows of many kinds, and returns what can be seen of them. */
async function use(store: Store) {
  const { id, rows } = await addUser(store, 'anna', 'owner');
  const feed = await rows.feeds.create(newFeed(link));
  await fill(store, link, [published('a'), published('b')]);
  await store.leases.acquire('work', 'holder', 1_000);
  const source = new MemorySource('entry');
  source.put({ refId: 7, userId: id, title: 'Heron' });
  await indexAll(store, source);
  return {
    user: id,
    feed: feed.id,
    entries: (await listAll(rows)).map((entry) => entry.id),
    found: await foundIds(store, id, parseQuery('heron')),
  };
}

async function rowsOf(database: Database): Promise<Record<string, unknown[]>> {
  const found: Record<string, unknown[]> = {};
  for (const table of readableTables) {
    // The time of a migration differs.
    const columns = table === 'schema_migrations' ? 'version' : '*';
    found[table] = (await sql.raw(`SELECT ${columns} FROM ${table}`).execute(database.read)).rows;
  }
  return found;
}
