// The process ends at every file operation and at every transaction, in turn: a restart needs no hand, and
// nothing that was flushed is lost.
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { FileSystem } from '../../src/library/files/file-system.ts';
import { openFolderFiles } from '../../src/library/files/folder-files.ts';
import { type FlushDeps, flushJournal } from '../../src/library/journal/flush.ts';
import { compactJournal, foldJournal, keepMergedMs } from '../../src/library/journal/fold.ts';
import { joinLibrary } from '../../src/library/library.ts';
import type { Target } from '../../src/store/open.ts';
import { createStore } from '../../src/store/store.ts';
import { TestClock } from '../support/clock.ts';
import { isDeep, sampleOf } from '../support/depth.ts';
import { type Engine, onEachEngine, onOneEngine, useEngine } from '../support/engines.ts';
import { CrashError, type Faults, forEachFault } from '../support/faults.ts';
import { faultyDatabase } from '../support/faulty-database.ts';
import { faultyFileSystem, losses } from '../support/faulty-file-system.ts';
import {
  folderFiles,
  type OpenedPair,
  openPair,
  randomText,
  reinflateInto,
  temporaryFolder,
} from '../support/library.ts';

const day = 24 * 3600 * 1000;
/** Where the library is rebuilt to see what it holds; SQLite, whatever the engine that wrote it. */
const elsewhere = useEngine('sqlite');
/** The libraries of the scenes. */
const madeIn: string[] = [];
afterAll(() => {
  for (const folder of madeIn) rmSync(folder, { recursive: true, force: true });
});

type Work = (deps: FlushDeps) => Promise<unknown>;

const works: [name: string, work: Work][] = [
  ['a flush', (deps) => flushJournal(deps, 'doomed')],
  ['a fold', (deps) => foldJournal(deps, 'doomed')],
  ['a compaction', (deps) => compactJournal(deps, 'doomed')],
  ['a flush of every row', (deps) => flushJournal(deps, 'doomed', { everyRow: true })],
  [
    'the removal of merged segments',
    async (deps) => {
      await foldJournal({ ...deps, now: () => deps.now() - keepMergedMs }, 'doomed');
      await foldJournal(deps, 'doomed', deps.now());
    },
  ],
];

onOneEngine('sqlite', 'a crash at a file operation', (engine) => {
  const sparsely = { stride: isDeep ? 1 : 2 };
  const cases = works.flatMap(([name, work]) => losses.map((loss) => ({ name, work, loss })));

  it.each(sampleOf(cases, 3))(
    'of $name, which takes $loss with it, loses nothing that was flushed',
    async ({ work, loss }) => {
      await forEachFault(
        { kind: 'crash' },
        async (faults) => {
          const scene = await setScene(engine);
          const fileSystem = faultyFileSystem(faults);
          await untilCrash(workOn(scene, fileSystem, work));
          fileSystem.lose(loss);
          await expectNothingLost(scene);
        },
        // Each loss tries other operations.
        { ...sparsely, offset: losses.indexOf(loss) },
      );
    },
  );

  it.each(works)(
    'of %s: a disk that fails to sync fails the work, and the next one is whole',
    async (_name, work) => {
      await forEachFault(
        { kind: 'EIO', only: ['fsync', 'fsync-folder'] },
        async (faults) => {
          const scene = await setScene(engine);
          const done = await workOn(scene, faultyFileSystem(faults), work).then(
            () => true,
            () => false,
          );
          expect(done).toBe(faults.fired === undefined);
          await expectNothingLost(scene);
        },
        sparsely,
      );
    },
  );

  it.each(doomed(works.slice(1)))(
    'or at a transaction of $name, $moment it, loses nothing',
    async ({ work, moment }) => {
      await forEachFault({ kind: 'crash', moment }, (faults) => crashAtTransaction(engine, work, faults));
    },
  );
});

onEachEngine('a crash at a transaction', (engine) => {
  it.each(doomed(works.slice(0, 1)))(
    'of $name, $moment it, loses nothing that was flushed',
    async ({ work, moment }) => {
      await forEachFault({ kind: 'crash', moment }, (faults) => crashAtTransaction(engine, work, faults));
    },
  );
});

function doomed(some: readonly (readonly [string, Work])[]) {
  return some.flatMap(([name, work]) =>
    (['before', 'after'] as const).map((moment) => ({ name, work, moment })),
  );
}

async function crashAtTransaction(engine: Engine, work: Work, faults: Faults): Promise<void> {
  const scene = await setScene(engine);
  await untilCrash(work(doomedDeps(scene.pair, scene.clock, faults)));
  await expectNothingLost(scene);
}

async function workOn({ folder, clock, pair }: Scene, fileSystem: FileSystem, work: Work): Promise<void> {
  const files = await openFolderFiles(folder, { now: clock.now, randomText, fileSystem });
  const library = await joinLibrary({ files, index: pair.store.index, randomText });
  await work({ ...pair.flushDeps, library });
}

function doomedDeps(pair: OpenedPair, clock: TestClock, faults: Faults): FlushDeps {
  const { journal, leases } = createStore(faultyDatabase(pair.database, faults), clock.now);
  return { ...pair.flushDeps, journal, leases };
}

interface Scene {
  readonly clock: TestClock;
  readonly folder: string;
  readonly target: Target;
  readonly pair: OpenedPair;
  readonly flushed: string;
  readonly all: string;
}

interface MadeScene {
  readonly folder: string;
  readonly target: Target;
  readonly at: number;
  readonly flushed: string;
  readonly all: string;
}

const made = new Map<Engine, Promise<MadeScene>>();

/** Made once per suite; each crash gets its own copy. */
async function setScene(engine: Engine): Promise<Scene> {
  const making = made.get(engine) ?? makeScene(engine);
  made.set(engine, making);
  const scene = await making;
  const folder = await temporaryFolder();
  cpSync(scene.folder, folder, { recursive: true });
  return openScene({ ...scene, folder, target: await engine.freshTarget({ copyOf: scene.target }) });
}

async function openScene(scene: MadeScene): Promise<Scene> {
  const clock = new TestClock(scene.at);
  const pair = await openPair(scene.target, await folderFiles(scene.folder, clock), clock);
  return { ...scene, clock, pair };
}

/** Two days of sets in the library, with rows that came, changed and went, and one change that is not there yet. */
async function makeScene(engine: Engine): Promise<MadeScene> {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-library-'));
  madeIn.push(folder);
  const clock = new TestClock();
  const target = await engine.freshTarget();
  const pair = await openPair(target, await folderFiles(folder, clock), clock);
  const anna = await pair.store.users.create({ username: 'anna', passwordHash: null, role: 'owner' });
  const { groups } = pair.store.forUser(anna.id);
  for (const name of ['a', 'b']) {
    const group = await groups.create({ name });
    await pair.flush();
    await groups.rename(group.id, { name: `${name} renamed` });
    const gone = await groups.create({ name: 'gone' });
    await pair.flush();
    await groups.delete(gone.id);
    await pair.flush();
    clock.advance(day);
  }
  const flushed = (await pair.store.stateHash()).hash;
  await groups.create({ name: 'not flushed yet' });
  const all = (await pair.store.stateHash()).hash;
  await pair.close();
  return { folder, target, at: clock.now(), flushed, all };
}

async function untilCrash(work: Promise<unknown>): Promise<void> {
  await work.catch((error) => {
    if (!(error instanceof CrashError)) throw error;
  });
}

async function expectNothingLost({ clock, folder, target, pair, flushed, all }: Scene): Promise<void> {
  await pair.close();
  // Were the index gone now, too, the library would give back one state or the other.
  expect([flushed, all]).toContain(await rebuiltState(folder, clock));

  // The index is still there: a restart works, writes the rest, and leaves a library that is whole.
  const again = await openPair(target, await folderFiles(folder, clock), clock);
  again.database.timeOffsetMs = () => 60_000; // the lease of the process that ended has run out
  await again.flush();
  await foldJournal(again.flushDeps, 'test', clock.now());
  expect((await again.store.stateHash()).hash).toBe(all);
  await again.close();
  expect(await rebuiltState(folder, clock)).toBe(all);
}

async function rebuiltState(folder: string, clock: TestClock): Promise<string> {
  const copy = await temporaryFolder();
  cpSync(folder, copy, { recursive: true });
  const files = await folderFiles(copy, clock);
  // At the present schema, since a migration for each crash would take longer than everything else.
  const target = await elsewhere.freshTarget();
  await reinflateInto(target, files);
  const pair = await openPair(target, files, clock);
  try {
    return (await pair.store.stateHash()).hash;
  } finally {
    await pair.close();
  }
}
