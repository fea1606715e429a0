// Makes this browser able to show Lectern without the server.
import { allowSending, openOutbox } from './outbox.ts';
import { confirmUser, knownUser } from './whose.ts';

/** Called first by the pages of those who are logged in. */
export async function workOffline(): Promise<void> {
  openOutbox(knownUser());
  const { id, isOther } = await confirmUser();
  if (isOther) return location.reload();
  openOutbox(id);
  allowSending();
  if ('serviceWorker' in navigator) await navigator.serviceWorker.register('/sw.js');
}
