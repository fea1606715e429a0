// A quoted passage, looked for in a text that has changed: found where it is, or said to be lost.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  AnchorText,
  anchorQuote,
  mostEditsFor,
  type QuoteTarget,
} from '../../web/src/highlights/anchor/anchor-quote.ts';
import { findApproximate } from '../../web/src/highlights/anchor/approximate.ts';
import { describeSelection } from '../../web/src/highlights/anchor/describe-selection.ts';
import { letterAt, squeeze } from '../../web/src/highlights/anchor/squeeze.ts';
import { propertyRuns } from '../support/depth.ts';

/** The passage between square brackets, as it is described; and the text without them. */
function marked(text: string): { text: string; target: QuoteTarget } {
  const start = text.indexOf('[');
  const end = text.indexOf(']') - 1;
  const plain = text.replace('[', '').replace(']', '');
  return { text: plain, target: describeSelection(plain, start, end) };
}

/** What is found there, with the brackets around it. */
function shown(text: string, wanted: string | QuoteTarget): string {
  const found = anchorQuote(text, wanted);
  if (found === 'orphan') return found;
  return `${text.slice(0, found.start)}[${text.slice(found.start, found.end)}]${text.slice(found.end)}`;
}

describe('a selection', () => {
  it('is told by its words, 32 characters around it, and its place', () => {
    const text = `${'a'.repeat(40)} passage ${'b'.repeat(40)}`;
    expect(describeSelection(text, 41, 48)).toEqual({
      quote: { exact: 'passage', prefix: `${'a'.repeat(31)} `, suffix: ` ${'b'.repeat(31)}` },
      position: { start: 41, end: 48 },
    });
  });

  it('has no half of a character around it', () => {
    const text = `${'😀'.repeat(20)}x${'😀'.repeat(20)}`;
    const { quote } = describeSelection(`y${text}`, 41, 42);
    expect(quote).toEqual({ exact: 'x', prefix: '😀'.repeat(16), suffix: '😀'.repeat(16) });
    expect(describeSelection(`${'😀'.repeat(20)}ab`, 41, 42).quote.prefix).toBe(`${'😀'.repeat(15)}a`);
  });
});

describe('a quote in a text that has changed', () => {
  const cases: Record<string, { was: string; is: string }> = {
    'stands where it was': {
      was: 'Ask ten printers how wide [a comfortable line] is.',
      is: 'Ask ten printers how wide [a comfortable line] is.',
    },
    'has moved': {
      was: 'Ask ten printers how wide [a comfortable line] is.',
      is: 'A new beginning, and then: ask ten printers how wide [a comfortable line] is.',
    },
    'is told apart from others like it by what stands before it': {
      was: 'The first tide was low. The second [tide was low]. The third tide was low.',
      is: 'Before them all. The first tide was low. The second [tide was low]. The third tide was low.',
    },
    'is told apart by what stands after it': {
      was: 'low water at six. [low water] at noon. low water at ten.',
      is: 'now and then low water at six. [low water] at noon. low water at ten.',
    },
    'is not taken for another one that stands where it was': {
      was: 'At six: tide. At ten: tide. At two: [tide]. At nil: tide.',
      is: 'At one: tide. At six: tide. At ten: tide. At two: [tide]. At nil: tide.',
    },
    'has other line breaks and hard spaces': {
      was: 'How wide is\n  [a comfortable\n  line] of text?',
      is: 'How wide is [a comfortable line] of text?',
    },
    'has no space left between two paragraphs': {
      was: 'One. [The end of it.\n\nThe beginning] of another.',
      is: 'One. [The end of it.The beginning] of another.',
    },
    'has soft hyphens': {
      was: 'A word as [incomprehensibilities] is.',
      is: 'A word as [in\u00adcompre\u00adhensi\u00adbilities] is.',
    },
    'has a word changed': {
      was: 'He said that [the harbour was empty at first light, and that nobody came] to look.',
      is: 'He said that [the harbor was empty at first light, and nobody came] to look.',
    },
    'has its beginning and its end changed': {
      was: 'Then: [a shelf remembers everything that was put on it by my grandmother]. So it is.',
      is: 'Then: [the shelf remembers everything that was put on it by my grandmothers]. So it is.',
    },
    'is short, with a letter changed, and what is around it the same': {
      was: 'all that is left of the old [grey harbour] is a wall of stone and some rope',
      is: 'Now all that is left of the old [gray harbour] is a wall of stone and some rope',
    },
    'is in Chinese': {
      was: '我们在海边走了很久,[看见了三只白色的鸟],然后回家。',
      is: '昨天我们在海边走了很久,[看见了三只白色的鸟],然后回家。',
    },
    'is one character': {
      was: 'We count to [7] and then begin anew, as always.',
      is: 'As we said: we count to [7] and then begin anew, as always. 7 is enough.',
    },
  };
  it.each(Object.entries(cases))('%s', (_, { was, is }) => {
    const { target } = marked(was);
    expect(shown(is.replace('[', '').replace(']', ''), target)).toBe(is);
  });

  const lost: Record<string, { was: string; is: string }> = {
    'is not taken for a word that only resembles it': {
      was: 'A kernel by [Linus] Torvalds.',
      is: 'There are chines in the cliff, and the line is used by lines of ships.',
    },
    'is gone': {
      was: 'It was a long walk, [and nobody who had come along could say why] we went.',
      is: 'It was a long walk. We came back by the road along the river, and slept.',
    },
    'is short, and its words stand in another sentence': {
      was: 'We looked at [the tide] and waited for the boats to come in.',
      is: 'Somebody had left a note on the kitchen table about the tide, for whoever rises first.',
    },
    'is short, with a letter changed, in another sentence': {
      was: 'all that is left of the old [grey harbour] is a wall of stone and some rope',
      is: 'They painted a gray harbour on the door of the inn, which nobody liked at all.',
    },
    'has a third of its letters changed': {
      was: 'One thing: [the harbour was empty at first light and nobody came]. So.',
      is: 'One thing: the tavern was empty by candlelight and nobody slept. So.',
    },
    'was rewritten beyond recognition': {
      was: 'One thing: [the harbour was empty at first light and nobody came to look]. So.',
      is: 'One thing: the market was crowded by noon and everybody came to shout. So.',
    },
  };
  it.each(Object.entries(lost))('%s: lost', (_, { was, is }) => {
    expect(anchorQuote(is, marked(was).target)).toBe('orphan');
  });
});

describe('how much a quote may differ', () => {
  it.each([
    [1, 0],
    [7, 0],
    [8, 1],
    [15, 1],
    [16, 2],
    [31, 4],
    [32, 6],
    [100, 20],
    [10_000, 120],
  ])('of %i letters is %i', (letters, edits) => expect(mostEditsFor(letters)).toBe(edits));
});

describe('a quote of which nothing but its words is known', () => {
  const cases: Record<string, { quote: string; is: string }> = {
    'is found where it stands alone': {
      quote: 'the tide was low',
      is: 'In the morning [the tide was low], they said.',
    },
    'is found over paragraphs': {
      quote: 'at first light.\n\nNobody came',
      is: 'It was empty [at first light.Nobody came] to look.',
    },
    'is found with little differences': {
      quote: 'the harbour was empty at first light, and nobody came to look',
      is: 'Once [the harbor was empty at first light and nobody came to look], as I said.',
    },
    'is lost where it stands twice': {
      quote: 'the tide was low',
      is: 'In the morning the tide was low, and at ten the tide was low.',
    },
    'is lost where little differences fit two places': {
      quote: 'the harbour was empty at first light',
      is: 'Once the harbor was empty at first light. Twice the harbor was empty at first light.',
    },
    'is lost within another word': { quote: 'art', is: 'A cartographer draws.' },
    'is found as a word': { quote: 'art', is: 'A cartographer draws [art].' },
    'is lost where its words were parted otherwise': { quote: 'nowhere', is: 'They are now here.' },
    'is found between the words of a script without spaces': {
      quote: '白色的鸟',
      is: '看见了三只[白色的鸟]然后',
    },
    'is lost when it is empty': { quote: ' \n', is: 'Some text.' },
  };
  it.each(Object.entries(cases))('%s', (_, { quote, is }) => {
    const found = shown(is.replace('[', '').replace(']', ''), quote);
    expect(found).toBe(is.includes('[') ? is : 'orphan');
  });

  it('is found at the nearest of several places, if it is known where it was', () => {
    const text = 'low tide. low tide. low tide. low tide.';
    const quote = { exact: 'low tide' };
    expect(anchorQuote(text, { quote, position: { start: 19, end: 27 } })).toMatchObject({ start: 20 });
    expect(anchorQuote(text, { quote, position: { start: 900, end: 908 } })).toMatchObject({ start: 30 });
    expect(anchorQuote(text, { quote })).toBe('orphan');
  });
});

// By the definition, row for row, and much slower.
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, n) => n);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

const lettersOf = (text: string) => squeeze(text).text;

describe('any text', () => {
  const word = fc.string({ unit: fc.constantFrom(...'abcdefghilmnoprstuwé'), minLength: 1, maxLength: 9 });
  const space = fc.constantFrom(' ', ' ', ' ', '\n', '\u00a0', '. ', '\n\n');
  const prose = (minLength: number) =>
    fc
      .array(fc.tuple(word, space), { minLength, maxLength: minLength + 120 })
      .map((parts) => parts.flat().join(''));
  const anyText = fc.oneof(
    prose(1),
    fc.string({ unit: 'grapheme', maxLength: 300 }),
    fc.string({ unit: fc.constantFrom(...'ab '), maxLength: 200 }),
  );
  const between = (text: string, a: number, b: number) => {
    const start = Math.floor(Math.min(a, b) * text.length);
    return [start, Math.max(start + 1, Math.floor(Math.max(a, b) * text.length))] as const;
  };
  const share = fc.integer({ min: 0, max: 9_999 }).map((n) => n / 10_000);

  it('gives a selection back that was described in it', () => {
    fc.assert(
      fc.property(anyText, share, share, (text, a, b) => {
        const [start, end] = between(text, a, b);
        const selected = text.slice(start, end);
        fc.pre(selected.trim() === selected && lettersOf(selected) !== '');
        // Half a character, or what is not seen, is at no end of a selection.
        fc.pre(
          !/^[\u00ad\u200b-\u200f\u2060\ufeff\udc00-\udfff]|[\u00ad\u200b-\u200f\u2060\ufeff\ud800-\udbff]$/.test(
            selected,
          ),
        );
        expect(anchorQuote(text, describeSelection(text, start, end))).toEqual({ start, end, score: 1 });
      }),
      propertyRuns(1_000),
    );
  });

  it('gives a selection back, at the place it has moved to, after edits elsewhere', () => {
    fc.assert(
      fc.property(prose(30), share, share, prose(0), prose(0), (text, a, b, before, after) => {
        const [start, end] = between(text, a, b);
        const { quote, position } = describeSelection(text, start, end);
        fc.pre(quote.exact.trim() === quote.exact && lettersOf(quote.exact).length >= 4);
        const moved = before + text + after;
        // Where the same words stand between the same words once more, nobody could tell.
        const whole = lettersOf(quote.prefix + quote.exact + quote.suffix);
        const letters = lettersOf(moved);
        fc.pre(letters.indexOf(whole) === letters.lastIndexOf(whole));
        fc.pre(lettersOf(quote.prefix + quote.suffix).length >= 16);
        expect(anchorQuote(moved, { quote, position })).toEqual({
          start: start + before.length,
          end: end + before.length,
          score: 1,
        });
      }),
      propertyRuns(500),
    );
  });

  it('gives nothing back for what was never in it', () => {
    const other = fc
      .array(fc.string({ unit: fc.constantFrom(...'jkqvxyzJKQVXYZ'), minLength: 1, maxLength: 9 }), {
        minLength: 1,
        maxLength: 40,
      })
      .map((words) => words.join(' '));
    fc.assert(
      fc.property(prose(1), other, fc.nat(2_000), (text, quote, start) => {
        expect(anchorQuote(text, quote)).toBe('orphan');
        expect(
          anchorQuote(text, {
            quote: { exact: quote, prefix: '', suffix: '' },
            position: { start, end: start + quote.length },
          }),
        ).toBe('orphan');
      }),
    );
  });

  it('never gives back what differs more than it may', () => {
    const edit = fc.record({
      at: share,
      kind: fc.constantFrom('put', 'take', 'change'),
      letter: fc.constantFrom(...'abcdefg xyz'),
    });
    fc.assert(
      fc.property(
        prose(10),
        share,
        share,
        fc.array(edit, { maxLength: 40 }),
        fc.boolean(),
        (text, a, b, edits, withContext) => {
          const [start, end] = between(text, a, b);
          const { quote, position } = describeSelection(text, start, end);
          let changed = text;
          for (const { at, kind, letter } of edits) {
            const n = Math.floor(at * changed.length);
            changed =
              changed.slice(0, n) +
              (kind === 'take' ? '' : letter) +
              changed.slice(kind === 'put' ? n : n + 1);
          }
          const found = anchorQuote(changed, withContext ? { quote, position } : quote.exact);
          if (found === 'orphan') return;
          const letters = lettersOf(quote.exact);
          const differs = editDistance(letters, lettersOf(changed.slice(found.start, found.end)));
          expect(differs).toBeLessThanOrEqual(mostEditsFor(letters.length));
          expect(found.score).toBeLessThanOrEqual(1 - differs / letters.length);
        },
      ),
      propertyRuns(500),
    );
  });

  it('is the same for one quote as for many', () => {
    fc.assert(
      fc.property(prose(20), fc.array(fc.tuple(share, share), { maxLength: 8 }), (text, selections) => {
        const prepared = new AnchorText(text);
        for (const [a, b] of selections) {
          const described = describeSelection(text, ...between(text, a, b));
          expect(anchorQuote(prepared, described)).toEqual(anchorQuote(text, described));
        }
      }),
      propertyRuns(50),
    );
  });
});

describe('the fewest edits', () => {
  const few = fc.string({ unit: fc.constantFrom(...'abc'), minLength: 1, maxLength: 90 });

  it('are those of the definition, for patterns of any length', () => {
    fc.assert(
      fc.property(few, few, fc.nat(40), (pattern, text, most) => {
        const found = findApproximate(pattern, text, most);
        let least = pattern.length;
        for (let start = 0; start <= text.length; start++) {
          for (let end = start; end <= text.length; end++) {
            if (Math.abs(end - start - pattern.length) >= least) continue;
            least = Math.min(least, editDistance(pattern, text.slice(start, end)));
          }
        }
        // To take all of it out is no place.
        if (least > most || least === pattern.length) {
          if (found) expect(found.edits).toBe(least);
          return;
        }
        expect(found?.edits).toBe(least);
        if (found) expect(editDistance(pattern, text.slice(found.start, found.end))).toBe(least);
      }),
      propertyRuns(60),
    );
  });
});

describe('the letters of a text', () => {
  it('know where they stood', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const { text: letters, at, gaps } = squeeze(text);
        expect([...at].map((n) => text[n]).join('')).toBe(letters);
        expect(at).toHaveLength(letters.length);
        expect(gaps).toHaveLength(letters.length);
        for (const [n, offset] of at.entries()) expect(letterAt(squeeze(text), offset)).toBe(n);
      }),
    );
  });
});
