// Whose browser this is at the moment. Every page and tab reads it from here, so that nothing that one user left is shown to
// the next, or sent in their name.
import { get } from '../lib/api.ts';
import type { User } from '../lib/api-types.ts';

const key = 'lectern.user';
const data = 'lectern-data';

export type KnownUser = Pick<User, 'id' | 'username' | 'role'>;

export function knownUser(): KnownUser | null {
  try {
    const kept = JSON.parse(localStorage.getItem(key) ?? 'null');
    return Number.isSafeInteger(kept?.id) ? kept : null;
  } catch {
    return null;
  }
}

/** Asks the server who is logged in. Says whether that is somebody else than before. */
export async function confirmUser(): Promise<{ id: number; isOther: boolean }> {
  const { data: me } = await get<{ data: User }>('/api/me', { quietly: true });
  const before = knownUser();
  if (before?.id !== me.id) await forgetAnswers();
  const { id, username, role } = me;
  localStorage.setItem(key, JSON.stringify({ id, username, role } satisfies KnownUser));
  return { id, isOther: before !== null && before.id !== id };
}

/** After a log-out nothing stays behind but changes that wait for their owner to come back. */
export async function forgetUser(): Promise<void> {
  localStorage.removeItem(key);
  await forgetAnswers();
}

async function forgetAnswers(): Promise<void> {
  if ('caches' in window) await caches.delete(data);
}
