// A large sync leaves the event loop to others: it writes few rows between two turns, on whichever engine.
import type { InsertQueryNode, KyselyPlugin, ValuesNode } from 'kysely';
import { beforeEach, expect, it } from 'vitest';
import { parseLightSync, syncLight } from '../../src/highlights/light.ts';
import type { Database } from '../../src/store/database.ts';
import { createStore, type UserRows } from '../../src/store/store.ts';
import { onEachEngine, openEmptyStore } from '../support/engines.ts';
import { addUser } from '../support/reader.ts';
import { turnsDuring } from '../support/turns.ts';

const pages = 400;
const perPage = 5;
/** A batch of 200 pages is an item, a job, a note for search and a resource for each. */
const maxRowsPerTurn = 1_000;

/** The same index; `written` is called with the rows that each statement of a transaction writes. */
function watched(db: Database, written: (rows: number) => void): Database {
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => {
      if (node.kind === 'InsertQueryNode')
        written(((node as InsertQueryNode).values as ValuesNode | undefined)?.values?.length ?? 1);
      else if (node.kind !== 'SelectQueryNode') written(1);
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  return {
    ...db,
    write: (work, options) => db.write((trx) => work(trx.withPlugin(plugin) as typeof trx), options),
  };
}

onEachEngine('a sync of many highlights', (engine) => {
  let rows: UserRows;
  let total = 0;
  let inTurn = 0;
  let mostInTurn = 0;

  beforeEach(async () => {
    const { store, database, clock } = await openEmptyStore(engine);
    const { id } = await addUser(store, 'anna', 'owner');
    const counting = watched(database, (n) => {
      total += n;
      inTurn += n;
      mostInTurn = Math.max(mostInTurn, inTurn);
    });
    rows = createStore(counting, clock.now).forUser(id);
  });

  async function synced(text: string, count = pages) {
    const highlights = Object.fromEntries(
      Array.from({ length: count }, (_, page) => [
        `https://example.org/${page}`,
        Array.from({ length: perPage }, (_, n) => ({ groupID: page * perPage + n, repr: text })),
      ]),
    );
    const parsed = await parseLightSync({ source: 'light', highlights });
    [total, inTurn, mostInTurn] = [0, 0, 0];
    await turnsDuring(
      () => syncLight(rows, parsed, { dryRun: false }),
      () => {
        inTurn = 0;
      },
    );
    return { total, mostInTurn };
  }

  it('writes few rows in one turn of the event loop when all are new, changed or gone', async () => {
    for (const [text, count] of [
      ['new', pages],
      ['changed', pages],
      ['gone', 0],
    ] as const) {
      const { total, mostInTurn } = await synced(text, count);
      expect(total, text).toBeGreaterThan(maxRowsPerTurn);
      expect(mostInTurn, text).toBeLessThanOrEqual(maxRowsPerTurn);
    }
  });
});
