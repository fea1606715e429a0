// The migrations of one engine, read from their files. Numbers are the same on both engines (a test checks).
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { StartupError } from '../errors.ts';

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

const folder = new URL('../../migrations/', import.meta.url);

export function readMigrations(engine: 'sqlite' | 'postgres', from: URL = folder): Migration[] {
  const files = readdirSync(fileURLToPath(new URL(`${engine}/`, from))).filter((file) =>
    file.endsWith('.sql'),
  );
  return files.sort().map((file, index) => {
    const [, digits, name] = /^(\d{4})_([a-z0-9_]+)\.sql$/.exec(file) ?? [];
    const version = Number(digits);
    if (name === undefined || version !== index + 1) {
      throw new Error(
        `migrations/${engine}/${file}: expected ${String(index + 1).padStart(4, '0')}_name.sql`,
      );
    }
    return { version, name, sql: readFileSync(new URL(`${engine}/${file}`, from), 'utf8') };
  });
}

/** What is still to be applied. A schema from a newer Lectern is refused: we do not know what it means. */
export function pendingMigrations(migrations: readonly Migration[], applied: number): Migration[] {
  const known = migrations.at(-1)?.version ?? 0;
  if (applied > known) {
    throw new StartupError(
      `The index has schema ${applied}, and this Lectern knows schemas up to ${known}: it was last opened by a newer Lectern. ` +
        'Upgrade this one, or point LECTERN_DATABASE_URL at another index.',
    );
  }
  return migrations.filter((migration) => migration.version > applied);
}
