// What a file is found to be. Nothing of it may change by being looked at.
import { copyFileSync, mkdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, inject, it } from 'vitest';
import { detectDatabase } from '../../src/store/legacy/detect.ts';
import { filesOf, temporaryPlace } from '../support/importing.ts';
import { makeCurrentDatabase, makeLegacyDatabase } from '../support/legacy-database.ts';

type Make = (path: string) => void;

function plain(sql: string): Make {
  return (path) => {
    const db = new DatabaseSync(path);
    db.exec(sql);
    db.close();
  };
}

/** Everything still in the WAL, as a process leaves it that was killed. */
function inWal(make: (path: string) => void): Make {
  return (path) => {
    const before = `${path}.before`;
    make(before);
    const db = new DatabaseSync(before);
    db.exec('PRAGMA journal_mode = WAL; CREATE TABLE more (id INTEGER); INSERT INTO more VALUES (1)');
    for (const suffix of ['', '-wal']) copyFileSync(before + suffix, path + suffix);
    db.close();
  };
}

it.each<[what: string, make: Make, expected: object]>([
  ['no file', () => {}, { kind: 'none' }],
  ['an empty file', (path) => writeFileSync(path, ''), { kind: 'none' }],
  ['a database without tables', plain('PRAGMA user_version = 1'), { kind: 'none' }],
  ['an index of ours', (path) => copyFileSync(inject('sqliteTemplate'), path), { kind: 'lectern' }],
  ['the legacy schema', (path) => makeLegacyDatabase(path, {}), { kind: 'legacy', version: 0 }],
  ['the legacy schema in a WAL', inWal((path) => makeLegacyDatabase(path, {})), { kind: 'legacy' }],
  ['the first schema of now', (path) => makeCurrentDatabase(path, 1, {}), { kind: 'current', version: 1 }],
  ['the second', (path) => makeCurrentDatabase(path, 2, {}), { kind: 'current', version: 2 }],
  ['the third', (path) => makeCurrentDatabase(path, 3, {}), { kind: 'current', version: 3 }],
  ['the third in a WAL', inWal((path) => makeCurrentDatabase(path, 3, {})), { kind: 'current', version: 3 }],
  [
    'one that a migration of theirs was interrupted on',
    (path) => {
      makeLegacyDatabase(path, {});
      plain('CREATE TABLE schema_migrations (version INTEGER PRIMARY KEY, applied_at INTEGER)')(path);
    },
    { kind: 'legacy' },
  ],
  [
    'one with but one column of the legacy schema',
    (path) => {
      makeCurrentDatabase(path, 3, {});
      plain('ALTER TABLE feeds ADD COLUMN req_proxy text')(path);
    },
    { kind: 'legacy' },
  ],
  [
    'a schema that is newer than we know',
    (path) => {
      makeCurrentDatabase(path, 3, {});
      plain('INSERT INTO schema_migrations (version) VALUES (4)')(path);
    },
    { kind: 'foreign', why: expect.stringContaining('schema 4') },
  ],
  [
    'tables of the same names and nothing else of them',
    plain('CREATE TABLE groups (id); CREATE TABLE feeds (id); CREATE TABLE items (id)'),
    { kind: 'foreign', why: expect.stringContaining('not as any version') },
  ],
  [
    'another program',
    plain('CREATE TABLE diary (id)'),
    { kind: 'foreign', why: expect.stringContaining('neither') },
  ],
  [
    'a text',
    (path) => writeFileSync(path, 'Dear diary, '.repeat(500)),
    { kind: 'foreign', why: 'is not a SQLite database' },
  ],
  ['a folder', (path) => mkdirSync(path), { kind: 'foreign', why: 'is a folder' }],
  [
    'a database that was cut off',
    (path) => {
      makeLegacyDatabase(path, {});
      truncateSync(path, 600);
    },
    { kind: 'foreign', why: expect.stringContaining('damaged') },
  ],
])('finds %s', async (_what, make, expected) => {
  const path = join(temporaryPlace(), 'index.db');
  make(path);
  const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  const before = isFile ? filesOf(path) : {};
  expect(await detectDatabase(path)).toMatchObject(expected);
  // Only a look at what is in a WAL leaves something behind, which SQLite makes anew each time.
  if (isFile) expect(filesOf(path)).toMatchObject(before);
  if (isFile && before['index.db-wal'] === undefined) expect(filesOf(path)).toEqual(before);
});

it('finds ours while it is written to', async () => {
  const path = join(temporaryPlace(), 'index.db');
  copyFileSync(inject('sqliteTemplate'), path);
  const db = new DatabaseSync(path);
  db.exec("INSERT INTO meta (key, value) VALUES ('a', 'b'); BEGIN IMMEDIATE");
  expect(await detectDatabase(path)).toEqual({ kind: 'lectern' });
  db.close();
});

it('finds a file whatever it is called', async () => {
  const path = join(temporaryPlace(), 'my feeds #1? 100% é.db');
  makeCurrentDatabase(path, 3, {});
  expect(await detectDatabase(path)).toEqual({ kind: 'current', version: 3 });
});
