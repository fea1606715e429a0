import { beforeEach, expect, it } from 'vitest';
import type { Files } from '../../src/library/files/files.ts';
import {
  findLock,
  identifyProcess,
  lockValidMs,
  type ProcessIdentity,
  removeLock,
  writeLock,
} from '../../src/library/lock.ts';
import { TestClock } from '../support/clock.ts';
import { onEachLibrary, openFreshFiles } from '../support/libraries.ts';

onEachLibrary('the lock of a running server', (library) => {
  let files: Files;
  let clock: TestClock;
  const self: ProcessIdentity = { machine: 'here', pid: 1, started: 'first' };
  const server: ProcessIdentity = { machine: 'here', pid: 7, started: 'second' };

  beforeEach(async () => {
    files = await openFreshFiles(library);
    clock = new TestClock();
  });

  const hold = (name: string, owner = server) => writeLock({ files, now: clock.now, self: owner }, name);
  const find = (startOf: (pid: number) => string | undefined = () => server.started) =>
    findLock({ files, now: clock.now, self }, startOf);

  it('is found for as long as one of several processes holds it', async () => {
    expect(await find()).toBeUndefined();
    await hold('api');
    await hold('worker');
    await removeLock(files, 'api');
    expect(await find()).toMatchObject({ pid: 7, machine: 'here' });
    await removeLock(files, 'worker');
    expect(await find()).toBeUndefined();
  });

  it('is stale when the process was killed, or when its id was given to another', async () => {
    await hold('api');
    expect(await find(() => undefined)).toBeUndefined();
    expect(await find(() => 'third')).toBeUndefined();
  });

  it('of another machine is stale when it was not renewed for 30 seconds', async () => {
    await hold('api', { ...server, machine: 'elsewhere' });
    clock.advance(lockValidMs - 1);
    expect(await find(() => undefined)).toMatchObject({ machine: 'elsewhere' });
    clock.advance(1);
    expect(await find(() => undefined)).toBeUndefined();
  });

  it('of this very process is not stale', async () => {
    const us = identifyProcess();
    await hold('us', us);
    expect(await findLock({ files, now: clock.now, self: us })).toMatchObject({ pid: process.pid });
  });
});
