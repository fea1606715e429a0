// A permanent copy as large as the largest known one: read, cut and stored in a process that has little memory, as a Worker has.
import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { chunkTokens } from '../../src/items/page/cut-text.ts';
import { type LargePage, largePages } from '../support/large-pages.ts';
import { temporaryFolder } from '../support/library.ts';
import { sha256 } from '../support/mirrored-raindrop.ts';

const program = new URL('../support/store-large-page.ts', import.meta.url);
/** The young generation too: by itself it takes what it can get, whatever is in use. */
const limits = ['--max-old-space-size=100', '--max-semi-space-size=4'];
const mostGrowthMb = 128;

interface Outcome {
  readonly bytes: number;
  /** How much more memory than ever before the process had from the system. */
  readonly growthMb: number;
}

function storeApart(name: LargePage, folder: string): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    let outcome: Outcome | undefined;
    const child = fork(program, [name, folder], { execArgv: limits });
    child.on('message', (message) => {
      outcome = message as Outcome;
    });
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      if (code === 0 && outcome) resolve(outcome);
      else reject(new Error(`ended with ${code ?? signal}`));
    });
  });
}

const texts: Record<LargePage, { least: number; most: number; word: string }> = {
  pictures: { least: 500, most: 5_000, word: 'Picture 0000' },
  paragraphs: { least: 20_000_000, most: 24_000_000, word: 'counted by nobody at all.' },
};

describe('a page of 23 MB', () => {
  it.each(Object.keys(largePages) as LargePage[])('of %s is stored whole, in little memory', async (name) => {
    const folder = await temporaryFolder();
    const { bytes, growthMb } = await storeApart(name, folder);
    expect(bytes).toBeGreaterThan(22 * 1024 * 1024);
    expect(growthMb).toBeLessThan(mostGrowthMb);

    const read = (file: string) => readFileSync(join(folder, 'raindrops/7', file));
    const plain = read('plain.txt').toString();
    expect(read('permacopy.html').length).toBe(bytes);
    expect(plain.length).toBeGreaterThan(texts[name].least);
    expect(plain.length).toBeLessThan(texts[name].most);
    expect(plain.startsWith('Alpha begins it.\n')).toBe(true);
    expect(plain.endsWith('Omega ends it.')).toBe(true);
    const middle = plain.indexOf('Omikron is half way.');
    expect(Math.abs(middle / plain.length - 0.5)).toBeLessThan(0.05);
    for (const part of [plain.slice(0, middle), plain.slice(middle)])
      expect(part).toContain(texts[name].word);
    expect(plain).not.toMatch(/base64|<p>/);
    expect(JSON.parse(read('meta.json').toString())).toMatchObject({
      sha256: sha256(read('permacopy.html')),
      text_sha256: sha256(plain),
      chunks_sha256: sha256(read('chunks.jsonl')),
    });
    expectChunks(plain, read('chunks.jsonl').toString());
  });
});

/** Each is a part of the text, in its order, the next begins within the one before or right behind it, and none is left out. */
function expectChunks(plain: string, lines: string): void {
  let [count, start, end] = [0, 0, 0];
  for (const line of lines.trimEnd().split('\n')) {
    const { k, t, s } = JSON.parse(line) as { k: string; t: string; s: string };
    // Behind the beginning of the one before, and not behind its end.
    const after = count === 0 ? 0 : start + 1;
    const found = plain.slice(after, end + t.length).indexOf(t);
    const at = found < 0 ? -1 : after + found;
    if (k !== `rd-7-c${String(count).padStart(2, '0')}` || s !== sha256(t) || at < 0)
      expect({ k, s, at }).toEqual({ k: `rd-7-c${count}`, s: sha256(t), at: `from ${start} to ${end}` });
    if (t.length > chunkTokens * 12) expect(t.length).toBeLessThan(chunkTokens * 12);
    [start, end] = [at, at + t.length];
    count += 1;
  }
  expect(end).toBe(plain.length);
}
