import { expect, it } from 'vitest';
import { ulidMaker, ulidTime } from './ulid.ts';

const randomText = (bytes: number) => 'a'.repeat(bytes * 2);

it('sorts by the time it was made, and tells it', () => {
  let at = Date.UTC(2026, 10, 15);
  const newUlid = ulidMaker(() => at, randomText);
  const made = Array.from({ length: 50 }, () => {
    at += 977;
    return { at, ulid: newUlid() };
  });
  expect(made.map(({ ulid }) => ulid)).toEqual(made.map(({ ulid }) => ulid).sort());
  for (const each of made) expect(ulidTime(each.ulid)).toBe(each.at);
});

it('is 26 letters of the alphabet that has no I, L, O and U, and can be of another time', () => {
  const ulid = ulidMaker(() => 0, randomText)(1_794_790_379_371);
  expect(ulid).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
  expect(ulidTime(ulid)).toBe(1_794_790_379_371);
});
