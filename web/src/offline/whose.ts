// Whose browser this is at the moment. Every page and tab reads it from here, so that nothing that one user left is shown to
// the next, or sent in their name.
import { get } from '../lib/api.ts';
import type { User } from '../lib/api-types.ts';

const key = 'lectern.user';
const data = 'lectern-data';

export type KnownUser = Pick<User, 'id' | 'username' | 'role'>;

/** In a browser that lets nothing be kept. */
let onThisPage: KnownUser | null = null;

export function knownUser(): KnownUser | null {
  try {
    const kept = JSON.parse(localStorage.getItem(key) ?? 'null');
    return Number.isSafeInteger(kept?.id) ? kept : null;
  } catch {
    return onThisPage;
  }
}

function keepUser(user: KnownUser | null): void {
  onThisPage = user;
  try {
    if (user) localStorage.setItem(key, JSON.stringify(user));
    else localStorage.removeItem(key);
  } catch {
    // The page itself knows.
  }
}

/** Once a page knows whose it is: when somebody else has logged in in another tab, it must not go on showing what it shows. */
export function watchForOthers(id: number): void {
  window.addEventListener('storage', (event) => {
    const now = event.key === key ? knownUser() : null;
    if (now && now.id !== id) location.reload();
  });
}

/** Asks the server who is logged in. Says whether that is somebody else than before. */
export async function confirmUser(): Promise<{ id: number; isOther: boolean }> {
  const { data: me } = await get<{ data: User }>('/api/me', { quietly: true });
  const before = knownUser();
  if (before?.id !== me.id) await forgetAnswers();
  const { id, username, role } = me;
  keepUser({ id, username, role });
  return { id, isOther: before !== null && before.id !== id };
}

/** After a login: what was kept of who was here before is no answer, however long the server takes. */
export async function confirmLogin(): Promise<{ id: number; isOther: boolean }> {
  await forgetWhoIsHere();
  return confirmUser();
}

/** Before somebody leaves for a login elsewhere: the page that they come back to asks who is here. */
export async function forgetWhoIsHere(): Promise<void> {
  if ('caches' in window) await (await caches.open(data)).delete('/api/me');
}

/** After a log-out nothing stays behind but changes that wait for their owner to come back. */
export async function forgetUser(): Promise<void> {
  keepUser(null);
  await forgetAnswers();
}

async function forgetAnswers(): Promise<void> {
  if ('caches' in window) await caches.delete(data);
}
