// One PostgreSQL server for the whole run, with a migrated database that every test file clones; and a migrated SQLite
// file that they copy.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { migratePostgres } from '../../src/store/dialect/postgres/migrate.ts';
import { migrateSqlite } from '../../src/store/dialect/sqlite/migrate.ts';
import { removeMemoryFolder } from './memory-folder.ts';
import { startPostgres } from './postgres-server.ts';

export const templateDatabase = 'lectern_template';

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string;
    sqliteTemplate: string;
  }
}

export default async function setup(project: TestProject) {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-template-'));
  const sqliteTemplate = join(folder, 'index.db');
  await migrateSqlite(sqliteTemplate, () => 0);
  const server = await startPostgres();
  try {
    await server.createDatabase(templateDatabase);
    await migratePostgres(server.urlOf(templateDatabase), () => 0);
  } catch (error) {
    await server.stop();
    throw error;
  }
  project.provide('postgresUrl', server.url);
  project.provide('sqliteTemplate', sqliteTemplate);
  return async () => {
    rmSync(folder, { recursive: true, force: true });
    await server.stop();
    removeMemoryFolder();
  };
}
