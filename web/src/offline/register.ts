// Makes this browser able to show Lectern without the server.
import { allowSending, openOutbox } from './outbox.ts';
import { confirmUser, knownUser, watchForOthers } from './whose.ts';

let isSettled = false;

/** Called first by the pages of those who are logged in. */
export async function workOffline(): Promise<void> {
  openOutbox(knownUser()?.id ?? null);
  try {
    await settleWhose();
  } catch {
    // Without the server, what this browser has serves; who is here is asked when it is back.
    addEventListener('online', () => void settleWhose().catch(() => {}), { once: true });
  }
}

/** Also after somebody has logged in again, in place. */
export async function settleWhose(): Promise<void> {
  const { id, isOther } = await confirmUser();
  if (isOther) return location.reload();
  openOutbox(id);
  allowSending();
  if (isSettled) return;
  isSettled = true;
  watchForOthers(id);
  if ('serviceWorker' in navigator) await navigator.serviceWorker.register(workerUrl());
}

/** The policy of the page lets no text become the address of a script, but for this one. */
function workerUrl(): string {
  const address = '/sw.js';
  const { trustedTypes } = window as { trustedTypes?: TrustedTypePolicyFactory };
  if (!trustedTypes) return address;
  const policy = trustedTypes.createPolicy('lectern-worker', { createScriptURL: () => address });
  return policy.createScriptURL('') as unknown as string;
}

interface TrustedTypePolicyFactory {
  createPolicy(
    name: string,
    rules: { createScriptURL: (text: string) => string },
  ): { createScriptURL(text: string): unknown };
}
