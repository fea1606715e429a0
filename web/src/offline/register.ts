// Makes this browser able to show Lectern without the server, and tells it whose it is.
import { get } from '../lib/api.ts';
import type { User } from '../lib/api-types.ts';
import { startOutbox } from './outbox.ts';

const key = 'lectern.user';
const data = 'lectern-data';

/** Called by the pages of those who are logged in, when there is nothing more urgent. */
export async function workOffline(): Promise<void> {
  const { data: me } = await get<{ data: User }>('/api/me', { quietly: true });
  await belongTo(me.id);
  void startOutbox(me.id);
  if ('serviceWorker' in navigator) await navigator.serviceWorker.register('/sw.js');
}

/** What was kept for one user is not shown to the next. */
async function belongTo(userId: number): Promise<void> {
  const before = localStorage.getItem(key);
  if (before === String(userId)) return;
  await forgetData();
  localStorage.setItem(key, String(userId));
  if (before !== null) location.reload();
}

/** After a log-out nothing stays behind but changes that wait for their owner to come back. */
export async function forgetData(): Promise<void> {
  if ('caches' in window) await caches.delete(data);
}
