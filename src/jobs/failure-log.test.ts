import { expect, it } from 'vitest';
import { Unavailable } from '../errors.ts';
import { failureLog } from './failure-log.ts';

function record() {
  const lines: string[] = [];
  const to = (level: string) => (facts: object) => {
    const { err, failures } = facts as { err?: Error; failures?: number };
    lines.push([level, err?.message ?? failures].join(' '));
  };
  const log = { error: to('error'), info: to('info'), debug: to('debug') };
  return { lines, failures: failureLog(log as never, 'a task') };
}

const withFacts = (message: string, facts: object) => Object.assign(new Error(message), facts);

it('a task that fails for one cause is logged once, and once more when it succeeds', () => {
  const { lines, failures } = record();
  for (let n = 1; n <= 3; n++) failures.failed(withFacts(`busy ${n}`, { code: 'SQLITE_BUSY' }));
  failures.succeeded();
  failures.succeeded();
  expect(lines).toEqual(['error busy 1', 'debug busy 2', 'debug busy 3', 'info 3']);
});

it.each([
  ['code', { code: 'SQLITE_BUSY' }, { code: 'ENOSPC' }],
  ['errcode', { code: 'ERR_SQLITE_ERROR', errcode: 5 }, { code: 'ERR_SQLITE_ERROR', errcode: 13 }],
  ['name', { name: 'Unavailable' }, { name: 'TypeError' }],
])('a task that fails for another cause is logged again: another %s', (_what, before, after) => {
  const { lines, failures } = record();
  failures.failed(withFacts('first', before));
  failures.failed(withFacts('first again', before));
  failures.failed(withFacts('second', after));
  failures.failed(withFacts('second again', after));
  expect(lines).toEqual(['error first', 'debug first again', 'error second', 'debug second again']);
});

it('a cause that an error wraps counts as its own', () => {
  const { lines, failures } = record();
  const wrapped = (code: string) => new Error('the library failed', { cause: withFacts('x', { code }) });
  failures.failed(wrapped('EACCES'));
  failures.failed(wrapped('ENOSPC'));
  expect(lines).toEqual(['error the library failed', 'error the library failed']);
});

it('a task that waited for an outage to end does not say that it succeeds again: the outage log does', () => {
  const { lines, failures } = record();
  failures.failed(new Error('the flush failed', { cause: new Unavailable('library', 'away') }));
  failures.succeeded();
  expect(lines).toEqual(['error the flush failed']);
});
