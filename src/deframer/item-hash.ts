import { hash } from 'node:crypto';

/** What an article is known by: the SHA-256 of its address, as its feed writes it. */
export function itemHash(url: string): string {
  return hash('sha256', url, 'hex');
}
