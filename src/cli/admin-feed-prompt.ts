// The prompt that a feed of the deframer has of its own: read from a file or from standard input.
import { Invalid } from '../errors.ts';
import { longestPrompt } from '../model/deframer.ts';
import { readWhole } from './read-whole.ts';
import type { Runtime } from './runtime.ts';

/** Far more than any prompt that is short enough, and little enough to read whole. */
const mostBytes = 1024 * 1024;

export async function readPrompt({ stdin }: Pick<Runtime, 'stdin'>, path: string): Promise<string> {
  return parsePrompt(path === '-' ? await readInput(stdin) : await readWhole(path, mostBytes));
}

export function parsePrompt(bytes: Uint8Array): string {
  const text = decoded(bytes);
  if (text.trim() === '') throw new Invalid('the prompt is empty: --clear goes back to the usual one');
  if (text.length > longestPrompt) {
    throw new Invalid(`the prompt has ${text.length} characters, and ${longestPrompt} are the most`);
  }
  return text;
}

/** As it is, but that nothing in it can speak to a terminal. */
export function shownPrompt(prompt: string): string {
  return prompt.replaceAll('\r\n', '\n').replace(/[^\P{Cc}\n\t]/gu, '\ufffd');
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new Invalid('the prompt is no text in UTF-8', { cause });
  }
}

async function readInput(stdin: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stdin) {
    size += chunk.length;
    if (size > mostBytes) throw new Invalid(`standard input is larger than ${mostBytes / 1024 / 1024} MB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
