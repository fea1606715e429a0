import { beforeEach, expect, it } from 'vitest';
import { holdLibraryLock } from '../../src/jobs/library-lock.ts';
import type { FileStat, Files } from '../../src/library/files/files.ts';
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
    clock = new TestClock();
    files = withTimesOf(clock, await openFreshFiles(library));
  });

  const hold = (name: string, owner = server) => writeLock({ files, self: owner }, name);
  const find = (startOf: (pid: number) => string | undefined = () => server.started) =>
    findLock({ files, self }, startOf);
  const keys = async () => (await Array.fromAsync(files.listAll(''))).map(({ key }) => key);

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
    expect(await findLock({ files, self: us })).toMatchObject({ pid: process.pid });
  });

  it('is found when the clock of the storage is a year behind that of this machine', async () => {
    clock.advance(-365 * 24 * 3_600_000);
    await hold('api', { ...server, machine: 'elsewhere' });
    expect(await find()).toMatchObject({ machine: 'elsewhere' });
    expect(await keys()).toEqual(['locks/api']);
  });

  it('is stale when the clock of the storage was set back by more than 30 seconds since it was written', async () => {
    await hold('api', { ...server, machine: 'elsewhere' });
    clock.advance(-lockValidMs);
    expect(await find()).toBeUndefined();
  });

  it('is deleted at the next start if its process was killed or did not renew it for 30 seconds', async () => {
    const onError = (error: unknown) => expect.fail(String(error));
    await hold('gone', { ...server, machine: 'elsewhere' });
    await files.put('locks/damaged', 'damaged');
    clock.advance(lockValidMs);
    await hold('killed', { ...identifyProcess(), started: 'before' });
    await hold('alive', { ...server, machine: 'elsewhere' });
    const lock = await holdLibraryLock({ files, self: identifyProcess() }, 'own', onError);
    expect(await keys()).toEqual(['locks/alive', 'locks/own']);
    await lock.stop();
    expect(await keys()).toEqual(['locks/alive']);
  });
});

/** The storage has a clock of its own. */
function withTimesOf(clock: TestClock, files: Files): Files {
  const times = new Map<string, number>();
  const timed = <F extends FileStat>(file: F): F => ({ ...file, modifiedAt: times.get(file.key) ?? 0 });
  return {
    ...files,
    put: async (key, data) => {
      const written = await files.put(key, data);
      times.set(key, clock.now());
      return written;
    },
    stat: async (key) => {
      const found = await files.stat(key);
      return found && timed(found);
    },
    async *listAll(prefix, options) {
      for await (const file of files.listAll(prefix, options)) yield timed(file);
    },
  };
}
