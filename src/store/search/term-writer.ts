// How each engine keeps the terms of documents.
import { CompiledQuery, sql } from 'kysely';
import type { Database, Writer } from '../database.ts';
import { tsvectors } from './tsvector.ts';

export interface DocTerms {
  readonly id: number;
  /** Terms are what stands together of `a` to `z`, digits and all that is not ASCII. */
  readonly title: string;
  readonly text: string;
  readonly marks: readonly string[];
}

export interface TermWriter {
  insert(trx: Writer, docs: readonly DocTerms[]): Promise<void>;
  remove(trx: Writer, ids: readonly number[]): Promise<void>;
  removeAll(trx: Writer): Promise<void>;
  /**
   * One step of tidying up after many inserts, in a transaction of its own: brings together segments of one size, when
   * there are `fewest` of them. False when there is nothing to do.
   */
  mergeStep(trx: Writer, fewest: number, pages?: number): Promise<boolean>;
}

export function termWriter(engine: Database['engine'], table: string): TermWriter {
  return engine === 'sqlite' ? fts5Writer(table) : tsvectorWriter(table);
}

/** About a millisecond's worth. */
const pagesPerMerge = 16;

function fts5Writer(table: string): TermWriter {
  // Compiled here and not by Kysely: for statements this short, building them would take longer than running them.
  const insertTerms = `INSERT INTO ${table} (rowid, title, text, marks) VALUES (?, ?, ?, ?)`;
  const deleteTerms = `DELETE FROM ${table} WHERE rowid = ?`;
  // Written into the statement: as parameters, numbers come as floating point, which FTS5 refuses here.
  const command = (name: 'usermerge' | 'merge', value: number) =>
    CompiledQuery.raw(`INSERT INTO ${table} (${table}, rank) VALUES ('${name}', ${value})`);

  return {
    async insert(trx, docs) {
      for (const { id, title, text, marks } of docs) {
        await trx.executeQuery(CompiledQuery.raw(insertTerms, [id, title, text, marks.join(' ')]));
      }
    },

    async remove(trx, ids) {
      for (const id of ids) await trx.executeQuery(CompiledQuery.raw(deleteTerms, [id]));
    },

    async removeAll(trx) {
      await trx.executeQuery(CompiledQuery.raw(`INSERT INTO ${table} (${table}) VALUES ('delete-all')`));
    },

    async mergeStep(trx, fewest, pages = pagesPerMerge) {
      await trx.executeQuery(command('usermerge', fewest));
      const changes = async () => {
        const { rows } = await sql<{ n: number }>`SELECT total_changes() AS n`.execute(trx);
        return rows[0]?.n ?? 0;
      };
      const before = await changes();
      await trx.executeQuery(command('merge', pages));
      // As its documentation has it: fewer than two changes mean that nothing was merged.
      return (await changes()) - before >= 2;
    },
  };
}

function tsvectorWriter(name: string): TermWriter {
  const table = sql.table(name);
  return {
    async insert(trx, docs) {
      for (const { id, ...terms } of docs) {
        for (const [part, vector] of tsvectors(terms).entries())
          await sql`INSERT INTO ${table} (doc_id, part, terms) VALUES (${id}, ${part}, ${vector}::tsvector)`.execute(
            trx,
          );
      }
    },

    async remove(trx, ids) {
      await sql`DELETE FROM ${table} WHERE doc_id IN (${sql.join(ids)})`.execute(trx);
    },

    async removeAll(trx) {
      await sql`DELETE FROM ${table}`.execute(trx);
    },

    async mergeStep() {
      return false;
    },
  };
}
