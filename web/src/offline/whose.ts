// Whose browser this is at the moment. Every page and tab reads it from here, so that nothing that one user left is shown to
// the next, or sent in their name.
import { get } from '../lib/api.ts';
import type { User } from '../lib/api-types.ts';

const key = 'lectern.user';
const data = 'lectern-data';

export function knownUser(): number | null {
  const kept = Number(localStorage.getItem(key));
  return Number.isSafeInteger(kept) && kept > 0 ? kept : null;
}

/** Asks the server who is logged in. Says whether that is somebody else than before. */
export async function confirmUser(): Promise<{ id: number; isOther: boolean }> {
  const { data: me } = await get<{ data: User }>('/api/me', { quietly: true });
  const before = knownUser();
  if (before !== me.id) {
    await forgetAnswers();
    localStorage.setItem(key, String(me.id));
  }
  return { id: me.id, isOther: before !== null && before !== me.id };
}

/** After a log-out nothing stays behind but changes that wait for their owner to come back. */
export async function forgetUser(): Promise<void> {
  localStorage.removeItem(key);
  await forgetAnswers();
}

async function forgetAnswers(): Promise<void> {
  if ('caches' in window) await caches.delete(data);
}
