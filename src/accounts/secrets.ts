// Secrets are kept as their hash: who reads the index cannot log in with what it says.
import { hash } from 'node:crypto';

export function sha256(text: string): string {
  return hash('sha256', text);
}

/** What a Fever client sends instead of a password; MD5 is that protocol's choice. */
export function feverKey(username: string, secret: string): string {
  return hash('md5', `${username}:${secret}`);
}
