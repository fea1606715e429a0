// `lectern reinflate`, in this process.
import { readFileSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Files } from '../../src/library/files/files.ts';
import { foldJournal } from '../../src/library/journal/fold.ts';
import { type FactSet, readSets } from '../../src/library/journal/sets.ts';
import { restoresMoment } from '../../src/library/moments.ts';
import { planRestore } from '../../src/library/restore-plan.ts';
import type { Target } from '../../src/store/open.ts';
import { TestClock } from '../support/clock.ts';
import { type CommandResult, runCli } from '../support/command-line.ts';
import { onEachEngine } from '../support/engines.ts';
import { changeItem, findItem, jobsOf, keepCopy, saveItem } from '../support/items.ts';
import { databaseUrl } from '../support/lectern-process.ts';
import {
  folderFiles,
  type OpenedPair,
  openPair,
  reinflateInto,
  temporaryFolder,
} from '../support/library.ts';
import { withSession } from '../support/session.ts';

const hour = 3_600_000;

onEachEngine('lectern reinflate', (engine) => {
  let folder: string;
  let files: Files;
  let target: Target;
  let clock: TestClock;

  beforeEach(async () => {
    folder = await temporaryFolder();
    clock = new TestClock();
    files = await folderFiles(folder, clock);
    target = await engine.freshTarget();
  });

  const run = (...args: string[]): Promise<CommandResult> =>
    runCli(args, {
      env: { LECTERN_DATABASE_URL: databaseUrl(target), LECTERN_LIBRARY_URL: `file:${folder}` },
    });

  const withPair = async <T>(work: (pair: OpenedPair) => Promise<T>): Promise<T> => {
    const pair = await openPair(target, files, clock);
    try {
      return await work(pair);
    } finally {
      await pair.close();
    }
  };

  /** One flush for each user, an hour apart. */
  const addUsers = (...names: string[]) =>
    withPair(async ({ store, flush }) => {
      for (const username of names) {
        const role = username === 'anna' ? 'owner' : 'member';
        await store.users.create({ username, passwordHash: null, role });
        await flush();
        clock.advance(hour);
      }
    });

  const userNames = async () => (await run('user', 'list')).stdout;
  const newestPath = async () => join(folder, (await readSets(files)).sets.at(-1)?.parts[0]?.key ?? '');

  describe('with an index that has the rows of', () => {
    it.each([
      ['a truncated segment', (path: string) => truncateSync(path, readFileSync(path).length - 5)],
      ['an unreadable segment', (path: string) => truncateSync(path, 0)],
      ['a missing segment', (path: string) => rmSync(path)],
    ])('%s refuses to replace the index without --discard, and names the remedy', async (_title, harm) => {
      await addUsers('anna', 'ben');
      harm(await newestPath());
      for (const options of [[], ['--force']]) {
        const refused = await run('reinflate', ...options);
        expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('lectern library repair') });
        expect(refused.stderr).toContain('--discard');
      }
      expect(await userNames()).toContain('ben');
      expect(await run('library', 'repair')).toMatchObject({ code: 0 });
      expect(await run('reinflate', '--force')).toMatchObject({ code: 0 });
      expect(await userNames()).toContain('ben');
    });

    it('a damaged segment replaces the index with --discard', async () => {
      await addUsers('anna', 'ben');
      truncateSync(await newestPath(), 0);
      expect(await run('reinflate', '--force', '--discard')).toMatchObject({ code: 0 });
      expect(await userNames()).not.toContain('ben');
    });

    it('more than a day of segments names the remedy, and --partial', async () => {
      await addUsers('anna', 'ben', 'cleo');
      clock.advance(25 * hour);
      await addUsers('dora');
      const [, second] = (await readSets(files)).sets;
      rmSync(join(folder, second?.parts[0]?.key ?? ''));
      const refused = await run('reinflate', '--force', '--discard');
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('--partial') });
      expect(refused.stderr).toContain('lectern library repair');
    });
  });

  it.each([
    ['that still runs refuses to replace the index, and says how long to wait', 60_000, 1],
    ['of a time when the clock was ahead does not keep the index from being replaced', 20 * hour, 0],
  ])('a lease of a process %s', async (_title, leftMs, code) => {
    await addUsers('anna');
    await withSession(target, (session) => {
      const now =
        session.engine === 'sqlite'
          ? "CAST(unixepoch('subsec') * 1000 AS INTEGER)"
          : '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';
      return session.rows(
        `INSERT INTO leases (name, holder, epoch, expires) VALUES ('serve:all:killed', 'killed', 1, ${now} + ${leftMs})`,
      );
    });
    const { stderr, ...result } = await run('reinflate', '--force');
    expect({ ...result, stderr }).toMatchObject({ code });
    if (code === 1) expect(stderr).toMatch(/Stop it first; if it was killed, wait \d+ seconds\./);
  });

  describe('--until a moment that cannot be restored', () => {
    const unreachable = '2020-01-01T00:00:00Z';

    /** Two flushes each day, merged; those of the last day are kept. */
    const addDays = (count: number) =>
      withPair(async ({ store, flush, flushDeps }) => {
        const { id } = await store.users.create({ username: 'anna', passwordHash: null, role: 'owner' });
        for (let day = 0; day < count; day++) {
          for (const name of ['a', 'b']) {
            await store.forUser(id).groups.create({ name: `${day} ${name}` });
            await flush();
            clock.advance(12 * hour);
          }
          await foldJournal(flushDeps, 'test', clock.now());
        }
      });
    const listed = async () => {
      const { code, stderr } = await run('reinflate', '--discard', '--until', unreachable);
      expect(code).toBe(2);
      return stderr;
    };
    const damage = (set: FactSet | undefined) => {
      const path = join(folder, set?.parts[0]?.key ?? '');
      truncateSync(path, readFileSync(path).length - 5);
    };
    const timesIn = (text: string) =>
      [...text.matchAll(/^ +(?:every moment since )?(\S+Z)/gm)].map(([, time = '']) => Date.parse(time));
    const expectRestorable = async (times: readonly number[]) => {
      expect(times.length).toBeGreaterThan(0);
      for (const until of times)
        expect([until, restoresMoment(await planRestore(files, { until }), until)]).toEqual([until, true]);
    };

    it('says that the list of moments is shortened', async () => {
      await addDays(45);
      const text = await listed();
      expect(text).toMatch(/^ {2}the last 40 of 4\d ends of days:$/m);
      expect(timesIn(text)).toHaveLength(41);
      await expectRestorable(timesIn(text));
    });

    it.each([
      ['in the middle', (sets: readonly FactSet[]) => sets[3]],
      ['that is the newest', (sets: readonly FactSet[]) => sets.at(-1)],
    ])('offers no moment behind or in a damaged segment %s', async (_place, choose) => {
      await addDays(6);
      const { sets } = await readSets(files);
      damage(choose(sets));
      const times = timesIn(await listed());
      await expectRestorable(times);
      expect(Math.max(...times)).toBeLessThan(choose(sets)?.lastAt ?? 0);
    });

    it('offers no moment of a merged day of which a kept segment is damaged', async () => {
      await addDays(6);
      const { superseded } = await readSets(files);
      damage(superseded.at(-1)?.set);
      await expectRestorable(timesIn(await listed()));
    });

    it('offers no moment of a merged day whose segments are deleted', async () => {
      await addDays(6);
      clock.advance(24 * hour);
      await withPair(({ flushDeps }) => foldJournal(flushDeps, 'test', clock.now()));
      await expectRestorable(timesIn(await listed()));
    });
  });

  describe('after an interruption', () => {
    let afterBen: number;
    let source: Target;

    beforeEach(async () => {
      source = target;
      await addUsers('anna', 'ben');
      afterBen = clock.now() - 1;
      await addUsers('cleo');
      target = await engine.freshTarget({ empty: true });
    });

    /** Ends when the first set is in the index. */
    const interrupt = async (options: { until?: number } = {}) => {
      let calls = 0;
      const onProgress = () => {
        calls += 1;
        if (calls === 2) throw new Error('interrupted');
      };
      await expect(reinflateInto(target, files, { ...options, onProgress })).rejects.toThrow('interrupted');
    };
    const time = (at: number) => new Date(at).toISOString();

    it('of --until resumes to the same moment', async () => {
      await interrupt({ until: afterBen });
      expect(await run('reinflate')).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('interrupted'),
      });
      expect(await userNames()).toContain('ben');
      expect(await userNames()).not.toContain('cleo');
    });

    it('of --until refuses another moment, and starts over with --force', async () => {
      await interrupt({ until: afterBen });
      const other = time(afterBen - hour);
      expect(await run('reinflate', '--until', other)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(time(afterBen)),
      });
      expect(await run('reinflate', '--force', '--until', other)).toMatchObject({ code: 0 });
      expect(await userNames()).toContain('anna');
      expect(await userNames()).not.toContain('ben');
    });

    it('of a full reinflate refuses --until, and starts over with --force', async () => {
      await interrupt();
      const options = ['--until', time(afterBen)];
      expect(await run('reinflate', ...options)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('--force'),
      });
      expect(await run('reinflate', '--force', ...options)).toMatchObject({ code: 0 });
      expect(await userNames()).not.toContain('cleo');
    });

    it('before the files of items are restored resumes with that step', async () => {
      target = source;
      const lost = await withPair(async ({ store, database, library, flush }) => {
        const anna = await store.users.findOwner();
        const id = await saveItem(database, anna?.id ?? 0, 'https://example.org/heron');
        const copy = await keepCopy(library.files, { id, userId: anna?.id ?? 0 }, { text: 'heron' });
        await changeItem(database, id, { ...copy, enrichment_status: 'succeeded' });
        await flush();
        return id;
      });
      rmSync(join(folder, `items/${lost}/plain.txt`));

      target = await engine.freshTarget({ empty: true });
      await reinflateInto(target, files, { release: false });
      await expect(withPair(async () => {})).rejects.toThrow('A reinflate was interrupted');
      expect(await run('reinflate')).toMatchObject({ code: 0, stdout: expect.stringContaining('heron') });
      await withPair(async ({ store, database }) => {
        expect((await findItem(database, lost)).enrichment_status).toBe('pending');
        expect(await jobsOf(database, String(lost))).toHaveLength(1);
        expect(await store.journal.pending(1)).toBe(0);
      });
    });

    it('resumes with the same --until', async () => {
      await interrupt({ until: afterBen });
      expect(await run('reinflate', '--until', time(afterBen))).toMatchObject({ code: 0 });
      expect(await userNames()).not.toContain('cleo');
    });
  });
});
