import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../test/support/any-character.ts';
import { propertyRuns } from '../../test/support/depth.ts';
import { hasPhrase } from '../../test/support/matches-query.ts';
import { documentTerms, fold, phraseOf, splitTerms } from './terms.ts';

const anyText = fc.string({ unit: anyCharacter, maxLength: 60 });
const cjk = fc.array(fc.constantFrom(...'日本語東京タワー高い한국어𠮷ガ々'), { minLength: 1, maxLength: 12 });

describe('fold', () => {
  it.each([
    ['Éclair ÀÇÑ', 'eclair acn'],
    ['e\u0301t\u00e9', 'ete'],
    ['İstanbul ISTANBUL', 'istanbul istanbul'],
    ['ﬁne ＡＢＣ ①', 'fine abc 1'],
    ['ΣΊΣΥΦΟΣ σίσυφος', 'σίσυφοσ σίσυφοσ'],
    ['Ёлка Й', 'ёлка й'],
    ['Straße Łódź Ørsted', 'straße łodz ørsted'],
    ['ｱｲｳｶﾞ', 'アイウガ'],
    ['ấ Ế ǖ', 'a e u'],
  ])('makes of %j %j', (text, expected) => {
    expect(fold(text)).toBe(expected);
  });

  it('changes nothing that it has folded already', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(fold(fold(text))).toBe(fold(text));
      }),
      propertyRuns(2_000),
    );
  });

  it('takes from Latin letters what FTS5 takes from them with remove_diacritics 2', () => {
    const letters = Array.from({ length: 0x1eff - 0xc0 + 1 }, (_, n) =>
      String.fromCodePoint(0xc0 + n),
    ).filter((letter) => /^\p{Script=Latin}$/u.test(letter) && letter.normalize('NFKC') === letter);
    expect(letters.length).toBeGreaterThan(800);
    const theirs = foldedByFts5(letters);
    const different = letters.filter((letter, n) => fold(letter) !== theirs[n]);
    // Two accents on one letter, where FTS5 takes neither; and letters that are newer than its tables.
    expect(different.filter((letter) => fold(letter) !== letter.toLowerCase())).toEqual(['Ǡ', 'ǡ']);
  });
});

function foldedByFts5(letters: readonly string[]): string[] {
  const db = new DatabaseSync(':memory:');
  db.exec(`CREATE VIRTUAL TABLE t USING fts5 (x, tokenize = 'unicode61 remove_diacritics 2');
    CREATE VIRTUAL TABLE v USING fts5vocab ('t', 'instance');`);
  const insert = db.prepare('INSERT INTO t (rowid, x) VALUES (?, ?)');
  for (const [n, letter] of letters.entries()) insert.run(n + 1, letter);
  const terms = new Map(
    db
      .prepare('SELECT doc, term FROM v')
      .all()
      .map((row) => [row.doc, String(row.term)]),
  );
  db.close();
  return letters.map((_, n) => terms.get(n + 1) ?? '');
}

describe('splitTerms', () => {
  it.each<[text: string, terms: string[]]>([
    ['', []],
    ['… — !', []],
    ["Don't stop, 3.14!", ['don', 't', 'stop', '3', '14']],
    ['日本語', ['日本', '本語', '語']],
    ['日', ['日']],
    ['Go言語入門', ['go', '言語', '語入', '入門', '門']],
    ['タワー 高い', ['タワ', 'ワー', 'ー', '高い', 'い']],
    ['한국어', ['한국', '국어', '어']],
    ['𠮷野家', ['𠮷野', '野家', '家']],
    ['हिन्दी में', ['हिन्दी', 'में']],
    ['a😀b\0c\ue000d', ['a', 'b', 'c', 'd']],
    ['x'.repeat(70), ['x'.repeat(64)]],
    ['é'.repeat(70), ['e'.repeat(64)]],
  ])('makes of %j the terms %j', (text, expected) => {
    expect(splitTerms(text)).toEqual(expected);
  });

  it('gives terms that both engines leave as they are', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        for (const term of splitTerms(text)) {
          expect(term).toMatch(/^(?:[a-z0-9]|[^\0-\x7f])+$/);
          expect(term).not.toMatch(/[\ue000-\uf8ff]|\s/u);
          expect(Buffer.byteLength(term)).toBeLessThan(2_046);
        }
      }),
      propertyRuns(2_000),
    );
  });

  it('does not depend on case or on how accents are written', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const terms = splitTerms(text);
        expect(splitTerms(text.normalize('NFC'))).toEqual(terms);
        expect(splitTerms(text.normalize('NFD'))).toEqual(terms);
      }),
      propertyRuns(2_000),
    );
  });
});

describe('phraseOf', () => {
  it('finds every part of a run of characters without spaces, wherever it begins and ends', () => {
    fc.assert(
      fc.property(cjk, fc.nat(), fc.nat(), (characters, a, b) => {
        const start = a % characters.length;
        const part = characters.slice(start, start + 1 + (b % (characters.length - start))).join('');
        const phrase = phraseOf(part, false);
        if (typeof phrase !== 'object') throw new Error('a phrase was expected');
        expect(hasPhrase(splitTerms(`x ${characters.join('')} y`), phrase)).toBe(true);
      }),
    );
  });

  it('finds what it was made from, whatever that is', () => {
    fc.assert(
      fc.property(anyText, anyText, (text, after) => {
        const phrase = phraseOf(text, false);
        if (typeof phrase === 'object') expect(hasPhrase(splitTerms(`${text} ${after}`), phrase)).toBe(true);
      }),
      propertyRuns(2_000),
    );
  });

  it('asks for three letters before a prefix, but not of scripts without spaces', () => {
    expect(phraseOf('ab', true)).toBe('prefix too short');
    expect(phraseOf('abc', true)).toEqual({ terms: ['abc'], prefix: true });
    expect(phraseOf('日', true)).toEqual({ terms: ['日'], prefix: true });
    expect(phraseOf('?!', true)).toBeUndefined();
  });
});

describe('documentTerms', () => {
  /** As FTS5's `ascii` tokenizer splits: by ASCII that is no letter or digit. */
  const read = (written: string) =>
    written.split(/[\0-\x2f\x3a-\x60\x7b-\x7f]+/).filter((term) => term !== '');
  const letters = (n: number) => 'ab1'.repeat(n).slice(0, n);

  it.each([
    ['quotes, dashes and money', 'Don\u2019t \u201cstop\u201d \u2013 it\u2019s 3\u00a0\u20ac\u2026'],
    ['characters that nobody sees', 'a\0b \u00ab c \u00bb x\u200by z\u2028w'],
    ['accents and ligatures', 'Stra\u00dfe, \u00c4rger, caf\u00e9, \ufb01n'],
    ['other scripts', '\u043f\u0440\u0438\u0432\u0435\u0442 \u65e5\u672c\u8a9e mixed'],
    ['long words', `${letters(63)} ${letters(64)} ${letters(65)} ${letters(200)}-${letters(66)}`],
    ...[0, 1, 31, 63, 64, 65, 66, 129].map((before) => [
      `a long word after ${before} spaces`,
      `${' '.repeat(before)}${letters(65)}!${letters(64)}`,
    ]),
  ])('writes %s so that they are read as they are', (_what, text = '') => {
    expect(read(documentTerms({ title: text, text }).text)).toEqual(splitTerms(text));
    expect(read(documentTerms({ title: text, text }).title)).toEqual(splitTerms(text));
  });

  it('writes the terms of any text so that they are read as they are', () => {
    const longWords = fc.nat({ max: 140 }).map(letters);
    const texts = fc
      .array(fc.oneof(anyText, longWords, fc.constantFrom(' ', '\u2019', '\0', '. ')))
      .map((all) => all.join(''));
    fc.assert(
      fc.property(texts, (text) => {
        expect(read(documentTerms({ title: '', text }).text)).toEqual(splitTerms(text));
      }),
      propertyRuns(2_000),
    );
  });

  it('keeps all of a long article, and the beginning of what is longer than PostgreSQL takes', () => {
    const article = Array.from({ length: 60_000 }, (_, n) => `w${n % 9_000}`);
    expect(read(documentTerms({ title: '', text: article.join(' ') }).text)).toEqual(article);
    const numbers = Array.from({ length: 200_000 }, (_, n) => `number${n}`);
    const kept = documentTerms({ title: numbers.join(' '), text: numbers.join(' ') });
    const [text, title] = [read(kept.text), read(kept.title)];
    expect(text.length).toBeGreaterThan(30_000);
    expect(text).toEqual(numbers.slice(0, text.length));
    expect(title).toEqual(numbers.slice(0, 256));
    expect(Buffer.byteLength(text.join(''))).toBeLessThan(2 ** 20);
  });
});
