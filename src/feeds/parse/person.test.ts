import { expect, it } from 'vitest';
import { personName } from './person.ts';

it.each([
  ['Jo Doe', 'Jo Doe'],
  ['me@example.com (Jo Doe)', 'Jo Doe'],
  ['Jo Doe (me@example.com)', 'Jo Doe'],
  ['Jo Doe <me@example.com>', 'Jo Doe'],
  ['"Jo Doe" <mailto:me@example.com>', 'Jo Doe'],
  ['me@example.com', 'me@example.com'],
  ['  Jo\n Doe ', 'Jo Doe'],
  ['', ''],
])('the name in %j is %j', (written, name) => {
  expect(personName(written)).toBe(name);
});
