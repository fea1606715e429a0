// An index whose transactions fail or "end the process" by plan, before they begin or after they are committed.
import type { Database } from '../../src/store/database.ts';
import type { Faults } from './faults.ts';

export function faultyDatabase(db: Database, faults: Faults): Database {
  return {
    ...db,
    write: (work, options) => faults.step('transaction', () => db.write(work, options)),
    snapshot: (work) => faults.look('snapshot', () => db.snapshot(work)),
  };
}
