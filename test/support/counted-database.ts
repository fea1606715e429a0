// An index that counts the statements it is given, so that a list can be held to so many, however long it is.
import type { KyselyPlugin } from 'kysely';
import type { Database } from '../../src/store/database.ts';

export function countedDatabase(db: Database): { database: Database; statements: () => number } {
  let n = 0;
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => {
      n += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  const database: Database = {
    ...db,
    read: db.read.withPlugin(plugin),
    heavyRead: db.heavyRead.withPlugin(plugin),
    write: (work, options) => db.write((trx) => work(trx.withPlugin(plugin) as typeof trx), options),
  };
  return { database, statements: () => n };
}
