import { Invalid } from '../errors.ts';

/** Lower case, so that Anna and anna are one; otherwise what people use, e-mail addresses included. */
export function parseUsername(text: string): string {
  const username = text.normalize('NFKC').trim().toLowerCase();
  if (!/^[a-z0-9][a-z0-9._@+-]{0,63}$/.test(username)) {
    throw new Invalid(
      'username: expected 1 to 64 of the characters a-z, 0-9 and . _ @ + -, beginning with a letter or digit',
    );
  }
  return username;
}
