// One PostgreSQL server for the whole run, with a migrated database that every test file clones.

import type { TestProject } from 'vitest/node';
import { migratePostgres } from '../../src/store/dialect/postgres/migrate.ts';
import { startPostgres } from './postgres-server.ts';

export const templateDatabase = 'lectern_template';

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string;
  }
}

export default async function setup(project: TestProject) {
  const server = await startPostgres();
  try {
    await server.createDatabase(templateDatabase);
    await migratePostgres(server.urlOf(templateDatabase), () => 0);
  } catch (error) {
    await server.stop();
    throw error;
  }
  project.provide('postgresUrl', server.url);
  return () => server.stop();
}
