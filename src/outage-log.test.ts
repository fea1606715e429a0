import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Unavailable } from './errors.ts';
import { createOutageLog, type OutageLog, outageOf, quietMs } from './outage-log.ts';

let lines: string[];
let outages: OutageLog;
let probe: () => Promise<unknown>;
const away = new Unavailable('library', 'no answer', { cause: new Error('connection refused') });

beforeEach(() => {
  vi.useFakeTimers();
  lines = [];
  const write = (fields: object, message: string) =>
    lines.push([message, ...Object.values(fields).slice(1)].join(': '));
  outages = createOutageLog({
    log: { error: write, info: write } as never,
    uptimeMs: Date.now,
    probeEveryMs: 1_000,
  });
  probe = async () => {};
  outages.watch({ index: async () => {}, library: () => probe() });
});

afterEach(() => vi.useRealTimers());

const began = 'the library does not answer: no answer (connection refused)';

it('an outage is one line at its begin and one at its end, with its length, however often work fails', async () => {
  probe = () => Promise.reject(new Error('away'));
  for (let n = 0; n < 100; n++) {
    outages.noticed(away);
    await vi.advanceTimersByTimeAsync(300);
  }
  expect(lines).toEqual([began]);
  expect([outages.isUp('library'), outages.isUp('index')]).toEqual([false, true]);
  probe = async () => {};
  await vi.advanceTimersByTimeAsync(quietMs + 2_000);
  expect(lines).toEqual([began, expect.stringMatching(/^the library answers again: 3[01]$/)]);
  expect(outages.isUp('library')).toBe(true);
});

it('an outage lasts while work fails, even if the probe succeeds', async () => {
  for (let n = 0; n < 20; n++) {
    outages.noticed(away);
    await vi.advanceTimersByTimeAsync(quietMs - 1_500);
  }
  expect(lines).toEqual([began]);
});

it('a probe that hangs is not repeated, and one that began before another failure does not end the outage', async () => {
  let asked = 0;
  const answer = Promise.withResolvers<void>();
  probe = () => {
    asked += 1;
    return answer.promise;
  };
  outages.noticed(away);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toBe(1);
  outages.noticed(away);
  answer.resolve();
  await vi.advanceTimersByTimeAsync(1);
  expect(lines).toEqual([began]);
});

it.each([
  ['itself', away, away],
  ['as the cause of another error', new Error('a run ended', { cause: away }), away],
  ['not at all', new Error('a run ended', { cause: new Error('x') }), undefined],
  ['not by what is no error', 'x', undefined],
])('an error names the outage %s', (_how, error, outage) => {
  expect(outageOf(error)).toBe(outage);
});
