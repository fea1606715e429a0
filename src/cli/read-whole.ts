// A file that a command was given, read whole.
import { readFile, stat } from 'node:fs/promises';
import { Invalid } from '../errors.ts';

export async function readWhole(path: string, mostBytes: number): Promise<Uint8Array> {
  const cannot = (cause: NodeJS.ErrnoException): never => {
    const why = cause.code === 'ENOENT' ? 'there is no such file' : cause.code;
    throw new Invalid(`${path} cannot be read: ${why}`, { cause });
  };
  // Before it is read: a file of any size can be named.
  const { size } = await stat(path).catch(cannot);
  if (size > mostBytes) throw new Invalid(`${path} is larger than ${mostBytes / 1024 / 1024} MB`);
  return readFile(path).catch(cannot);
}
