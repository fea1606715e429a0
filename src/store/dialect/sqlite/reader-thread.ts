// Runs in a thread of its own: long reads, and the checkpoints that move the WAL into the file.
import { statSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { openExistingSqlite, SqliteConnection, type UnnamedRows, untilFree } from './connection.ts';
import type { Reply, Request } from './reader-thread-client.ts';

const passiveAtBytes = 4 * 1024 * 1024;
const truncateAtBytes = 64 * 1024 * 1024;

const { path } = workerData as { path: string };
const connection = new SqliteConnection(await openExistingSqlite(path, 'read'));

parentPort?.on('message', async (request: Request) => {
  let reply: Reply;
  try {
    reply = { id: request.id, result: await answer(request) };
  } catch (error) {
    const { message, errcode } = error as { message: string; errcode?: number };
    reply = { id: request.id, error: { message, errcode } };
  }
  parentPort?.postMessage(reply);
});

async function answer(request: Request): Promise<UnnamedRows> {
  if (request.do === 'query') return untilFree(() => connection.runUnnamed(request.sql, request.parameters));
  checkpoint(request.do);
  return { columns: [], rows: [], affected: 0 };
}

// A truncating checkpoint stalls writers for as long as it copies, so it waits for an idle moment, or for a
// WAL that has outgrown its limit.
function checkpoint(effort: 'light' | 'thorough'): void {
  const walBytes = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  if (walBytes === 0) return;
  if (effort === 'thorough' || walBytes > truncateAtBytes) {
    connection.db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } else if (walBytes > passiveAtBytes) {
    connection.db.exec('PRAGMA wal_checkpoint(PASSIVE)');
  }
}
