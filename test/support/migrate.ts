import { migratePostgres } from '../../src/store/dialect/postgres/migrate.ts';
import { migrateSqlite } from '../../src/store/dialect/sqlite/migrate.ts';
import type { MigrateOptions, Migration } from '../../src/store/migrations.ts';
import type { Target } from '../../src/store/open.ts';

/** Brings an index to the schema that these migrations make. */
export function migrate(
  target: Target,
  migrations?: readonly Migration[],
  through?: MigrateOptions['through'],
): Promise<void> {
  const options = { ...(migrations && { migrations }), ...(through && { through }) };
  return target.engine === 'sqlite'
    ? migrateSqlite(target.path, () => 1_000, options)
    : migratePostgres(target.url.reveal(), () => 1_000, options);
}
