// An index whose transactions end at one of their statements, as they do when the process or the server goes away.
import type { KyselyPlugin } from 'kysely';
import type { Database } from '../../src/store/database.ts';
import type { Faults } from './faults.ts';

export function crashingDatabase(db: Database, faults: Faults): Database {
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => {
      faults.pass('statement');
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  return {
    ...db,
    write: (work, options) => db.write((trx) => work(trx.withPlugin(plugin) as typeof trx), options),
  };
}
