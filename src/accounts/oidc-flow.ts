// A sign-on under way, as the browser holds it in a cookie: signed, so that it comes back as we have given it, and with an
// id from which only we can tell the secrets that go to the provider.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Millis } from '../model/glossary.ts';

export const flowLifetimeMs = 10 * 60 * 1000;

export interface Flow {
  readonly id: string;
  readonly expiresAt: Millis;
  /** Whom it was begun with: an answer of another provider, or for another client, is none to it. */
  readonly issuer: string;
  readonly clientId: string;
  readonly redirectUri: string;
  /** The path on this site to go to in the end. */
  readonly next: string;
  /** Of the session that wants its account linked, the hash. Absent for a login. */
  readonly linkingSha256?: string | undefined;
}

export function sealFlow(key: string, flow: Flow): string {
  const payload = Buffer.from(JSON.stringify(flow)).toString('base64url');
  return `${payload}.${mac(key, 'flow', payload)}`;
}

/** Undefined for whatever we have not sealed ourselves. */
export function openFlow(key: string, text: string): Flow | undefined {
  const [payload = '', seal = '', ...more] = text.split('.');
  const expected = Buffer.from(mac(key, 'flow', payload));
  const given = Buffer.from(seal);
  if (more.length > 0 || given.length !== expected.length || !timingSafeEqual(given, expected)) {
    return undefined;
  }
  return JSON.parse(Buffer.from(payload, 'base64url').toString()) as Flow;
}

/** What the provider is given, and has to give back or to check. */
export function flowSecrets(key: string, { id }: Flow) {
  return { state: mac(key, 'state', id), nonce: mac(key, 'nonce', id), verifier: mac(key, 'verifier', id) };
}

function mac(key: string, purpose: string, text: string): string {
  return createHmac('sha256', key).update(`${purpose} ${text}`).digest('base64url');
}
