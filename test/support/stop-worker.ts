import { DatabaseSync } from 'node:sqlite';
import type { Target } from '../../src/store/open.ts';
import type { WorkerProcess } from './lectern-process.ts';
import { until } from './until.ts';

/** A process that sleeps with the lock of the SQLite file lets nobody work, which is not what is tried with it. */
export async function stopOutsideTransaction(target: Target, worker: WorkerProcess): Promise<void> {
  await until('it sleeps without the lock', () => {
    worker.signal('SIGSTOP');
    if (!isLocked(target)) return true;
    worker.signal('SIGCONT');
    return false;
  });
}

function isLocked(target: Target): boolean {
  if (target.engine === 'postgres') return false;
  const file = new DatabaseSync(target.path, { timeout: 0 });
  try {
    file.exec('BEGIN IMMEDIATE; ROLLBACK');
    return false;
  } catch {
    return true;
  } finally {
    file.close();
  }
}
