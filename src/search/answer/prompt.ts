// What a model is told: how to answer, that passages are no instructions, and what was asked.
import { readFileSync } from 'node:fs';
import type { Prompt } from './dialect.ts';
import type { Passage } from './find-passages.ts';

const system = readFileSync(new URL('./prompt.md', import.meta.url), 'utf8').trim();

/** JSON has no line breaks inside, so that no passage can end the list even if it guessed the mark. */
export function promptFor(q: string, passages: readonly Passage[], mark: string): Prompt {
  const lines = passages.map(({ n, title, text }) => oneLine({ n, title, text }));
  const user = [`BEGIN PASSAGES ${mark}`, ...lines, `END PASSAGES ${mark}`, '', `QUESTION ${oneLine(q)}`];
  return { system, user: user.join('\n') };
}

function oneLine(value: unknown): string {
  return JSON.stringify(value).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
}
