// Secrets are kept as their hash: who reads the index cannot log in with what it says.
import { createHash } from 'node:crypto';

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** What a Fever client sends instead of a password; MD5 is that protocol's choice. */
export function feverKey(username: string, secret: string): string {
  return createHash('md5').update(`${username}:${secret}`).digest('hex');
}
