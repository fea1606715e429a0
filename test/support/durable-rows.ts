// Rows for every durable table, drawn at random: for properties that must hold of all of them.
import fc from 'fast-check';
import { sql } from 'kysely';
import type { Database } from '../../src/store/database.ts';
import { type DurableTable, durableTables, type Row } from '../../src/store/durable.ts';

/** What a step of a history can draw on. */
export interface Draw {
  readonly pick: number;
  readonly text: string;
}

type Live = ReadonlyMap<string, readonly Row[]>;

interface Generator {
  /** A new row without its counted id, or undefined when it needs another row first. */
  insert(draw: Draw, live: Live): Row | undefined;
  change(draw: Draw): Row;
  /** Tables whose rows name a row of this one: while there are any, it stays. */
  readonly namedBy: readonly string[];
}

const anyOf = (rows: readonly Row[] | undefined, pick: number) =>
  rows?.length ? rows[pick % rows.length] : undefined;

/** One for each durable table: a table without one fails the suite. */
export const generators: Readonly<Record<string, Generator>> = {
  users: {
    insert: ({ pick, text }) => ({
      username: `u${pick}${text}`,
      password_hash: pick % 3 === 0 ? null : text,
      role: pick % 7 === 0 ? 'owner' : 'member',
      oidc_subject: pick % 2 === 0 ? null : text,
      created_at: pick,
      updated_at: pick,
    }),
    change: ({ pick, text }) => ({ username: `v${text}`, updated_at: pick * 1_000_000_000 }),
    namedBy: ['tokens', 'groups'],
  },
  tokens: {
    insert: ({ pick, text }, live) => {
      const user = anyOf(live.get('users'), pick);
      return (
        user && {
          user_id: user.id,
          name: text,
          scope: pick % 2 === 0 ? 'read' : 'write',
          secret_sha256: `${pick} ${text}`,
          fever_sha256: text,
          created_at: pick,
        }
      );
    },
    change: ({ text }) => ({ name: text, fever_sha256: `f${text}` }),
    namedBy: [],
  },
  groups: {
    insert: ({ pick, text }, live) => {
      const user = anyOf(live.get('users'), pick);
      return (
        user && {
          user_id: user.id,
          name: text,
          is_default: pick % 5 === 0 ? 1 : 0,
          created_at: pick,
          updated_at: pick,
        }
      );
    },
    // Few names, so that they pass from one row to another.
    change: ({ pick }) => ({ name: ['a', 'b', 'c'][pick % 3], updated_at: pick }),
    namedBy: [],
  },
};

export type Step =
  | { readonly do: 'insert' | 'update' | 'delete' | 'move'; readonly table: number; readonly draw: Draw }
  | { readonly do: 'flush' | 'fold' | 'compact' };

export const drawStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constantFrom('insert', 'insert', 'insert', 'update', 'update', 'delete', 'move'),
      table: fc.nat({ max: durableTables.length - 1 }),
      draw: fc.record({ pick: fc.nat({ max: 1000 }), text: fc.string({ unit: 'binary', maxLength: 8 }) }),
    }),
  },
  { weight: 3, arbitrary: fc.constant({ do: 'flush' } as const) },
  { weight: 1, arbitrary: fc.constantFrom({ do: 'fold' } as const, { do: 'compact' } as const) },
) as fc.Arbitrary<Step>;

/** Makes the change that a step draws. One that the schema refuses changes nothing, and is part of the history. */
export async function change(db: Database, step: Extract<Step, { table: number }>): Promise<void> {
  const table = durableTables[step.table] as DurableTable;
  const generator = generators[table.name];
  if (!generator) throw new Error(`${table.name} has no generator in durable-rows.ts`);
  try {
    await db.write(async (trx) => {
      const live = new Map<string, Row[]>();
      for (const { name } of durableTables) {
        live.set(name, (await sql<Row>`SELECT * FROM ${sql.table(name)} ORDER BY id`.execute(trx)).rows);
      }
      const row = anyOf(live.get(table.name), step.draw.pick);
      if (step.do === 'insert') {
        const drawn = generator.insert(step.draw, live);
        if (drawn)
          await sql`INSERT INTO ${sql.table(table.name)} (${names(drawn)}) VALUES (${values(drawn)})`.execute(
            trx,
          );
      } else if (row && step.do === 'update') {
        await sql`UPDATE ${sql.table(table.name)} SET ${assignments(generator.change(step.draw))} WHERE id = ${row.id}`.execute(
          trx,
        );
      } else if (row && step.do === 'move' && generator.namedBy.length === 0) {
        await sql`UPDATE ${sql.table(table.name)} SET id = ${Number(row.id) + 1 + (step.draw.pick % 3)} WHERE id = ${row.id}`.execute(
          trx,
        );
      } else if (row && step.do === 'delete') {
        const isNamed = generator.namedBy.some((name) =>
          live.get(name)?.some((other) => other.user_id === row.id),
        );
        if (!isNamed) await sql`DELETE FROM ${sql.table(table.name)} WHERE id = ${row.id}`.execute(trx);
      }
    });
  } catch (error) {
    if (!/unique|duplicate|constraint/i.test((error as Error).message)) throw error;
  }
}

const names = (row: Row) => sql.join(Object.keys(row).map((name) => sql.ref(name)));
const values = (row: Row) => sql.join(Object.values(row));
const assignments = (row: Row) =>
  sql.join(Object.entries(row).map(([name, value]) => sql`${sql.ref(name)} = ${value}`));
