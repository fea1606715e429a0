// What a command writes for other programs: to a file, or to whoever reads its output.
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Invalid } from '../errors.ts';
import type { Runtime } from './runtime.ts';

export async function writeOut(
  { stdout }: Pick<Runtime, 'stdout'>,
  output: string | undefined,
  text: Iterable<string> | AsyncIterable<string>,
): Promise<void> {
  if (output === undefined) {
    // A pipe may take only so much at once.
    for await (const part of text)
      await new Promise<void>((resolve, reject) =>
        stdout.write(part, (error) => (error ? reject(error) : resolve())),
      );
    return;
  }
  await pipeline(Readable.from(text), createWriteStream(output)).catch((cause: NodeJS.ErrnoException) => {
    if (cause.syscall === undefined) throw cause;
    throw new Invalid(`${output} cannot be written: ${cause.code}`, { cause });
  });
}
