// Documents that are made from the code, or that speak about it, must not drift from it.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { apiDescription, apiDescriptionFile } from '../scripts/api-description.ts';
import { readConfig } from '../src/config.ts';
import { readMigrations } from '../src/store/migrations.ts';

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

it('docs/openapi.yaml is what the routes say (else: npm run openapi)', () => {
  expect(readFileSync(apiDescriptionFile, 'utf8')).toBe(apiDescription());
});

it('README.md lists every setting that exists and none that does not', () => {
  const asked = new Set<string>();
  readConfig(
    new Proxy(
      {},
      {
        get: (_env, name) => {
          asked.add(String(name));
          return undefined;
        },
      },
    ),
  );
  const listed = read('README.md').match(/\b(LECTERN_[A-Z0-9_]+|AI_[A-Z_]+|DB_PASSWORD)\b/g) ?? [];
  expect([...new Set(listed)].sort()).toEqual([...asked].sort());
});

it('docs/data-model.md names every table that exists', () => {
  const named = (pattern: RegExp) =>
    readMigrations('sqlite').flatMap(({ sql }) => [...sql.matchAll(pattern)].map(([, name]) => name));
  const renamed = named(/ALTER TABLE (\w+) RENAME TO/g);
  const tables = named(/CREATE TABLE (\w+)/g).filter((name) => !renamed.includes(name));
  const text = read('docs/data-model.md');
  expect(tables.filter((table) => !text.includes(`\`${table}\``))).toEqual([]);
});
