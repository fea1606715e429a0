// The access token, and the session that stands for it in a browser: a frame cannot send a header of its own.
import { ApiError } from './api-error.ts';

const shortestToken = 16;
const label = 'lectern raindrop mirror session';
export const sessionSeconds = 30 * 24 * 60 * 60;

/** The token, or an answer that says how to set one. An empty one would let everybody in. */
export function requireToken(token: string | undefined): string {
  if (typeof token === 'string' && token.length >= shortestToken) return token;
  throw new ApiError(
    503,
    `ACCESS_TOKEN is not set, or shorter than ${shortestToken} characters: run "npm run cloudflare -- secret put ACCESS_TOKEN"`,
  );
}

/** Takes as long for a wrong first letter as for a wrong last one: only digests are compared, and those to the end. */
export async function isSameSecret(given: string, expected: string): Promise<boolean> {
  const [a, b] = await Promise.all([sha256(given), sha256(expected)]);
  let difference = 0;
  for (const [n, byte] of a.entries()) difference |= byte ^ (b[n] ?? 0);
  return difference === 0;
}

/** Nothing is kept of a session: another token ends them all. */
export async function makeSession(token: string, nowSeconds: number): Promise<string> {
  const endsAt = nowSeconds + sessionSeconds;
  return `${endsAt}.${await sign(token, endsAt)}`;
}

export async function isSession(value: string, token: string, nowSeconds: number): Promise<boolean> {
  const [, digits, signature] = /^(\d{1,12})\.([0-9a-f]{64})$/.exec(value) ?? [];
  if (digits === undefined || signature === undefined) return false;
  const endsAt = Number(digits);
  return (await isSameSecret(signature, await sign(token, endsAt))) && endsAt > nowSeconds;
}

async function sign(token: string, endsAt: number): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', utf8(token), algorithm, false, ['sign']);
  const bytes = new Uint8Array(await crypto.subtle.sign('HMAC', key, utf8(`${label} ${endsAt}`)));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

async function sha256(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', utf8(text)));
}

const utf8 = (text: string) => new TextEncoder().encode(text);
