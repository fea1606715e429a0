import { Invalid } from '../errors.ts';

/** As names are compared: Anna, ANNA and anna are one. */
export function foldUsername(text: string): string {
  return text.normalize('NFKC').trim().toLowerCase();
}

/** What people use, e-mail addresses included. */
export function isUsername(folded: string): boolean {
  return /^[a-z0-9][a-z0-9._@+-]{0,63}$/.test(folded);
}

export function parseUsername(text: string): string {
  const username = foldUsername(text);
  if (!isUsername(username)) {
    throw new Invalid(
      'username: expected 1 to 64 of the characters a-z, 0-9 and . _ @ + -, beginning with a letter or digit',
    );
  }
  return username;
}
