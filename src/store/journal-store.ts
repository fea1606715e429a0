// The index's side of the journal: which durable rows have changed, what they are now, and that they are written.
import { type RawBuilder, sql } from 'kysely';
import { TemporaryFailure } from '../errors.ts';
import type { Millis } from '../model/glossary.ts';
import type { Database, Reader, Writer } from './database.ts';
import { dbNow } from './db-now.ts';
import { type DurableTable, durableTables, noteColumns, type Row } from './durable.ts';
import { idList } from './id-list.ts';
import { flushedAtKey, lastSetKey, ordinalKey } from './journal-keys.ts';
import { type Lease, requireLease } from './lease-store.ts';
import { letOthersIn } from './let-others-in.ts';
import { presentTables } from './present-tables.ts';
import { rowsInOrder } from './state-hash.ts';

export type JournalStore = ReturnType<typeof journalStore>;

/** What a row is now: whole, or null when it is gone. */
export interface Fact {
  readonly table: string;
  readonly key: readonly (string | number)[];
  readonly row: Row | null;
  readonly seq: number;
}

export interface SetName {
  readonly ordinal: number;
  readonly set: string;
}

/** All changes that one committed state of the index holds. */
export interface Changes {
  readonly schema: number;
  /** Numbers the sets in the order of the states they show. */
  readonly ordinal: number;
  /** The last set that was written and noted as written. */
  readonly previous: SetName | null;
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** With every row: the highest id that each table ever gave. */
  readonly ids: Readonly<Record<string, number>>;
  pages(): AsyncGenerator<ChangePage>;
}

export interface ChangePage {
  /** A row that was noted often may come in several pages, always the same. */
  readonly facts: readonly Fact[];
  /** The notes that these facts answer. */
  readonly seqs: readonly number[];
}

/** How far the library is behind the index. */
export interface JournalLag {
  readonly pending: number;
  /** The age of the oldest pending note; 0 without one. */
  readonly lagMs: number;
  readonly flushedAt: Millis | null;
  /** By the clock of the database. */
  readonly sinceFlushMs: number | null;
}

/** Counting so many rows takes well under a millisecond. */
const maxCountedInline = 4_000;
/** Large imports wait while more notes than this are pending: they make more in a minute than a flush writes. */
const defaultMaxPendingForImports = 500_000;
const importRetrySeconds = 60;

const notesPerPage = 500;
const notesPerDelete = 500;
/** In one transaction: a flush must clear more notes in its turn to write than a large sync makes in its own. */
const notesPerClear = 50_000;

export function journalStore(
  db: Database,
  tables: readonly DurableTable[] = durableTables,
  { maxPendingForImports = defaultMaxPendingForImports } = {},
) {
  return {
    /** The number of the last turn to write that anybody took. */
    findOrdinal: () => presentOrdinal(db.read),

    /** The last set that this index has written. */
    findLastSet: () => lastSet(db.read),

    /** How many rows have changes that the library lacks. */
    async countRows(): Promise<number> {
      const { rows } = await sql<{ n: number }>`
        SELECT count(*) AS n FROM (SELECT DISTINCT tbl, k1, k2, kt FROM journal_dirty) AS changed`.execute(
        db.read,
      );
      return Number(rows[0]?.n ?? 0);
    },

    /** The number of the newest pending note. */
    async lastPending(): Promise<number | undefined> {
      const { rows } = await sql<{ last: number | null }>`SELECT max(seq) AS last FROM journal_dirty`.execute(
        db.read,
      );
      return rows[0]?.last ?? undefined;
    },

    /** Whether a note up to this number is pending. */
    async isPending(upTo: number): Promise<boolean> {
      const { rows } = await sql`SELECT 1 FROM journal_dirty WHERE seq <= ${upTo} LIMIT 1`.execute(db.read);
      return rows.length > 0;
    },

    /** How many notes wait, counted up to `limit`. */
    pending: (limit: number): Promise<number> => countPending(db.read, limit),

    /** Pending notes by table, the most first. Counts up to `limit`. */
    async pendingByTable(limit: number): Promise<readonly { table: string; changes: number }[]> {
      const { rows } = await sql<{ tbl: number; n: number }>`
        SELECT tbl, count(*) AS n FROM (SELECT tbl FROM journal_dirty LIMIT ${limit}) AS waiting
        GROUP BY tbl ORDER BY n DESC, tbl`.execute(db.read);
      return rows.map(({ tbl, n }) => ({
        table: tables.find(({ id }) => id === tbl)?.name ?? `table ${tbl}`,
        changes: Number(n),
      }));
    },

    /** Counts pending notes up to `limit`. */
    async lag(limit: number): Promise<JournalLag> {
      const reader = limit > maxCountedInline ? db.heavyRead : db.read;
      const { rows } = await sql<{ now: number; noted: number | null; flushed: string | null }>`
        SELECT ${dbNow(db)} AS now, (SELECT noted_at FROM journal_dirty ORDER BY seq LIMIT 1) AS noted,
          (SELECT value FROM meta WHERE key = ${flushedAtKey}) AS flushed`.execute(reader);
      const { now, noted, flushed } = rows[0] ?? { now: 0, noted: null, flushed: null };
      const flushedAt = flushed === null ? null : Number(flushed);
      return {
        pending: await countPending(reader, limit),
        // A clock that was set back makes notes look newer than now.
        lagMs: noted === null ? 0 : Math.max(0, now - noted),
        flushedAt,
        sinceFlushMs: flushedAt === null ? null : now - flushedAt,
      };
    },

    /** Refuses a large import while the library is far behind. */
    async requireRoom(): Promise<void> {
      // The range of numbers is read from both ends of an index. Only a large one is counted.
      const { rows } = await sql<{ range: number | null }>`
        SELECT (SELECT max(seq) FROM journal_dirty) - (SELECT min(seq) FROM journal_dirty) AS range`.execute(
        db.read,
      );
      if ((rows[0]?.range ?? 0) < maxPendingForImports) return;
      if ((await countPending(db.heavyRead, maxPendingForImports + 1)) <= maxPendingForImports) return;
      throw new TemporaryFailure(
        'Lectern is still writing earlier changes to the library and accepts no large imports until it has caught up; try again in a minute',
        { retryAfterSeconds: importRetrySeconds },
      );
    },

    /**
     * Gives all changes to `work`, as one committed state has them; nothing when there are none. The ordinal is
     * taken under the lease, and must still be the newest in the state that is read: so the order of ordinals is
     * the order of states, even when a flusher sleeps in between and another takes over. With `everyRow`, the changes are all durable
     * rows, and answer every note.
     */
    async readChanges(
      lease: Lease,
      work: (changes: Changes) => Promise<void>,
      { everyRow = false }: { everyRow?: boolean } = {},
    ): Promise<'written' | 'nothing' | 'overtaken'> {
      const ordinal = await nextOrdinal(db, lease);
      return db.snapshot(async (reader) => {
        if ((await presentOrdinal(reader)) !== ordinal) return 'overtaken';
        const { rows } = await sql<{ first: number | null; last: number | null; schema: number }>`
          SELECT min(seq) AS first, max(seq) AS last, (SELECT max(version) FROM schema_migrations) AS schema
          FROM journal_dirty`.execute(reader);
        const [range] = rows;
        if (!range) return 'nothing';
        if (everyRow) {
          const present = await presentTables(db, reader, tables);
          const [seq, ids] = [await lastSeq(db, reader), await lastIds(db, reader, present)];
          const pages = () => readEveryRow(reader, present, seq);
          await work({
            schema: range.schema,
            ordinal,
            previous: null,
            firstSeq: 0,
            lastSeq: seq,
            ids,
            pages,
          });
          return 'written';
        }
        if (range.first === null || range.last === null) return 'nothing';
        const { first, last, schema } = range;
        const pages = () => readPages(reader, tables, first, last);
        const previous = await lastSet(reader);
        await work({ schema, ordinal, previous, firstSeq: first, lastSeq: last, ids: {}, pages });
        return 'written';
      });
    },

    /**
     * Remembers the set as the last one and deletes the notes that it answers: those in `seen`, since on PostgreSQL a note with a
     * smaller number may be committed later.
     */
    async clear(lease: Lease, seen: readonly number[], written: SetName): Promise<void> {
      // At least once: a set of every row counts although no note was pending.
      for (let from = 0; from === 0 || from < seen.length; from += notesPerClear) {
        await db.write(async (trx) => {
          await requireLease(db, trx, lease);
          await setMeta(trx, lastSetKey, JSON.stringify(written));
          await setMeta(trx, flushedAtKey, sql<string>`CAST(${dbNow(db)} AS text)`);
          const until = Math.min(from + notesPerClear, seen.length);
          for (let at = from; at < until; at += notesPerDelete) {
            const some = idList(db, seen.slice(at, Math.min(at + notesPerDelete, until)));
            await sql`DELETE FROM journal_dirty WHERE seq IN ${some}`.execute(trx);
            await letOthersIn();
          }
        });
      }
    },
  };
}

async function countPending(reader: Reader, limit: number): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    SELECT count(*) AS n FROM (SELECT 1 FROM journal_dirty LIMIT ${limit}) AS waiting`.execute(reader);
  return Number(rows[0]?.n ?? 0);
}

async function nextOrdinal(db: Database, lease: Lease): Promise<number> {
  return db.write(async (trx) => {
    await requireLease(db, trx, lease);
    const ordinal = (await presentOrdinal(trx)) + 1;
    await setMeta(trx, ordinalKey, String(ordinal));
    return ordinal;
  });
}

async function setMeta(trx: Writer, key: string, value: string | RawBuilder<string>): Promise<void> {
  await trx
    .insertInto('meta')
    .values({ key, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute();
}

async function lastSet(reader: Reader): Promise<SetName | null> {
  const row = await reader
    .selectFrom('meta')
    .select('value')
    .where('key', '=', lastSetKey)
    .executeTakeFirst();
  return row ? JSON.parse(row.value) : null;
}

async function presentOrdinal(reader: Reader): Promise<number> {
  const row = await reader
    .selectFrom('meta')
    .select('value')
    .where('key', '=', ordinalKey)
    .executeTakeFirst();
  return Number(row?.value ?? 0);
}

async function* readPages(
  reader: Reader,
  tables: readonly DurableTable[],
  first: number,
  last: number,
): AsyncGenerator<ChangePage> {
  for (let after = first - 1; after < last; ) {
    const { rows } = await sql<{ seq: number; tbl: number }>`
      SELECT seq, tbl FROM journal_dirty WHERE seq > ${after} AND seq <= ${last} ORDER BY seq LIMIT ${notesPerPage}`.execute(
      reader,
    );
    const until = rows.at(-1)?.seq;
    if (until === undefined) return;
    const facts: Fact[] = [];
    for (const tbl of new Set(rows.map((row) => row.tbl))) {
      const table = tables.find(({ id }) => id === tbl);
      if (!table) throw new Error(`a note names the durable table ${tbl}, which is not in durable.ts`);
      facts.push(...(await factsOf(reader, table, after, until)));
    }
    yield { facts: facts.sort((a, b) => a.seq - b.seq), seqs: rows.map((row) => row.seq) };
    after = until;
    await letOthersIn();
  }
}

/** Every durable row, and then the notes, which all of them answer. */
async function* readEveryRow(
  reader: Reader,
  tables: readonly DurableTable[],
  seq: number,
): AsyncGenerator<ChangePage> {
  for (const table of tables) {
    let facts: Fact[] = [];
    for await (const found of rowsInOrder(reader, table)) {
      const row = Object.fromEntries(
        Object.entries(found).filter(([column]) => !table.volatile?.includes(column)),
      );
      const key = table.key.map(({ column }) => found[column] as string | number);
      facts.push({ table: table.name, key, row, seq });
      if (facts.length < notesPerPage) continue;
      yield { facts, seqs: [] };
      facts = [];
      await letOthersIn();
    }
    yield { facts, seqs: [] };
  }
  const { rows } = await sql<{ seq: number }>`SELECT seq FROM journal_dirty`.execute(reader);
  yield { facts: [], seqs: rows.map((note) => note.seq) };
}

/** The highest id that each table ever gave, deleted rows included. */
async function lastIds(
  db: Database,
  reader: Reader,
  tables: readonly DurableTable[],
): Promise<Record<string, number>> {
  const ids: Record<string, number> = {};
  for (const { name, key, counts } of tables) {
    const [first] = key;
    if (counts && first) ids[name] = await lastId(db, reader, name, first.column);
  }
  return ids;
}

const lastSeq = (db: Database, reader: Reader) => lastId(db, reader, 'journal_dirty', 'seq');

async function lastId(db: Database, reader: Reader, table: string, column: string): Promise<number> {
  const { rows } = await (db.engine === 'sqlite'
    ? sql<{ id: number }>`SELECT seq AS id FROM sqlite_sequence WHERE name = ${table}`
    : sql<{
        id: number | null;
      }>`SELECT pg_sequence_last_value(pg_get_serial_sequence(${table}, ${column})) AS id`
  ).execute(reader);
  return Number(rows[0]?.id ?? 0);
}

/** The present rows of the keys that were noted in a range, joined to their last note in it. */
async function factsOf(reader: Reader, table: DurableTable, after: number, until: number): Promise<Fact[]> {
  const notes = noteColumns(table.key);
  const noteNames = sql.join(notes.map(({ note }) => sql.ref(note)));
  const sameKey = sql.join(
    notes.map(({ column, note }) => sql`t.${sql.ref(column)} = n.${sql.ref(note)}`),
    sql` AND `,
  );
  const keys = sql.join(notes.map(({ note }) => sql`n.${sql.ref(note)} AS ${sql.ref(`_${note}`)}`));
  const query: RawBuilder<Record<string, unknown>> = sql`
    SELECT n.seq AS _seq, ${keys}, t.*
    FROM (SELECT ${noteNames}, max(seq) AS seq FROM journal_dirty
          WHERE seq > ${after} AND seq <= ${until} AND tbl = ${table.id} GROUP BY ${noteNames}) AS n
    LEFT JOIN ${sql.table(table.name)} AS t ON ${sameKey}`;
  const { rows } = await query.execute(reader);
  const [firstKey] = table.key;
  return rows.map((joined) => {
    const row: Record<string, unknown> = {};
    for (const [column, value] of Object.entries(joined)) {
      if (!column.startsWith('_') && !table.volatile?.includes(column)) row[column] = value;
    }
    return {
      table: table.name,
      key: notes.map(({ note }) => joined[`_${note}`] as string | number),
      row: firstKey && joined[firstKey.column] === null ? null : row,
      seq: joined._seq as number,
    };
  });
}
