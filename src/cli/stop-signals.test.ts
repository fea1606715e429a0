import { expect, it } from 'vitest';
import { createSignalCounter } from './stop-signals.ts';

it.each([
  { what: 'one signal stops', at: [0], demands: ['stop'] },
  {
    what: 'signals up to two seconds after the first are copies',
    at: [0, 3, 2_000],
    demands: ['stop', 'copy', 'copy'],
  },
  { what: 'a signal after two seconds asks for a report', at: [0, 2_001], demands: ['stop', 'report'] },
  {
    what: 'copies of the second request do not end the process',
    at: [0, 5, 2_500, 2_505, 3_500],
    demands: ['stop', 'copy', 'report', 'copy', 'copy'],
  },
  { what: 'the third request ends the process', at: [0, 2_500, 3_501], demands: ['stop', 'report', 'end'] },
  {
    what: 'a request after a long wait asks for a report first',
    at: [1_000_000, 1_060_000, 1_120_000],
    demands: ['stop', 'report', 'end'],
  },
])('$what', ({ at, demands }) => {
  const times = [...at];
  const next = createSignalCounter(() => times.shift() ?? Number.NaN);
  expect(at.map(() => next())).toEqual(demands);
});
