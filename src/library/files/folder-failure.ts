// Turns what the file system answers into an error that a person can act on.
import { Unavailable } from '../../errors.ts';
import { codeOf } from './file-system.ts';

type Verb = 'read' | 'write' | 'delete' | 'list';

export async function doing<T>(verb: Verb, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw failure(verb, error);
  }
}

/** Paths stay in the cause: the message may reach a browser. */
export function failure(verb: Verb, error: unknown): unknown {
  const code = codeOf(error);
  if (code === undefined) return error;
  const message =
    code === 'ENOSPC' || code === 'EDQUOT'
      ? 'the disk of the library is full; free some space, then try again'
      : `the library could not ${verb} a file (${code})`;
  return new Unavailable('library', message, { cause: error });
}
