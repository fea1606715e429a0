import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../test/support/any-character.ts';
import { propertyRuns } from '../../../test/support/depth.ts';
import { type Chunk, chunksOf } from './chunks.ts';
import { chunkKey, chunkTokens, countWords, cutText, overlapTokens } from './cut-text.ts';

const key = (index: number) => chunkKey('it-7', index);
const cut = (text: string) => chunksOf(text, { key });

/** Counted anew, letter by letter, by the rule that is written down. */
function tokensOf(text: string): number {
  let tokens = 0;
  for (const word of text.match(/[\p{L}\p{M}\p{N}_'’]+/gu) ?? []) {
    const other = word.replace(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/gu, () => {
      tokens++;
      return ' ';
    });
    for (const part of other.split(' ').filter((one) => one !== '')) tokens += Math.ceil(part.length / 6);
  }
  return tokens;
}

function check(text: string, chunks: readonly Chunk[]): void {
  for (const [at, chunk] of chunks.entries()) {
    expect(chunk.text).toBe(text.slice(chunk.start, chunk.end));
    expect(chunk.text).not.toBe('');
    expect(chunk.sha256).toBe(createHash('sha256').update(chunk.text).digest('hex'));
    expect(chunk.key).toBe(`it-7-c${at < 10 ? '0' : ''}${at}`);
    expect(tokensOf(chunk.text)).toBeLessThanOrEqual(chunkTokens * 1.02);
    const next = chunks[at + 1];
    if (!next) continue;
    // Order, no gap, and no more overlap than there may be.
    expect(next.start).toBeGreaterThan(chunk.start);
    expect(next.start).toBeLessThanOrEqual(chunk.end);
    expect(next.end).toBeGreaterThan(chunk.end);
    expect(tokensOf(text.slice(next.start, chunk.end))).toBeLessThanOrEqual(overlapTokens * 1.02);
  }
  expect(chunks[0]?.start ?? 0).toBe(0);
  expect(chunks.at(-1)?.end ?? 0).toBe(text.length);
}

describe('the chunks of a text', () => {
  const word = fc.oneof(
    { weight: 5, arbitrary: fc.stringMatching(/^[a-zäß]{1,12}$/) },
    { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 200 }) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '猫である。',
        '한국어',
        '----------',
        '😀😀',
        'x'.repeat(5_000),
        ' '.repeat(300),
      ),
    },
  );
  const separator = fc.constantFrom(' ', ' ', ' ', ', ', '. ', '.\n', '\n\n', '! ');
  const text = fc
    .tuple(fc.array(fc.tuple(word, separator), { maxLength: 60 }), fc.nat({ max: 40 }))
    .map(([words, times]) =>
      words
        .map((one) => one.join(''))
        .join('')
        .repeat(times),
    );

  it('hold all of it, in order, within their size, and overlap no more than they may', () => {
    fc.assert(
      fc.property(text, (whole) => check(whole, cut(whole))),
      propertyRuns(150),
    );
  });

  it('are none of nothing and one of little', () => {
    expect(cut('')).toEqual([]);
    expect(cut('One sentence.')).toMatchObject([
      { key: 'it-7-c00', text: 'One sentence.', start: 0, end: 13 },
    ]);
  });

  it('end where a paragraph does, and begin with a sentence', () => {
    const paragraph = `${'Some words make a sentence here. '.repeat(10).trim()}\n`;
    const chunks = cut(paragraph.repeat(100));
    expect(chunks.length).toBeGreaterThan(5);
    for (const chunk of chunks) {
      expect(chunk.text.endsWith('\n')).toBe(true);
      expect(chunk.text.startsWith('Some')).toBe(true);
    }
  });

  it('end where a sentence does in a paragraph without end', () => {
    for (const { text: one } of cut('Some words make a sentence here. '.repeat(1_000)).slice(0, -1)) {
      expect(one.endsWith('. ')).toBe(true);
      expect(one.startsWith('Some')).toBe(true);
    }
  });

  it('end between words in a sentence without end, and overlap as they should', () => {
    const whole = 'word '.repeat(5_000);
    const chunks = cut(whole);
    for (const [at, { text: one, end }] of chunks.slice(0, -1).entries()) {
      expect(one).toMatch(/^word .* $/);
      expect(tokensOf(whole.slice(chunks[at + 1]?.start, end))).toBe(overlapTokens);
    }
    expect(chunks).toHaveLength(Math.ceil((5_000 - overlapTokens) / (chunkTokens - overlapTokens)));
  });

  it('are cut inside of no character where there are no words', () => {
    for (const { text: one } of cut('😀'.repeat(20_000))) expect(one.isWellFormed()).toBe(true);
    for (const { text: one } of cut('x'.repeat(100_000)))
      expect(one.length).toBeLessThanOrEqual(chunkTokens * 6);
  });

  // More than is looked at together, which is 100,000 letters.
  const longText = fc
    .tuple(fc.array(fc.tuple(word, separator), { minLength: 20, maxLength: 60 }), fc.nat({ max: 50_000 }))
    .map(([words, more]) => {
      const once = words.map((one) => one.join('')).join('');
      const lengths = 110_000 + more;
      return once
        .repeat(Math.ceil(lengths / once.length))
        .slice(0, lengths)
        .toWellFormed();
    });
  /** The piece that ends with a text may be another when the text goes on. */
  const allButLast = (text: string) => Array.from(cutText(text)).slice(0, -1);

  it('of a long text are those that it would be cut into if it were looked at as a whole', () => {
    fc.assert(
      fc.property(longText, fc.nat({ max: 99_000 }), (whole, length) => {
        const cuts = Array.from(cutText(whole));
        check(whole, cut(whole));
        // The beginning, in one look: the same cuts.
        const beginning = whole.slice(0, length);
        expect(cuts.slice(0, allButLast(beginning).length)).toEqual(allButLast(beginning));
        // From any cut on, as far as one look goes: the same cuts again, also across the place where a look ended.
        for (const from of [1, Math.floor(cuts.length / 3), cuts.length - 8]) {
          const { start = 0 } = cuts[from] ?? {};
          const there = allButLast(whole.slice(start, start + 99_000)).map((one) => ({
            ...one,
            start: one.start + start,
            end: one.end + start,
          }));
          expect(there.length).toBeGreaterThan(1);
          expect(cuts.slice(from, from + there.length)).toEqual(there);
        }
        expect(cuts.at(-1)?.end).toBe(whole.length);
      }),
      propertyRuns(15),
    );
  });

  it('of two texts that begin alike begin alike, however long they are', () => {
    const sentence = 'Tides come and go, and what they leave is counted by nobody. ';
    const [long, longer] = [6_000, 9_000].map((times) => sentence.repeat(times)) as [string, string];
    const cuts = allButLast(long);
    expect(cuts.length).toBeGreaterThan(90);
    expect(Array.from(cutText(longer)).slice(0, cuts.length)).toEqual(cuts);
  });

  it('have keys with more digits when there are many', () => {
    expect([0, 9, 10, 99, 100].map(key)).toEqual([
      'it-7-c00',
      'it-7-c09',
      'it-7-c10',
      'it-7-c99',
      'it-7-c100',
    ]);
  });
});

it('words are counted as a person would, and letters where there are no spaces', () => {
  expect(countWords('')).toBe(0);
  expect(countWords("It's 9 o'clock — don't you think?")).toBe(6);
  expect(countWords('吾輩は猫である。')).toBe(7);
  expect(countWords('Ein Wort\nund noch_eins')).toBe(4);
});
