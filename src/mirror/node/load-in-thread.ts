// The files of raindrops, read by a thread that is one step ahead.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { LibraryTarget } from '../../library/files/open-files.ts';
import type { LoadedRaindrops } from '../reinflate-mirror.ts';

/** What a thread can be handed: secrets do not travel by themselves. */
export interface LoadOrder {
  readonly library:
    | { readonly kind: 'folder'; readonly path: string }
    | { readonly kind: 's3'; readonly url: string; readonly shown: string };
  readonly ids: readonly number[];
}

/** How many are asked for before the first is used up. */
const ahead = 2;

export async function* loadInThread(
  library: LibraryTarget,
  ids: readonly number[],
): AsyncGenerator<LoadedRaindrops, void, void> {
  const order: LoadOrder = {
    library: library.kind === 'folder' ? library : { ...library, url: library.url.reveal() },
    ids,
  };
  const thread = new Worker(new URL('load-thread.ts', import.meta.url), { workerData: order });
  try {
    const arrived: (LoadedRaindrops | undefined)[] = [];
    // Also while nobody waits for it: an error that is heard by nobody would end the process.
    let failure: unknown;
    thread.on('error', (error) => {
      failure = error;
    });
    thread.on('message', (batch: LoadedRaindrops | undefined) => arrived.push(batch));
    for (let n = 0; n < ahead; n++) thread.postMessage('next');
    for (;;) {
      // Rejects when the thread fails.
      while (arrived.length === 0) {
        if (failure !== undefined) throw failure;
        await once(thread, 'message');
      }
      const batch = arrived.shift();
      if (batch === undefined) return;
      thread.postMessage('next');
      yield batch;
    }
  } finally {
    await thread.terminate();
  }
}
