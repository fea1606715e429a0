// bcrypt, with a limit on how much of the machine it may take.
import bcrypt from 'bcrypt';
import { Invalid, TooManyRequests } from '../errors.ts';

/** bcrypt looks at the first 72 bytes; a longer password would be weaker than it seems, so it is refused. */
const maxBytes = 72;
const minCharacters = 8;

export interface Passwords {
  hash(password: string): Promise<string>;
  /** Takes the same time whether there is a hash or not, so that timing does not tell which users exist. */
  matches(password: string, hash: string | undefined): Promise<boolean>;
}

export interface PasswordOptions {
  readonly cost: number;
  /** At most this many at once: bcrypt runs on the thread pool that files and DNS share. */
  readonly parallel: number;
  readonly maxWaiting: number;
}

export const passwordDefaults: PasswordOptions = { cost: 12, parallel: 2, maxWaiting: 100 };

export function createPasswords({
  cost,
  parallel,
  maxWaiting,
}: PasswordOptions = passwordDefaults): Passwords {
  const waiting: (() => void)[] = [];
  let running = 0;
  // As long to compare with as any other, and the hash of nothing that is known.
  const standIn = `$2b$${String(cost).padStart(2, '0')}$${'.'.repeat(53)}`;

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (running >= parallel) {
      if (waiting.length >= maxWaiting) throw new TooManyRequests('too many logins at once', 1);
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else {
      running += 1;
    }
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  }

  return {
    hash: (password) => inTurn(() => bcrypt.hash(password, cost)),
    matches: (password, hash) =>
      inTurn(async () => {
        const matched = await bcrypt.compare(password, hash ?? standIn);
        return matched && hash !== undefined && Buffer.byteLength(password) <= maxBytes;
      }),
  };
}

/** What a new password must be like. */
export function checkNewPassword(password: string): void {
  if ([...password].length < minCharacters)
    throw new Invalid(`password: at least ${minCharacters} characters are needed`);
  if (Buffer.byteLength(password) > maxBytes)
    throw new Invalid(`password: at most ${maxBytes} bytes are possible`);
  if (password.includes('\0')) throw new Invalid('password: a NUL character is not possible');
}
