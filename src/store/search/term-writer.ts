// How each engine keeps the terms of documents.
import { CompiledQuery, sql } from 'kysely';
import type { Database, Writer } from '../database.ts';
import { tsvectors } from './tsvector.ts';

export interface DocTerms {
  readonly id: number;
  readonly title: readonly string[];
  readonly text: readonly string[];
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

export function termWriter(engine: Database['engine']): TermWriter {
  return engine === 'sqlite' ? fts5Writer : tsvectorWriter;
}

/** About a millisecond's worth. */
const pagesPerMerge = 16;
// Compiled here and not by Kysely: for statements this short, building them would take longer than running them.
const insertTerms = 'INSERT INTO search_terms (rowid, title, text, marks) VALUES (?, ?, ?, ?)';
const deleteTerms = 'DELETE FROM search_terms WHERE rowid = ?';
// Written into the statement: as parameters, numbers come as floating point, which FTS5 refuses here.
const command = (name: 'usermerge' | 'merge', value: number) =>
  CompiledQuery.raw(`INSERT INTO search_terms (search_terms, rank) VALUES ('${name}', ${value})`);

const fts5Writer: TermWriter = {
  async insert(trx, docs) {
    for (const { id, title, text, marks } of docs) {
      const columns = [title, text, marks].map((terms) => terms.join(' '));
      await trx.executeQuery(CompiledQuery.raw(insertTerms, [id, ...columns]));
    }
  },

  async remove(trx, ids) {
    for (const id of ids) await trx.executeQuery(CompiledQuery.raw(deleteTerms, [id]));
  },

  async removeAll(trx) {
    await sql`INSERT INTO search_terms (search_terms) VALUES ('delete-all')`.execute(trx);
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

const tsvectorWriter: TermWriter = {
  async insert(trx, docs) {
    for (const { id, ...terms } of docs) {
      for (const [part, vector] of tsvectors(terms).entries())
        await sql`INSERT INTO search_terms (doc_id, part, terms) VALUES (${id}, ${part}, ${vector}::tsvector)`.execute(
          trx,
        );
    }
  },

  async remove(trx, ids) {
    await sql`DELETE FROM search_terms WHERE doc_id IN (${sql.join(ids)})`.execute(trx);
  },

  async removeAll(trx) {
    await sql`DELETE FROM search_terms`.execute(trx);
  },

  async mergeStep() {
    return false;
  },
};
