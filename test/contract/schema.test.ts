// What the two engines hold is the same, and it is what the typed tables say.
import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { untypedTables } from '../../src/store/durable.ts';
import { onEachEngine, openFreshStore } from '../support/engines.ts';

onEachEngine('the schema', (engine) => {
  it('has the tables and columns that tables.ts declares, and no others', async () => {
    const { database } = await openFreshStore(engine);
    try {
      const listing =
        engine.name === 'sqlite'
          ? sql<{
              name: string;
            }>`SELECT m.name || '.' || c.name AS name FROM sqlite_schema m, pragma_table_info(m.name) c
              WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'`
          : sql<{
              name: string;
            }>`SELECT table_name || '.' || column_name AS name FROM information_schema.columns
              WHERE table_schema = 'public'`;
      const columns = (await listing.execute(database.read)).rows.map((row) => row.name);
      const ours = columns.filter((name) => !untypedTables.some((table) => name.startsWith(table)));
      expect(ours.sort()).toEqual(declaredColumns().sort());
    } finally {
      await database.close();
    }
  });
});

const parts = ['tables', 'deframer/deframer-tables', 'owned/highlights/highlight-tables'];

/** Every `table.column` of the interfaces in tables.ts and its parts, read from their source. */
function declaredColumns(): string[] {
  const members = new Map<string, Map<string, string>>();
  for (const part of parts) {
    const file = new URL(`../../src/store/${part}.ts`, import.meta.url);
    const source = ts.createSourceFile(part, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
    for (const statement of source.statements.filter(ts.isInterfaceDeclaration)) {
      const fields = statement.members.filter(ts.isPropertySignature);
      members.set(
        statement.name.text,
        new Map(fields.map((field) => [field.name.getText(source), field.type?.getText(source) ?? ''])),
      );
    }
  }
  return ['Tables', 'DeframerTables', 'HighlightTables'].flatMap((name) =>
    [...(members.get(name) ?? [])].flatMap(([table, type]) =>
      [...(members.get(type) ?? [])].map(([column]) => `${table}.${column}`),
    ),
  );
}
