// An index that is spoken to in plain SQL, until the process "ends" at one of the statements.
import type { Session } from '../../src/store/session.ts';
import type { Faults } from './faults.ts';

export function faultySession(session: Session, faults: Faults): Session {
  return {
    engine: session.engine,
    run: async (sql) => {
      for (const statement of statementsOf(sql))
        await faults.step(firstWords(statement), () => session.run(statement));
    },
    rows: (sql, parameters) =>
      /^\s*SELECT/i.test(sql)
        ? faults.look('select', () => session.rows(sql, parameters))
        : faults.step(firstWords(sql), () => session.rows(sql, parameters)),
  };
}

/** A trigger or a function has statements of its own, and is one. */
function statementsOf(sql: string): string[] {
  if (/CREATE (OR REPLACE )?(TRIGGER|FUNCTION)/i.test(sql)) return [sql];
  const withoutComments = sql.replaceAll(/--.*$/gm, '');
  return withoutComments.split(';').filter((statement) => statement.trim() !== '');
}

const firstWords = (sql: string) => sql.trim().split(/\s+/).slice(0, 3).join(' ');
