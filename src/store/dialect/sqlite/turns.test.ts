// Two connections to one file stand for two processes: each has its own turns, and polls for the lock of the other.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Database, Writer } from '../../database.ts';
import { openSqliteDatabase } from './open.ts';

const folder = mkdtempSync(join(tmpdir(), 'lectern-turns-'));
let greedy: Database;
let patient: Database;

beforeAll(async () => {
  const open = () => openSqliteDatabase(join(folder, 'index.db'), Date.now, { asItIs: false });
  [greedy, patient] = [await open(), await open()];
});
afterAll(async () => {
  await greedy.close();
  await patient.close();
  rmSync(folder, { recursive: true });
});

const change = (trx: Writer) =>
  sql`INSERT INTO meta (key, value) VALUES ('turns', '1') ON CONFLICT (key) DO UPDATE SET value = value + 1`.execute(
    trx,
  );

/** Holds the lock for 40 ms, and lets the event loop turn meanwhile, as a large sync does. */
async function changeForLong(trx: Writer): Promise<void> {
  for (const until = performance.now() + 40; performance.now() < until; ) {
    await change(trx);
    await nextTurn();
  }
}

/** How many transactions of a process that writes without a break are committed before one of another process is. */
async function commitsBeforeTheOther(
  work: (trx: Writer) => Promise<unknown>,
  commits: number,
): Promise<number> {
  let before: number | undefined;
  let done = 0;
  const writeAll = async () => {
    while (done < commits && before === undefined) {
      await greedy.write(work);
      done += 1;
    }
  };
  const began = Promise.withResolvers<void>();
  // Two clients, so that the next transaction always waits when one ends.
  const writers = Promise.all([
    greedy.write(async (trx) => {
      began.resolve();
      await changeForLong(trx);
    }),
    writeAll(),
    writeAll(),
  ]);
  await began.promise;
  await patient.write(change);
  before = done;
  await writers;
  return before;
}

it('another process gets the lock after a long transaction, although more of them wait', async () => {
  expect(await commitsBeforeTheOther(changeForLong, 20)).toBeLessThanOrEqual(1);
});

it('another process gets the lock from one that makes short transactions without a break', async () => {
  expect(await commitsBeforeTheOther(change, 20_000)).toBeLessThan(5_000);
});
