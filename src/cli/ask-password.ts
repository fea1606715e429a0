// A new password: typed twice and not shown at a terminal, or the first line of standard input.
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { Invalid } from '../errors.ts';
import type { Runtime } from './runtime.ts';

export async function askPassword(runtime: Runtime, options: { passwordStdin?: boolean }): Promise<string> {
  if (options.passwordStdin) return firstLine(runtime);
  if (!runtime.stdin.isTTY) {
    throw new Invalid('there is no terminal to ask for the password: pipe it in and add --password-stdin');
  }
  const password = await askHidden(runtime, 'Password: ');
  if ((await askHidden(runtime, 'Again: ')) !== password)
    throw new Invalid('the two passwords differ; nothing was changed');
  return password;
}

async function firstLine({ stdin }: Runtime): Promise<string> {
  for await (const line of createInterface({ input: stdin })) return line;
  return '';
}

async function askHidden({ stdin, stderr }: Runtime, question: string): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const prompt = createInterface({ input: stdin, output: silent, terminal: true });
  stderr.write(question);
  try {
    return await prompt.question('');
  } finally {
    prompt.close();
    stderr.write('\n');
  }
}
