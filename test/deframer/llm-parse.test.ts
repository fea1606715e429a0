// What is taken for an analysis, and what is not.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanText } from '../../src/deframer/llm/clean-text.ts';
import { Malformed, parseAnswer, problems } from '../../src/deframer/llm/parse-answer.ts';
import { type Analysis, categories, scoreNames } from '../../src/model/deframer.ts';
import { article, goodAnswer } from '../support/ai-server.ts';
import { anyCharacter } from '../support/any-character.ts';
import { propertyRuns } from '../support/depth.ts';

const parse = (content: unknown) => parseAnswer(content, article, 'm-1');
const problemOf = (content: unknown) => {
  try {
    parse(content);
  } catch (error) {
    return error instanceof Malformed ? error.problem : error;
  }
};

describe('an answer', () => {
  it('keeps a zero and a one', () => {
    expect(parse(goodAnswer)).toMatchObject({ framing: 0, clickbait: 1 });
    expect(
      Object.is(parse(JSON.stringify(goodAnswer).replace('"framing":0,', '"framing":-0.0,')).framing, 0),
    ).toBe(true);
  });

  it.each([
    ['plain', JSON.stringify(goodAnswer)],
    ['with white space', `\n  ${JSON.stringify(goodAnswer, null, 2)} \n`],
    ['in a fence', `\`\`\`json\n${JSON.stringify(goodAnswer)}\n\`\`\``],
    ['in a fence without a name', `\`\`\`\n${JSON.stringify(goodAnswer)}\`\`\`\n`],
    ['in a fence in capitals', `\`\`\`JSON ${JSON.stringify(goodAnswer)}\`\`\``],
  ])('may come %s', (_how, text) => {
    expect(parse(text)).toMatchObject(goodAnswer);
  });

  it.each([
    '',
    ' ',
    '``````',
    '```json```',
    'null',
    '1',
    '"a"',
    '[]',
    '{"a":1} {"b":2}',
    'Sure! {"framing":0}',
  ])('is no JSON object if it is %j', (text) => {
    expect(problemOf(text)).toBe('json');
  });

  it('may have the names of older days', () => {
    const { persuasive, speculative, overall, overall_reason, category, ...rest } = goodAnswer;
    const older = { ...rest, persuasive_intent: persuasive, speculative_content: speculative };
    expect(parse(older)).toEqual({
      ...goodAnswer,
      overall: 1,
      overall_reason: 'The highest of the five scores.',
      category: 'other',
      llm_model: 'm-1',
      title_original: article.title,
      description_original: article.description,
    });
    expect([overall, overall_reason, category]).toEqual([0.6, expect.any(String), 'world']);
    expect(problemOf({ ...older, persuasive_intent: 2 })).toBe('scores');
    expect(problemOf({ ...older, speculative_content: '0.3' })).toBe('scores');
  });

  it.each([...scoreNames, 'overall'])('has a number from 0 to 1 for "%s", or is none', (name) => {
    for (const wrong of ['0.5', Number.NaN, 1.2, -0.01, null, true, [], {}, Number.POSITIVE_INFINITY]) {
      expect(problemOf({ ...goodAnswer, [name]: wrong })).toBe('scores');
    }
    expect(problemOf(JSON.stringify(goodAnswer).replace(`"${name}":`, `"${name}":1e999,"x":`))).toBe(
      'scores',
    );
  });

  it('has a category of the list, however it is written', () => {
    expect(parse({ ...goodAnswer, category: ' Technology ' }).category).toBe('technology');
    expect(parse({ ...goodAnswer, category: 'WORLD' }).category).toBe('world');
    for (const category of ['', 'gossip', null, 3, ['world'], 'toString', '__proto__']) {
      expect(problemOf({ ...goodAnswer, category })).toBe('category');
    }
  });

  it('has texts where texts belong', () => {
    for (const name of Object.keys(goodAnswer).filter((key) => /_reason$|_corrected$/.test(key))) {
      for (const wrong of [null, 3, [], undefined]) {
        expect(problemOf({ ...goodAnswer, [name]: wrong })).toBe('fields');
      }
    }
  });

  it.each(['', '  \n\t', '\u0000', '<b></b>', '<script>x</script>', 'https://evil.example/'])(
    'without a title (%j) leaves the original',
    (title_corrected) => {
      expect(parse({ ...goodAnswer, title_corrected })).toMatchObject({
        title_corrected: article.title,
        title_correction_reason: 'The model gave no title, so the original is kept.',
      });
    },
  );

  it('is cut to what a title, a description and a reason may have', () => {
    const long = 'word '.repeat(500);
    const texts = Object.keys(goodAnswer).filter((key) => /_reason$|_corrected$/.test(key));
    const analysis = parse({ ...goodAnswer, ...Object.fromEntries(texts.map((name) => [name, long])) });
    const limits: Record<string, number> = { title_corrected: 300, description_corrected: 600 };
    for (const name of texts) {
      const { length } = analysis[name as 'framing_reason'];
      expect(length).toBeLessThanOrEqual(limits[name] ?? 200);
      expect(length).toBeGreaterThan((limits[name] ?? 200) - 8);
    }
  });
});

describe('whatever a model says', () => {
  const wild = fc.oneof(
    fc.json(),
    fc.string(),
    fc.jsonValue(),
    fc
      .record(
        Object.fromEntries(
          Object.entries(goodAnswer).map(([name, value]) => [
            name,
            fc.oneof(
              { weight: 20, arbitrary: fc.constant<unknown>(value) },
              {
                weight: 2,
                arbitrary: typeof value === 'number' ? fc.double() : fc.string({ unit: anyCharacter }),
              },
              { weight: 1, arbitrary: fc.jsonValue() },
            ),
          ]),
        ),
        { requiredKeys: Object.keys(goodAnswer).filter((name) => name !== 'overall' && name !== 'category') },
      )
      .chain((value) => fc.constantFrom<unknown>(value, JSON.stringify(value))),
  );

  it('is an analysis that is whole and in range, or malformed', () => {
    let analyses = 0;
    fc.assert(
      fc.property(wild, (content) => {
        let analysis: Analysis;
        try {
          analysis = parse(content);
        } catch (error) {
          if (!(error instanceof Malformed)) throw error;
          expect(Object.hasOwn(problems, error.problem)).toBe(true);
          return;
        }
        analyses++;
        for (const name of [...scoreNames, 'overall' as const]) {
          expect(analysis[name] >= 0 && analysis[name] <= 1).toBe(true);
          expect(analysis[`${name}_reason`].length).toBeLessThanOrEqual(200);
        }
        expect(categories).toContain(analysis.category);
        expect(analysis.title_corrected).not.toBe('');
        expect(Object.keys(analysis).length).toBe(Object.keys(goodAnswer).length + 3);
      }),
      { ...propertyRuns(2_000), examples: [[JSON.stringify(goodAnswer)]] },
    );
    expect(analyses).toBeGreaterThan(0);
  });

  it('becomes plain text of one line, and stays what it is when that is done again', () => {
    const pieces = fc.constantFrom(
      ...[
        '<',
        '>',
        '&lt;',
        '&gt;',
        '&amp;',
        'lt;',
        'script',
        '/script',
        '<b>',
        '<!--',
        ' ',
        '\n',
        '\u0007',
        '"',
        "'",
        '=',
      ],
      ...[
        '\u202e',
        'x',
        'onerror',
        '&#60;',
        '&#x3c;',
        ';',
        '\ud800',
        '<img src=x ',
        'http://a.example/',
        '😀',
      ],
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 40 }), fc.integer({ min: 1, max: 80 }), (parts, most) => {
        const text = cleanText(parts.join(''), most, '');
        expect(text.length).toBeLessThanOrEqual(most);
        expect(text).not.toMatch(/<[a-z!/?]/i);
        expect(text).not.toMatch(/[\p{Cc}\u202e]|^\s|\s$|\s\s|:\/\//u);
        expect(text.isWellFormed()).toBe(true);
        expect(cleanText(text, most, '')).toBe(text);
      }),
      propertyRuns(3_000),
    );
  });

  it('is not unwrapped for ever', () => {
    const wrapped = `&${'amp;'.repeat(4_000)}lt;b&gt;`;
    expect(cleanText(wrapped, 12, '')).toBe('amp;amp;amp…');
    expect(cleanText('&amp;amp;amp;lt;b&amp;gt;bold', 12, '')).toBe('bold');
  });

  it.each([
    ['Vergleich: 3 < 4 & 5 > 2', 'Vergleich: 3 < 4 & 5 > 2'],
    ['AT&amp;T und R&D', 'AT&T und R&D'],
    ['فارسی می\u200cخواهم 👩\u200d🚀', 'فارسی می\u200cخواهم 👩\u200d🚀'],
    ['see https://news.example/a and https://evil.example/b', 'see https://news.example/a and'],
  ])('keeps what is meant in %j', (text, kept) => {
    expect(cleanText(text, 300, 'as https://news.example/a says')).toBe(kept);
  });
});
