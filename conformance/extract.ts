// How much of the main content of pages is found, and how much that is none, beside two well-known extractors in the same
// run. Each parses the page with the same library, and is timed with that.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Readability } from '@mozilla/readability';
import { Defuddle } from 'defuddle/node';
import { parseHTML } from 'linkedom';
import { plainText } from '../src/html/plain-text.ts';
import { extractContent } from '../src/items/extract/extract-content.ts';
import { parsePage } from '../src/items/extract/parse-page.ts';

const goal = { f1: 0.82, slower: 1.3 };

interface Page {
  readonly page: string;
  readonly url: string;
  readonly type: string;
  readonly main_content: string;
  readonly with?: readonly string[];
  readonly without?: readonly string[];
}

interface Score {
  readonly type: string;
  readonly isEven: boolean;
  readonly f1: number;
  readonly ms: number;
  readonly kept: number;
  readonly dropped: number;
}

const extractors: Readonly<Record<string, (html: string, url: string) => string | Promise<string>>> = {
  Lectern: (html, url) => extractContent(parsePage(html), url).text,
  Readability: (html) => plainText(new Readability(parseHTML(html).document).parse()?.content ?? ''),
  defuddle: async (html, url) => plainText((await Defuddle(parseHTML(html).document, url)).content),
};

export async function checkExtraction(directory: string, print: (line: string) => void): Promise<number> {
  const pages = JSON.parse(readFileSync(join(directory, 'ground-truth.json'), 'utf8')) as Page[];
  if (pages.length === 0) return 2;
  const scores = Object.fromEntries(Object.keys(extractors).map((name) => [name, [] as Score[]]));
  for (const [index, page] of pages.entries()) {
    const html = gunzipSync(readFileSync(join(directory, page.page))).toString();
    // In turn, so that none of them always meets a page first.
    const names = Object.keys(extractors);
    for (const name of [...names.slice(index % 3), ...names.slice(0, index % 3)])
      scores[name]?.push(await scoreOf(name, html, page));
  }
  return report(print, scores);
}

async function scoreOf(name: string, html: string, page: Page): Promise<Score> {
  const started = performance.now();
  let text = '';
  try {
    text = (await extractors[name]?.(html, page.url)) ?? '';
  } catch {
    // One that throws has found nothing.
  }
  const ms = performance.now() - started;
  const found = folded(text);
  const holds = (snippets: readonly string[] = [], isWanted: boolean) =>
    snippets.filter((snippet) => found.includes(folded(snippet)) === isWanted).length /
    Math.max(1, snippets.length);
  return {
    type: page.type,
    isEven: Number.parseInt(page.page, 10) % 2 === 0,
    f1: wordF1(text, page.main_content),
    ms,
    kept: holds(page.with, true),
    dropped: holds(page.without, false),
  };
}

const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
const folded = (text: string) => wordsOf(text).join(' ');

/** Bag against bag. */
function wordF1(found: string, wanted: string): number {
  const [a, b] = [wordsOf(found), wordsOf(wanted)];
  const left = new Map<string, number>();
  for (const word of b) left.set(word, (left.get(word) ?? 0) + 1);
  let both = 0;
  for (const word of a) {
    const n = left.get(word) ?? 0;
    if (n > 0) both += 1;
    left.set(word, n - 1);
  }
  if (a.length === 0 || b.length === 0) return a.length === b.length ? 1 : 0;
  return (2 * both) / (a.length + b.length);
}

function report(print: (line: string) => void, scores: Readonly<Record<string, readonly Score[]>>): number {
  const mean = (some: readonly Score[], of: (score: Score) => number) =>
    some.reduce((sum, score) => sum + of(score), 0) / some.length;
  const types = [...new Set(Object.values(scores).flatMap((all) => all.map(({ type }) => type)))];
  const cell = (text: string) => text.slice(0, 8).padStart(9);
  print(`${'word F1'.padEnd(12)}${['all', ...types, 'kept', 'dropped', 'ms/page'].map(cell).join('')}`);
  for (const [name, all] of Object.entries(scores)) {
    const f1 = (some: readonly Score[]) => mean(some, (score) => score.f1).toFixed(3);
    const cells = [
      f1(all),
      ...types.map((type) => f1(all.filter((score) => score.type === type))),
      mean(all, (score) => score.kept).toFixed(3),
      mean(all, (score) => score.dropped).toFixed(3),
      mean(all, (score) => score.ms).toFixed(0),
    ];
    print(`${name.padEnd(12)}${cells.map(cell).join('')}`);
  }
  const ours = scores.Lectern ?? [];
  const f1 = mean(ours, (score) => score.f1);
  const slower = mean(ours, (score) => score.ms) / mean(scores.Readability ?? [], (score) => score.ms);
  const half = (isEven: boolean) =>
    mean(
      ours.filter((score) => score.isEven === isEven),
      (score) => score.f1,
    ).toFixed(3);
  print(`${ours.length} pages; those of odd numbers ${half(false)}, of even numbers ${half(true)}`);
  const word = (isMet: boolean) => (isMet ? 'met' : 'MISSED');
  print(
    `goals: F1 of at least ${goal.f1}: ${f1.toFixed(3)} (${word(f1 >= goal.f1)}); at most ${goal.slower} of Readability's time: ` +
      `${slower.toFixed(2)} (${word(slower <= goal.slower)})`,
  );
  return f1 >= goal.f1 && slower <= goal.slower ? 0 : 1;
}
