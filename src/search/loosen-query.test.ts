import { expect, it } from 'vitest';
import { loosenQuery } from './loosen-query.ts';
import { parseQuery } from './parse-query.ts';
import { writeQuery } from './write-query.ts';

it.each([
  ['how do herons fish', 'herons OR fish'],
  ['the heron', 'heron'],
  ['"grey heron" pond OR lake fis*', '"grey heron" pond OR lake OR fis*'],
  ['heron pond -city tag:birds in:title', 'heron OR pond -city tag:birds in:title'],
])('makes of "%s" the query "%s"', (q, loose) => {
  expect(writeQuery(loosenQuery(parseQuery(q)) ?? parseQuery('nothing'))).toBe(loose);
});

it.each(['heron', 'heron OR egret', '"how do herons fish"', 'tag:birds', 'what is it'])(
  'makes nothing of "%s"',
  (q) => {
    expect(loosenQuery(parseQuery(q))).toBeUndefined();
  },
);
