// Copies by the commands of docs/backup.md while the library is written and merged. Each copy restores a state that the library had
// during the copy. LECTERN_TEST_SCALE=17 makes 51 copies on each engine.
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { restoreFiles } from '../../src/items/restore-files.ts';
import { checkFiles } from '../../src/library/check.ts';
import { compactJournal, foldJournal } from '../../src/library/journal/fold.ts';
import { readSets } from '../../src/library/journal/sets.ts';
import { TestClock } from '../support/clock.ts';
import { propertyRuns } from '../support/depth.ts';
import { onEachEngine, useEngine } from '../support/engines.ts';
import { readGuideCommands } from '../support/guide-commands.ts';
import { missingPrograms } from '../support/installed.ts';
import { changeItem, findItem, jobsOf, keepCopy, saveItem } from '../support/items.ts';
import {
  folderFiles,
  type OpenedPair,
  openPair,
  reinflateInto,
  temporaryFolder,
} from '../support/library.ts';

const day = 86_400_000;
/** Enough segments that a copy takes longer than several flushes. */
const firstFlushes = 150;
/** All three programs in each round. */
const { numRuns: rounds } = propertyRuns(1);
const programs = ['rsync', 'restic', 'borg'] as const;

interface Flush {
  readonly ordinal: number;
  readonly hash: string;
}

interface Copy {
  readonly program: string;
  readonly folder: string;
  /** The flushes of which one must be the last in the copy. */
  readonly flushes: readonly Flush[];
}

const elsewhere = useEngine('sqlite');

onEachEngine('copies of a library that is written and merged', (engine) => {
  it('restore a state that the library had during the copy, with all files or a job for each missing one', async (context) => {
    const missing = missingPrograms('bash', ...programs);
    if (missing) context.skip(missing);
    const place = await temporaryFolder();
    const folder = join(place, 'data', 'library');
    mkdirSync(folder, { recursive: true });
    const clock = new TestClock();
    const pair = await openPair(await engine.emptyDatabase(), await folderFiles(folder, clock), clock);
    const writer = new Writer(pair, clock);
    await writer.start(firstFlushes);
    const copies: Copy[] = [];
    for (let round = 0; round < rounds; round++) {
      for (const [n, program] of programs.entries()) {
        // The merges of the last day are over: their segments are deleted during this copy.
        clock.advance(day);
        copies.push(await copyWith(program, n, round === 0, writer, place));
      }
    }
    await writer.stop();
    let queued = 0;
    for (const copy of copies) queued += await checkCopy(copy, clock);
    const during = copies.map(({ flushes }) => flushes.length - 1);
    process.stdout.write(
      `${engine.name}: ${copies.length} copies, ${Math.min(...during)} to ${Math.max(...during)} flushes during each; ` +
        `${writer.merges} merges, ${writer.flushes.length} flushes; ${queued} pages are fetched again\n`,
    );
    expect(Math.max(...during)).toBeGreaterThan(0);
    expect(writer.merges).toBeGreaterThan(copies.length);
  }, 1_200_000);
});

/** Writes rows and files without a pause, flushes, merges, and records the state hash after every flush. */
class Writer {
  readonly flushes: Flush[] = [];
  merges = 0;
  #isStopped = false;
  #work = Promise.resolve();
  readonly #pair: OpenedPair;
  readonly #clock: TestClock;

  constructor(pair: OpenedPair, clock: TestClock) {
    this.#pair = pair;
    this.#clock = clock;
  }

  /** Resolves after the first flushes. Writing goes on until `stop`. */
  async start(count: number): Promise<void> {
    const { store } = this.#pair;
    const { id } = await store.users.create({ username: 'anna', passwordHash: null, role: 'owner' });
    while (this.flushes.length < count) await this.#write(id);
    this.#work = (async () => {
      while (!this.#isStopped) await this.#write(id);
    })();
    // `stop` reports it.
    this.#work.catch(() => {});
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#work;
  }

  async #write(userId: number): Promise<void> {
    const { store, database, library, flushDeps, flush } = this.#pair;
    const { groups } = store.forUser(userId);
    const n = this.flushes.length;
    const kept = await groups.create({ name: `group ${n}` });
    if (n % 3 === 0) await groups.delete(kept.id);
    const id = await saveItem(database, userId, `https://example.org/${n}`);
    const copy = await keepCopy(
      library.files,
      { id, userId },
      { text: `page ${n}`, thumbnail: `picture ${n}` },
    );
    await changeItem(database, id, { ...copy, enrichment_status: 'succeeded' });
    await flush();
    this.flushes.push({
      ordinal: (await store.journal.findLastSet())?.ordinal ?? 0,
      hash: (await store.stateHash()).hash,
    });
    this.#clock.advance(1_000);
    if (n % 40 === 39) await compactJournal(flushDeps, 'test');
    else if (n % 10 === 9) await foldJournal(flushDeps, 'test', this.#clock.now());
    else return;
    this.merges += 1;
  }
}

async function copyWith(
  program: (typeof programs)[number],
  n: number,
  isFirst: boolean,
  writer: Writer,
  place: string,
): Promise<Copy> {
  const commands = readGuideCommands();
  const env = {
    PATH: process.env.PATH,
    HOME: place,
    BACKUP: join(place, 'backup'),
    RESTIC_PASSWORD: 'secret',
  };
  const bash = (text: string, cwd: string) =>
    promisify(execFile)('bash', ['--norc', '-euc', text], { cwd, env, maxBuffer: 1e8 });
  mkdirSync(env.BACKUP, { recursive: true });
  const block = commands.get('Make a backup')?.[n] ?? '';
  expect(block).toContain(program);
  const backup = isFirst ? block : block.replaceAll(/^(restic|borg) init .*$/gm, '');
  const from = writer.flushes.length - 1;
  await bash(backup, place);
  // A flush that is being recorded may be in the copy.
  const to = writer.flushes.length + 1;
  const folder = await temporaryFolder();
  if (program === 'rsync')
    cpSync(join(env.BACKUP, 'library'), join(folder, 'data', 'library'), { recursive: true });
  else await bash(commands.get('Restore')?.[n] ?? '', folder);
  return {
    program,
    folder: join(folder, 'data', 'library'),
    get flushes() {
      return writer.flushes.slice(from, to);
    },
  };
}

/** Returns how many pages are fetched again. */
async function checkCopy({ program, folder, flushes }: Copy, clock: TestClock): Promise<number> {
  const files = await folderFiles(folder, clock);
  const last = (await readSets(files)).sets.at(-1);
  const target = await elsewhere.freshTarget();
  const { setAside } = await reinflateInto(target, files, { now: clock.now });
  const restored = await openPair(target, files, clock);
  try {
    const { store, database } = restored;
    const { hash } = await store.stateHash();
    expect(
      flushes.map((flush) => flush.hash),
      `${program}: ${setAside.length} segments set aside, last ${last?.ordinal}`,
    ).toContain(hash);
    const { queued, lost } = await restoreFiles({ store, files }, { readData: false });
    expect(lost).toEqual([]);
    const fetched = new Set(queued.map(({ itemId }) => itemId));
    for (const itemId of fetched) {
      expect((await findItem(database, itemId)).enrichment_status).toBe('pending');
      expect(await jobsOf(database, String(itemId))).toHaveLength(1);
    }
    for await (const { row, key, what } of checkFiles(files, (table) => store.durableRows(table), {
      readData: true,
    }))
      if (!fetched.has(Number(row.id))) expect(what, `${program}: ${key}`).toBeUndefined();
    return queued.length;
  } finally {
    await restored.close();
  }
}
