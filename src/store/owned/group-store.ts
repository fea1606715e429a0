import { Conflict, Invalid, NotFound } from '../../errors.ts';
import type { Clock } from '../../model/glossary.ts';
import { DEFAULT_GROUP_ID, type Group } from '../../model/group.ts';
import { isUniqueViolation } from '../constraint.ts';
import { letOthersIn } from '../let-others-in.ts';
import { settleFirst, settleUnread } from '../reader/settle-unread.ts';
import { takeTurn } from '../reader/unread.ts';
import type { Row } from '../tables.ts';
import { type Owned, type OwnedRows, ownedQuery, rowsOf } from './owned-rows.ts';

const groupsAtOnce = 50;

export type GroupStore = ReturnType<typeof groupStore>;

export function groupStore(owned: Owned, now: Clock) {
  return {
    list: (): Promise<readonly Group[]> => allGroups(owned),

    async get(id: number): Promise<Group> {
      return toGroup(await getRow(owned.read, id));
    },

    async create({ name }: { name: string }): Promise<Group> {
      const at = now();
      const row = await owned
        .write((rows) =>
          rows
            .insert('groups', { name, is_default: 0, created_at: at, updated_at: at })
            .returningAll()
            .executeTakeFirstOrThrow(),
        )
        .catch(nameTaken(name));
      return toGroup(row);
    },

    /** Those that are not there yet, in small transactions. Returns how many that were. */
    async createMany(names: readonly string[]): Promise<number> {
      let created = 0;
      for (let at = 0; at < names.length; at += groupsAtOnce) {
        await letOthersIn();
        created += await owned.write(async (rows) => {
          const time = now();
          let added = 0;
          for (const name of names.slice(at, at + groupsAtOnce)) {
            const row = await rows
              .insert('groups', { name, is_default: 0, created_at: time, updated_at: time })
              .onConflict((conflict) => conflict.columns(['user_id', 'name']).doNothing())
              .returning('id')
              .executeTakeFirst();
            if (row) added += 1;
          }
          return added;
        });
      }
      return created;
    },

    async rename(id: number, { name }: { name: string }): Promise<Group> {
      return owned
        .write(async (rows) => {
          const { id: rowId } = await getRow(rows, id);
          const row = await rows
            .update('groups')
            .set({ name, updated_at: now() })
            .where('id', '=', rowId)
            .returningAll()
            .executeTakeFirst();
          // Deleted by another since we looked, as can be on PostgreSQL.
          if (!row) throw new NotFound('group');
          return toGroup(row);
        })
        .catch(nameTaken(name));
    },

    /** Its feeds move to the default group. */
    async delete(id: number): Promise<void> {
      const { db, userId } = owned;
      const unsettled = await db.write(async (trx) => {
        await takeTurn(db, trx, userId);
        const rows = rowsOf(trx, userId);
        const row = await getRow(rows, id, db.engine === 'postgres' ? 'update' : undefined);
        if (row.is_default === 1) throw new Invalid('the default group cannot be deleted');
        const defaultId = await findGroupId(rows, DEFAULT_GROUP_ID);
        const feeds = await rows
          .select('feeds')
          .select('id')
          .where('group_id', '=', row.id)
          .orderBy('id')
          .$if(db.engine === 'postgres', (found) => found.forUpdate())
          .execute();
        await rows.update('feeds').set({ group_id: defaultId }).where('group_id', '=', row.id).execute();
        await rows.delete('groups').where('id', '=', row.id).execute();
        const ids = feeds.map((feed) => feed.id);
        return settleFirst(db, trx, { userId, groupId: row.id }, ids);
      });
      await settleUnread(db, unsettled);
    },
  };
}

const allGroups = ownedQuery(
  (rows) => rows.select('groups').selectAll().orderBy('is_default', 'desc').orderBy('id'),
  toGroup,
);

/** The group that every user has from the start: part of making the user, in the same transaction. */
export async function insertDefaultGroup(rows: OwnedRows, at: number): Promise<void> {
  await rows.insert('groups', { name: 'Default', is_default: 1, created_at: at, updated_at: at }).execute();
}

async function getRow(
  rows: Pick<OwnedRows, 'select'>,
  id: number,
  lock?: 'share' | 'update',
): Promise<Row<'groups'>> {
  const query = rows
    .select('groups')
    .selectAll()
    .$if(lock === 'share', (found) => found.forShare())
    .$if(lock === 'update', (found) => found.forUpdate());
  const found =
    id === DEFAULT_GROUP_ID
      ? query.where('is_default', '=', 1)
      : query.where('id', '=', id).where('is_default', '=', 0);
  const row = await found.executeTakeFirst();
  if (!row) throw new NotFound('group');
  return row;
}

/** The group's id in the index, for one as the API gives it. */
export async function findGroupId(
  rows: Pick<OwnedRows, 'select'>,
  id: number,
  /** For a row that is to be put into it: the group stays until the transaction ends. */
  { lockOn }: { lockOn?: 'sqlite' | 'postgres' } = {},
): Promise<number> {
  return (await getRow(rows, id, lockOn === 'postgres' ? 'share' : undefined)).id;
}

/** A list of what is in a group that is not there is empty. */
export function noneIfMissing(error: unknown): null {
  if (error instanceof NotFound) return null;
  throw error;
}

function toGroup(row: Row<'groups'>): Group {
  return {
    id: row.is_default === 1 ? DEFAULT_GROUP_ID : row.id,
    name: row.name,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function nameTaken(name: string) {
  return (error: unknown): never => {
    if (isUniqueViolation(error))
      throw new Conflict(`name: a group named "${name}" exists already`, { cause: error });
    throw error;
  };
}
