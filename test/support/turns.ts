// How much is done between two turns of the event loop. Nobody else is answered meanwhile.
import { setImmediate as nextTurn } from 'node:timers/promises';

/** The turns that the event loop makes until `work` has ended. */
export async function turnsDuring(work: () => Promise<unknown>, onTurn = () => {}): Promise<number> {
  let turns = 0;
  let isOver = false;
  const counting = (async () => {
    while (!isOver) {
      await nextTurn();
      turns += 1;
      onTurn();
    }
  })();
  try {
    await work();
  } finally {
    isOver = true;
    await counting;
  }
  return turns;
}
