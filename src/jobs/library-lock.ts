// Holds the lock of a running server in the library.
import { type LockDeps, removeLock, renewLockEveryMs, writeLock } from '../library/lock.ts';
import { every } from './every.ts';

export async function holdLibraryLock(
  deps: LockDeps,
  name: string,
  onError: (error: unknown) => void,
): Promise<{ stop(): Promise<void> }> {
  await writeLock(deps, name);
  const renewing = every(renewLockEveryMs, () => writeLock(deps, name), onError);
  return {
    stop: async () => {
      await renewing.stop();
      await removeLock(deps.files, name);
    },
  };
}
