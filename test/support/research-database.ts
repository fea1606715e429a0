// A database as Research has it on the disk of somebody who reads PDFs.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { onTestFinished } from 'vitest';
import type { OwnFiles } from '../../src/store/research/own-files.ts';

/** For suites that are not about the files of Lectern itself. */
export const noOwnFiles: OwnFiles = { home: '/no/such/home', database: { engine: 'postgres' } };

export interface ResearchFile {
  readonly path: string;
  /** Statements in the words of Research. */
  run(sql: string): void;
}

export function researchDatabase(): ResearchFile {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-research-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'research.db');
  const run = (sql: string) => {
    const db = new DatabaseSync(path);
    db.exec(sql);
    db.close();
  };
  run(`
    CREATE TABLE items (id TEXT PRIMARY KEY, title TEXT, deleted_at TEXT);
    CREATE TABLE annotations (id TEXT PRIMARY KEY, item_id TEXT, content TEXT, color TEXT, position TEXT, deleted_at TEXT);
    CREATE TABLE comments (id TEXT PRIMARY KEY, annotation_id TEXT, content TEXT, deleted_at TEXT);
    CREATE TABLE notes (id TEXT PRIMARY KEY, item_id TEXT, content TEXT, deleted_at TEXT);
    INSERT INTO items VALUES ('i1', 'A paper', NULL), ('i2', 'Another', NULL);
    INSERT INTO annotations VALUES
      ('a1', 'i1', '{"text":"a passage"}', '#ff0', '{"boundingRect":{"pageNumber":3}}', NULL),
      ('a2', 'i1', '{"text":"a second"}', NULL, '{"boundingRect":{"pageNumber":4}}', NULL);
    INSERT INTO comments VALUES ('c1', 'a1', 'said', NULL);
    INSERT INTO notes VALUES ('n1', 'i2', 'noted', NULL);`);
  return { path, run };
}
