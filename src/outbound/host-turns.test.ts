import { expect, it } from 'vitest';
import { Later } from '../errors.ts';
import { createHostTurns } from './host-turns.ts';

const delayOf = (enter: () => unknown): number | undefined => {
  try {
    enter();
    return undefined;
  } catch (error) {
    if (error instanceof Later) return error.delayMs;
    throw error;
  }
};

it('three pulls of a host are in hand at once, and the next ones are told when their turn is', () => {
  let now = 1_000;
  const turns = createHostTurns(() => now);
  const leaves = [1, 2, 3].map((n) => turns.enter(`https://busy.example/${n}`));
  expect([4, 5, 6].map((n) => delayOf(() => turns.enter(`https://busy.example/${n}`)))).toEqual([
    500, 1_000, 1_500,
  ]);
  expect(delayOf(() => turns.enter('https://other.example/'))).toBeUndefined();
  leaves[0]?.();
  expect(delayOf(() => turns.enter('https://busy.example/4'))).toBeUndefined();
  now += 10_000;
  expect(delayOf(() => turns.enter('https://busy.example/5'))).toBe(500);
});

it.each([
  'http://127.0.0.1/',
  'http://192.168.1.2:8080/',
  'http://[fd00::1]/',
  'http://rsshub/',
  'http://nas.local/',
  'http://box.home.arpa/',
])("on a network of one's own each feed has its turn, as at %s", (base) => {
  const turns = createHostTurns(() => 0);
  for (let n = 0; n < 20; n++) expect(delayOf(() => turns.enter(`${base}${n}`))).toBeUndefined();
});

it('a job of a busy host is postponed by half a second after the clock was set back', () => {
  let now = 1_000_000;
  const jumpMs = 20 * 3_600_000;
  const turns = createHostTurns(() => now, 1);
  const enter = () => turns.enter('https://busy.example/');
  enter();
  now += jumpMs;
  expect(delayOf(enter)).toBe(500);
  now -= jumpMs;
  expect(delayOf(enter)).toBe(500);
  expect(delayOf(enter)).toBe(1_000);
});
