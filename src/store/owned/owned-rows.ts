// The only way to rows that belong to a user: every statement built here names that user already, so a query
// that forgets to cannot be written.
import type {
  Compilable,
  DeleteQueryBuilder,
  DeleteResult,
  InsertQueryBuilder,
  InsertResult,
  SelectQueryBuilder,
  UpdateQueryBuilder,
  UpdateResult,
} from 'kysely';
import type { Database, Reader, Writer } from '../database.ts';
import { preparedQuery } from '../prepared-query.ts';
import type { NewRow, OwnedTable, Tables } from '../tables.ts';

/** One user's rows, as `write` gives them to a transaction. */
export interface OwnedRows {
  select<T extends OwnedTable>(table: T): SelectQueryBuilder<Tables, T, object>;
  insert<T extends OwnedTable>(
    table: T,
    row: Omit<NewRow<T>, 'user_id'>,
  ): InsertQueryBuilder<Tables, T, InsertResult>;
  insertMany<T extends OwnedTable>(
    table: T,
    rows: readonly Omit<NewRow<T>, 'user_id'>[],
  ): InsertQueryBuilder<Tables, T, InsertResult>;
  update<T extends OwnedTable>(table: T): UpdateQueryBuilder<Tables, T, T, UpdateResult>;
  delete<T extends OwnedTable>(table: T): DeleteQueryBuilder<Tables, T, DeleteResult>;
}

export interface Owned {
  readonly userId: number;
  readonly db: Database;
  readonly read: Pick<OwnedRows, 'select'>;
  readonly heavyRead: Pick<OwnedRows, 'select'>;
  write<T>(work: (rows: OwnedRows) => Promise<T>): Promise<T>;
}

export function ownedBy(db: Database, userId: number): Owned {
  return {
    userId,
    db,
    read: rowsOf(db.read, userId),
    heavyRead: rowsOf(db.heavyRead, userId),
    write: (work) => db.write((trx) => work(rowsOf(trx, userId))),
  };
}

/** A list that is asked for all the time, compiled once: see prepared-query.ts. */
export function ownedQuery<R, T>(
  build: (rows: Pick<OwnedRows, 'select'>) => Compilable<R>,
  map: (row: R) => T,
) {
  const query = preparedQuery((read, { userId }: { userId: number }) => build(rowsOf(read, userId)), map);
  return ({ db, userId }: Owned): Promise<readonly T[]> => query(db, { userId });
}

/** For the transactions that write owned rows beside others, such as the one that makes a user. */
export function rowsOf(db: Reader | Writer, userId: number): OwnedRows {
  // Kysely cannot type a `where` on a table it does not know yet, so the table is named to it as one that we
  // know; the signatures above give the caller the real one back.
  const known = (table: OwnedTable) => table as 'groups';
  return {
    select: (table) => db.selectFrom(known(table)).where(`${known(table)}.user_id`, '=', userId) as never,
    insert: (table, row) =>
      db.insertInto(known(table)).values({ ...row, user_id: userId } as unknown as NewRow<'groups'>) as never,
    insertMany: (table, rows) =>
      db
        .insertInto(known(table))
        .values(
          rows.map((row) => ({ ...row, user_id: userId })) as unknown as readonly NewRow<'groups'>[],
        ) as never,
    update: (table) => db.updateTable(known(table)).where('user_id', '=', userId) as never,
    delete: (table) => db.deleteFrom(known(table)).where('user_id', '=', userId) as never,
  };
}
