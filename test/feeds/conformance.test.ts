// The harness must be able to fail: a corpus that is empty, or that says otherwise, is no success.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { checkFeeds } from '../../conformance/feeds.ts';
import { sampleFeeds } from '../support/sample-feeds.ts';

const made: string[] = [];

function corpus(checks: { path: (string | number)[]; equals: unknown }[]): string {
  const directory = mkdtempSync(join(tmpdir(), 'lectern-corpus-'));
  made.push(directory);
  writeFileSync(join(directory, 'a.xml'), sampleFeeds.rss ?? '');
  writeFileSync(
    join(directory, 'cases.json'),
    JSON.stringify(checks.length === 0 ? [] : [{ file: 'a.xml', checks }]),
  );
  return directory;
}

afterEach(() => {
  for (const directory of made.splice(0)) rmSync(directory, { recursive: true });
});

const right = { path: ['entries', 0, 'title'], equals: 'Über <b>Bäume</b>' };
const wrong = { path: ['entries', 0, 'link'], equals: 'https://elsewhere.example/' };
const skipped = { path: ['feed', 'generator'], equals: 'x' };
const lines: string[] = [];
const run = (checks: Parameters<typeof corpus>[0]) => checkFeeds(corpus(checks), (line) => lines.push(line));

it('passes when all that is kept is as expected', () => {
  expect(run([right, skipped])).toBe(0);
  expect(lines).toContain('1 cases, 2 checks: 1 passed, 0 failed, 1 skipped');
  expect(lines).toContain('skipped 1: Lectern has no such field');
});

it('fails when too much is not as expected', () => {
  expect(run([right, wrong])).toBe(1);
});

it('fails when nothing was compared', () => {
  expect(run([])).toBe(2);
  expect(run([skipped])).toBe(2);
});
