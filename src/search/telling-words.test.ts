import { expect, it } from 'vitest';
import { parseQuery } from './parse-query.ts';
import { plainWords, queryOf, tellingWords } from './telling-words.ts';

it.each([
  ['What did Fresnel say about the lens?', ['Fresnel', 'lens']],
  ['Wer hat den Leuchtturm gebaut?', ['Leuchtturm', 'gebaut']],
  ['who is who', ['who', 'is']],
  ['灯塔有多高', ['灯塔', '有多', '高']],
  ['lens LENS Lens', ['Lens']],
  ['-not OR "quoted tag:x site:*', ['quoted', 'tag', 'x', 'site']],
  ['?!', []],
])('finds what tells something in: %s', (question, words) => {
  expect(tellingWords(question)).toEqual(words);
});

it('makes a query of any words', () => {
  const words = plainWords('OR -a "b" c* AND (d) tag:e');
  for (const how of ['all', 'any'] as const) expect(() => parseQuery(queryOf(words, how))).not.toThrow();
  expect(parseQuery(queryOf(words, 'any')).all).toHaveLength(1);
});
