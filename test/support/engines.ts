// Suites that run on both engines: a SQLite file and a database of the real PostgreSQL, each fresh for its file.
import { randomUUID } from 'node:crypto';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, inject } from 'vitest';
import { Secret } from '../../src/model/secret.ts';
import type { Database } from '../../src/store/database.ts';
import { openDatabase, type Target } from '../../src/store/open.ts';
import { createStore, type Store } from '../../src/store/store.ts';
import { TestClock } from './clock.ts';
import { emptyIndex } from './empty-index.ts';
import { type EngineName, engines } from './engine-names.ts';
import { createDatabase, dropDatabase } from './postgres-server.ts';
import { isListedAsSingle } from './single-engine-suites.ts';

export { type EngineName, engines } from './engine-names.ts';

export interface Engine {
  readonly name: EngineName;
  /**
   * A new index: migrated; with `empty`, without a schema; with `copyOf`, a copy of that index, which must be closed.
   */
  freshTarget(options?: { empty?: boolean; copyOf?: Target }): Promise<Target>;
  /** The index that the tests of this suite share, without any rows. */
  emptyDatabase(): Promise<{ database: Database; target: Target }>;
}

/** Runs the suite on the engines of its level (test/levels.ts): both, or in `npm test` some levels on SQLite only. */
export function onEachEngine(title: string, suite: (engine: Engine) => void): void {
  for (const name of inject('engines')) describe(`${name}: ${title}`, () => suite(useEngine(name)));
}

/** Runs the suite on both engines in every run, whatever its level. */
export function onBothEngines(title: string, suite: (engine: Engine) => void): void {
  for (const name of engines) describe(`${name}: ${title}`, () => suite(useEngine(name)));
}

/** For what exists on one engine only. The suite must stand in single-engine-suites.ts, with its reason. */
export function onOneEngine(name: EngineName, title: string, suite: (engine: Engine) => void): void {
  if (!isListedAsSingle(name, title)) {
    throw new Error(`"${title}" runs on ${name} alone and is not listed in single-engine-suites.ts`);
  }
  describe(`only ${name}: ${title}`, () => suite(useEngine(name)));
}

/** Opens a fresh store for the whole suite and closes it after. */
export async function openFreshStore(
  engine: Engine,
  clock = new TestClock(),
): Promise<{ store: Store; database: Database; clock: TestClock; target: Target }> {
  const target = await engine.freshTarget();
  return { ...(await openStoreAt(target, clock)), clock, target };
}

/**
 * An empty store for each test, to call in `beforeEach`. The tests of a suite share one database, which is emptied
 * between them and closed after the last one: opening a database takes longer than most tests.
 */
export async function openEmptyStore(
  engine: Engine,
  clock = new TestClock(),
): Promise<{ store: Store; database: Database; clock: TestClock; target: Target }> {
  const { database, target } = await engine.emptyDatabase();
  return { store: createStore(database, clock.now), database, clock, target };
}

/** The index of an engine once more, as a process that is started again does. */
export async function openStoreAt(
  target: Target,
  clock: TestClock,
): Promise<{ store: Store; database: Database }> {
  const database = await openDatabase(target, { now: clock.now, onIdleError: () => {} });
  return { store: createStore(database, clock.now), database };
}

export function useEngine(name: EngineName): Engine {
  const clean: (() => Promise<void> | void)[] = [];
  afterAll(async () => {
    for (const step of clean.reverse()) await step();
  });

  let shared: { database: Database; target: Target } | undefined;

  const engine: Engine = {
    name,
    async emptyDatabase() {
      if (shared) {
        await emptyIndex(shared.database);
        return shared;
      }
      const target = await engine.freshTarget();
      const database = await openDatabase(target, { now: Date.now, onIdleError: () => {} });
      clean.push(() => database.close());
      shared = { database, target };
      return shared;
    },
    async freshTarget({ empty = false, copyOf } = {}) {
      if (name === 'sqlite') {
        const folder = mkdtempSync(join(tmpdir(), 'lectern-test-'));
        clean.push(() => rmSync(folder, { recursive: true, force: true }));
        const path = join(folder, 'index.db');
        const template = copyOf?.engine === 'sqlite' ? copyOf.path : inject('sqliteTemplate');
        if (!empty) copyFileSync(template, path);
        return { engine: 'sqlite', path };
      }
      const admin = inject('postgresUrl');
      const database = `test_${randomUUID().replaceAll('-', '')}`;
      const template =
        copyOf?.engine === 'postgres' ? new URL(copyOf.url.reveal()).pathname.slice(1) : 'lectern_template';
      await createDatabase(admin, database, empty ? 'template0' : template);
      clean.push(() => dropDatabase(admin, database));
      const url = Object.assign(new URL(admin), { pathname: `/${database}` }).href;
      return { engine: 'postgres', url: new Secret(url), shown: url };
    },
  };
  return engine;
}
