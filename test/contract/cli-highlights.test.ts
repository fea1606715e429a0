// Highlights on the command line: synchronised, imported, exported and purged.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { onOneEngine } from '../support/engines.ts';
import { databaseUrl, useLectern } from '../support/lectern-process.ts';

const clippings = `Walden (Henry David Thoreau)
- Your Highlight on page 12 | Location 170-172 | Added on Monday, March 3, 2025 8:01:02 PM

Simplify, simplify.
==========
`;

onOneEngine('sqlite', 'highlights on the command line', (engine) => {
  const lectern = useLectern(afterAll);
  const folder = mkdtempSync(join(tmpdir(), 'lectern-test-'));
  const research = join(folder, 'research.db');
  let env: Record<string, string>;

  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  beforeAll(async () => {
    env = { LECTERN_DATABASE_URL: databaseUrl(await engine.freshTarget()) };
    await lectern.run(['user', 'add', 'anna', '--password-stdin'], { env, stdin: 'a quiet place to read' });
    inResearch(`CREATE TABLE items (id TEXT, title TEXT, deleted_at TEXT);
      CREATE TABLE annotations (id TEXT, item_id TEXT, content TEXT, color TEXT, position TEXT, deleted_at TEXT);
      CREATE TABLE comments (id TEXT, annotation_id TEXT, content TEXT, deleted_at TEXT);
      CREATE TABLE notes (id TEXT, item_id TEXT, content TEXT, deleted_at TEXT);
      INSERT INTO items VALUES ('i', 'A paper', NULL);
      INSERT INTO annotations VALUES ('a', 'i', '{"text":"a finding"}', 'yellow', '{"boundingRect":{"pageNumber":3}}', NULL);
      INSERT INTO comments VALUES ('c', 'a', 'is it so?', NULL);
      INSERT INTO notes VALUES ('n', 'i', 'to be read again', NULL);`);
  });

  const run = (...args: string[]) => lectern.run(args, { env });
  function inResearch(statements: string): void {
    const db = new DatabaseSync(research);
    db.exec(statements);
    db.close();
  }

  it('brings them in step with Research, and lets go of old replicas when it is told to', async () => {
    const planned = await run('sync', 'research', '--db', research, '--dry-run');
    expect(planned).toMatchObject({ code: 0, stderr: '' });
    expect(planned.stdout).toMatch(/^annotations +1 +0 +0 +0$/m);
    expect(planned.stdout).toMatch(/\nNothing was changed\.\n$/);

    const done = JSON.parse((await run('sync', 'research', '--db', research, '--json')).stdout);
    expect(Object.keys(done)).toHaveLength(16);
    expect(done).toMatchObject({
      resources_created: 1,
      annotations_created: 1,
      comments_created: 1,
      notes_created: 1,
    });

    inResearch(`UPDATE annotations SET deleted_at = '2026-01-01T00:00:00Z'`);
    const again = JSON.parse((await run('sync', 'research', '--db', research, '--json')).stdout);
    expect(again).toMatchObject({ resources_unchanged: 1, annotations_deleted: 1, comments_deleted: 1 });

    expect(await run('highlights', 'purge', '--older-than', 'x')).toMatchObject({ code: 1 });
    const kept = JSON.parse((await run('highlights', 'purge', '--older-than', '1', '--json')).stdout);
    expect(kept).toEqual({ resources: 0, annotations: 0, comments: 0, notes: 0 });
    const gone = JSON.parse((await run('highlights', 'purge', '--older-than', '0', '--json')).stdout);
    expect(gone).toEqual({ resources: 0, annotations: 1, comments: 1, notes: 0 });
  });

  it('does not read Research while earlier changes cannot be written to the library', async () => {
    const target = await engine.freshTarget();
    const library = join(folder, 'library');
    mkdirSync(library);
    writeFileSync(join(library, 'journal'), 'no folder');
    const full = { LECTERN_DATABASE_URL: databaseUrl(target), LECTERN_LIBRARY_URL: `file:${library}` };
    const add = ['user', 'add', 'anna', '--password-stdin'];
    expect(await lectern.run(add, { env: full, stdin: 'a quiet place to read' })).toMatchObject({ code: 1 });
    expect(await lectern.run(['sync', 'research', '--db', research], { env: full })).toMatchObject({
      code: 1,
    });
    const index = new DatabaseSync(databaseUrl(target).replace(/^sqlite:/, ''), { readOnly: true });
    onTestFinished(() => index.close());
    expect(index.prepare('SELECT count(*) AS n FROM users').get()).toEqual({ n: 1 });
    expect(index.prepare('SELECT count(*) AS n FROM resources').get()).toEqual({ n: 0 });
  });

  it('says what is wrong with a file, and changes nothing', async () => {
    writeFileSync(join(folder, 'text.db'), 'no database');
    const failed = await run('sync', 'research', '--db', join(folder, 'text.db'));
    expect(failed).toMatchObject({ code: 1, stdout: '' });
    expect(failed.stderr).toMatch(/text\.db is not a SQLite database/);
  });

  it('takes in a file once, and writes all of them as one document', async () => {
    const file = join(folder, 'My Clippings.txt');
    writeFileSync(file, clippings);
    const first = JSON.parse((await run('import', 'kindle', file, '--json')).stdout);
    expect(first).toMatchObject({ resources_created: 1, annotations_created: 1, skipped: [] });
    const second = JSON.parse((await run('import', 'kindle', file, '--json')).stdout);
    expect(second).toMatchObject({ annotations_created: 0, annotations_unchanged: 1 });

    const output = join(folder, 'highlights.md');
    expect(await run('export', 'highlights', '-o', output)).toMatchObject({
      code: 0,
      stdout: '',
      stderr: '',
    });
    expect(readFileSync(output, 'utf8')).toMatch(/Walden.*> Simplify, simplify\./s);
    const w3c = JSON.parse((await run('export', 'highlights', '--format', 'w3c')).stdout);
    expect(JSON.stringify(w3c)).toContain('Simplify, simplify.');
  });
});
