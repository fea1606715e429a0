// Size as an attack: each document is parsed in a process that may use little memory. One that took time out of
// proportion to its size would not end before the time limit of the test.
import { fork } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { largeFeeds } from '../support/parse-large-feed.ts';

const program = new URL('../support/parse-large-feed.ts', import.meta.url);
const heapMb = 160;

interface Outcome {
  readonly outcome: string;
  readonly growthMb: number;
}

function parseApart(name: string): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = fork(program, [name], { execArgv: [`--max-old-space-size=${heapMb}`] });
    child.once('message', (message) => resolve(message as Outcome));
    child.once('error', reject);
    child.once('exit', (code, signal) =>
      reject(new Error(`ended with ${code ?? signal} and without an answer`)),
    );
  });
}

describe('a very large document', () => {
  it.each(Object.keys(largeFeeds))('is parsed or refused within little memory: %s', async (name) => {
    const { outcome, growthMb } = await parseApart(name);
    expect(outcome).toMatch(/^(\d+ entries|BrokenFeed|NotAFeed)$/);
    expect(growthMb).toBeLessThan(220);
  });

  it.each([
    'a text of 200 MB',
    'an attribute of 50 MB',
    '5,000,000 numeric references',
    '3,900,000 numeric references',
  ])('is refused before it costs 100 MB: %s', async (name) => {
    const { outcome, growthMb } = await parseApart(name);
    expect(outcome).toBe('BrokenFeed');
    expect(growthMb).toBeLessThan(100);
  });

  it('gives up its last entries when there are a million', async () => {
    expect((await parseApart('1,000,000 entries')).outcome).toBe('1 entries');
  });
});
