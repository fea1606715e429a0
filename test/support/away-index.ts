// An index that stops answering: statements fail as they do while PostgreSQL is away. Logins are still known, so that a
// request gets as far as its handler.
import type { KyselyPlugin } from 'kysely';
import { Unavailable } from '../../src/errors.ts';
import type { Database } from '../../src/store/database.ts';

const accountTables = /"name":"(users|tokens|sessions)"/;

export function awayIndex(db: Database): { database: Database; begin(): void; end(): void } {
  let isAway = false;
  const aboutAccounts = new WeakSet<object>();
  const requireAnswer = (): void => {
    if (isAway) throw new Unavailable('index', 'the index does not answer');
  };
  const plugin: KyselyPlugin = {
    transformQuery: ({ node, queryId }) => {
      if (accountTables.test(JSON.stringify(node))) aboutAccounts.add(queryId);
      return node;
    },
    // Prepared queries pass through here alone.
    transformResult: async ({ result, queryId }) => {
      if (!aboutAccounts.has(queryId)) requireAnswer();
      return result;
    },
  };
  const { dataVersion: _, ...withoutMemory } = db;
  return {
    database: {
      ...withoutMemory,
      read: db.read.withPlugin(plugin),
      heavyRead: db.heavyRead.withPlugin(plugin),
      write: async (work, options) => {
        requireAnswer();
        return db.write(work, options);
      },
      writeOne: async (statement) => {
        requireAnswer();
        return db.writeOne(statement);
      },
    },
    begin: () => {
      isAway = true;
    },
    end: () => {
      isAway = false;
    },
  };
}
