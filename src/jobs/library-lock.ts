// Holds the lock of a running server in the library.
import { type LockDeps, removeLock, removeStaleLocks, renewLockEveryMs, writeLock } from '../library/lock.ts';
import { every } from './every.ts';

export async function holdLibraryLock(
  deps: LockDeps,
  name: string,
  onError: (error: unknown) => void,
): Promise<{ stop(): Promise<void> }> {
  // A library whose disk is full can still be read, so the server starts.
  await writeLock(deps, name)
    .then(() => removeStaleLocks(deps))
    .catch(onError);
  const renewing = every(renewLockEveryMs, () => writeLock(deps, name), onError);
  return {
    stop: async () => {
      await renewing.stop();
      await removeLock(deps.files, name);
    },
  };
}
