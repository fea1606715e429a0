import { expect, test } from 'vitest';
import { delaySend } from '../../web/src/reader/delayed-send.ts';

function prepare() {
  const said: string[] = [];
  let due: (() => void) | undefined;
  const after = (_delayMs: number, run: () => void) => {
    due = run;
    return () => {
      due = undefined;
    };
  };
  const delayed = delaySend(
    { send: () => said.push('sent'), takeBack: () => said.push('taken back'), delayMs: 6_000 },
    after,
  );
  return { said, delayed, passTime: () => due?.() };
}

test('what nobody takes back is sent when its time has come', () => {
  const { said, delayed, passTime } = prepare();
  expect(said).toEqual([]);
  passTime();
  expect(said).toEqual(['sent']);
  expect(delayed.undo()).toBe(false);
  expect(said).toEqual(['sent']);
});

test('what is taken back in time is never sent', () => {
  const { said, delayed, passTime } = prepare();
  expect(delayed.undo()).toBe(true);
  passTime();
  delayed.flush();
  expect(said).toEqual(['taken back']);
});

test('leaving the page sends at once, and only once', () => {
  const { said, delayed, passTime } = prepare();
  delayed.flush();
  delayed.flush();
  passTime();
  expect(delayed.undo()).toBe(false);
  expect(said).toEqual(['sent']);
});
