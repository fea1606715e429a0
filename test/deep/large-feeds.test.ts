// Size as an attack: each document is parsed in a process that may use little memory. One that took time out of
// proportion to its size would not end before the time limit of the test.
import { fork } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { largeFeeds } from '../support/large-feeds.ts';

const program = new URL('../support/parse-large-feeds.ts', import.meta.url);
const heapMb = 160;

interface Outcome {
  readonly name: string;
  readonly outcome: string;
  /** How much more memory than ever before the process had from the system. */
  readonly growthMb: number;
}

function parseApart(names: readonly string[]): Promise<Outcome[]> {
  return new Promise((resolve, reject) => {
    const outcomes: Outcome[] = [];
    const child = fork(program, names, { execArgv: [`--max-old-space-size=${heapMb}`] });
    child.on('message', (message) => outcomes.push(message as Outcome));
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      if (code === 0) resolve(outcomes);
      else reject(new Error(`ended with ${code ?? signal} after ${outcomes.at(-1)?.name}`));
    });
  });
}

const names = Object.keys(largeFeeds);
/** Each needs a process of its own. */
const tooLarge = [
  'a text of 200 MB',
  'an attribute of 50 MB',
  '5,000,000 numeric references',
  '3,900,000 numeric references',
];

describe('very large documents', () => {
  it('are all parsed or refused by one process with little memory', async () => {
    const outcomes = await parseApart(names);
    expect(outcomes.map(({ name }) => name)).toEqual(names);
    for (const { name, outcome } of outcomes) {
      expect(`${name}: ${outcome}`).toMatch(/: (\d+ entries|BrokenFeed|NotAFeed)$/);
    }
    expect(outcomes.find(({ name }) => name === '1,000,000 entries')?.outcome).toBe('1 entries');
  });

  it.each(tooLarge)('are refused before they cost 100 MB: %s', async (name) => {
    const [result] = await parseApart([name]);
    expect(result?.outcome).toBe('BrokenFeed');
    expect(result?.growthMb).toBeLessThan(100);
  });
});
