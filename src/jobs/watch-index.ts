// Ends a server whose index file was deleted or replaced: its changes would be in no file that anyone can open again.
import { IndexLost } from '../errors.ts';
import type { IndexStore } from '../store/index-store.ts';
import { every } from './every.ts';

const checkEveryMs = 1_000;

export function watchIndex(index: Pick<IndexStore, 'isInPlace'>, onFatal: (error: Error) => void) {
  return every(
    checkEveryMs,
    async () => {
      if (!index.isInPlace()) onFatal(new IndexLost());
    },
    (error) => onFatal(error as Error),
  );
}
