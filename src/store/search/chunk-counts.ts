// How many chunks of a user were ever written and taken out. Who holds vectors in memory sees by it what there is to read,
// and how much of what is held is stale. Within a transaction it is also the lock that gives numbers in order of commits.
import type { Reader, Writer } from '../database.ts';

export interface ChunkCounts {
  written: number;
  gone: number;
}

export interface ChunkVersion {
  /** The highest number that a chunk of the user was given. */
  readonly seq: number;
  /** How many were taken out, or written anew under another number. */
  readonly gone: number;
}

const keyOf = (userId: number) => `chunks:${userId}`;

export async function chunkVersion(read: Reader | Writer, userId: number): Promise<ChunkVersion> {
  const row = await read
    .selectFrom('meta')
    .select('value')
    .where('key', '=', keyOf(userId))
    .executeTakeFirst();
  return row ? (JSON.parse(row.value) as ChunkVersion) : { seq: 0, gone: 0 };
}

export async function countChunks(
  trx: Writer,
  userId: number,
  { written, gone }: ChunkCounts,
): Promise<ChunkVersion> {
  const key = keyOf(userId);
  if (written === 0 && gone === 0) return chunkVersion(trx, userId);
  await trx
    .insertInto('meta')
    .values({ key, value: JSON.stringify({ seq: 0, gone: 0 }) })
    // Changes nothing, and has the row locked.
    .onConflict((conflict) => conflict.column('key').doUpdateSet((e) => ({ value: e.ref('meta.value') })))
    .execute();
  const before = await chunkVersion(trx, userId);
  const after = { seq: before.seq + written, gone: before.gone + gone };
  await trx
    .updateTable('meta')
    .set({ value: JSON.stringify(after) })
    .where('key', '=', key)
    .execute();
  return after;
}
