// Many ids as one parameter, so that a statement has the same text however many there are.
import { type RawBuilder, sql } from 'kysely';
import type { Database } from './database.ts';

/** To stand after IN. */
export function idList(db: Pick<Database, 'engine'>, ids: readonly number[]): RawBuilder<unknown> {
  const list = JSON.stringify(ids);
  return db.engine === 'sqlite'
    ? sql`(SELECT value FROM json_each(${list}))`
    : sql`(SELECT value::bigint FROM json_array_elements_text(${list}::json))`;
}

export function textList(db: Pick<Database, 'engine'>, texts: readonly string[]): RawBuilder<unknown> {
  const list = JSON.stringify(texts);
  return db.engine === 'sqlite'
    ? sql`(SELECT value FROM json_each(${list}))`
    : sql`(SELECT value FROM json_array_elements_text(${list}::json))`;
}

/** To stand in FROM: rows of two numbers. */
export function numberPairs(
  db: Pick<Database, 'engine'>,
  pairs: readonly (readonly [number, number])[],
  [first, second]: readonly [string, string],
): RawBuilder<unknown> {
  const list = JSON.stringify(pairs);
  const [a, b] = [sql.ref(first), sql.ref(second)];
  return db.engine === 'sqlite'
    ? sql`(SELECT value ->> 0 AS ${a}, value ->> 1 AS ${b} FROM json_each(${list}))`
    : sql`(SELECT (value ->> 0)::bigint AS ${a}, (value ->> 1)::bigint AS ${b} FROM json_array_elements(${list}::json))`;
}
