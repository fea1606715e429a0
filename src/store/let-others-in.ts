import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Between the transactions of a long piece of work. On SQLite each of them ends without the event loop turning once, so
 * that every other request would wait for all of them.
 */
export async function letOthersIn(): Promise<void> {
  await nextTurn();
}
