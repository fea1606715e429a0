// The wrapper that other suites trust must itself do what it says.
import { beforeEach, expect, it } from 'vitest';
import type { Files } from '../../src/library/files/files.ts';
import { CrashError, Faults, forEachFault } from '../support/faults.ts';
import { faultyFiles } from '../support/faulty-files.ts';
import { onEachLibrary, openFreshFiles } from '../support/libraries.ts';

onEachLibrary('files with faults', (library) => {
  let files: Files;

  beforeEach(async () => {
    files = await openFreshFiles(library);
  });

  it.each(['before', 'after'] as const)('crashes at each write in turn, %s it', async (moment) => {
    const fired = await forEachFault({ kind: 'crash', moment }, async (faults, at) => {
      const faulty = faultyFiles(files, faults);
      const work = async () => {
        for (const key of ['one', 'two', 'three']) await faulty.put(`${moment}/${at}/${key}`, key);
        await faulty.delete(`${moment}/${at}/one`);
      };
      if (at <= 4) await expect(work()).rejects.toThrow(CrashError);
      else await work();
      const left = (await files.list(`${moment}/${at}/`)).files.map(({ key }) => key.split('/')[2]);
      const done = moment === 'after' ? at : at - 1;
      const states = [[], ['one'], ['one', 'two'], ['one', 'three', 'two'], ['three', 'two']];
      expect(left).toEqual(states[Math.min(done, 4)]);
      if (faults.fired) await expect(faulty.read('any')).rejects.toThrow(CrashError);
    });
    expect(fired).toBe(4);
  });

  it('fails what it is told to fail, as often as it is told', async () => {
    const faults = new Faults();
    const faulty = faultyFiles(files, faults);
    faults.failNext('put', 'EIO', { times: 2 });
    await expect(faulty.put('a', 'x')).rejects.toThrow('EIO');
    await expect(faulty.put('a', 'x')).rejects.toThrow('EIO');
    await faulty.put('a', 'x');
    expect(faults.fired).toBe('put');
    faults.failNext('list', 'EIO');
    await expect(faulty.list('')).rejects.toThrow('EIO');
  });

  it('fails when a scenario has no operation that could fail', async () => {
    await expect(forEachFault({ kind: 'crash' }, async () => {})).rejects.toThrow('no fault fired');
  });
});
