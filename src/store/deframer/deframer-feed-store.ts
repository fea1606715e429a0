// The feeds of the deframer, as their operator sees and changes them.
import { type RawBuilder, sql } from 'kysely';
import { Conflict, Invalid, NotFound } from '../../errors.ts';
import type { DeframerFeed, DeframerFeedState, Usage } from '../../model/deframer.ts';
import type { Clock } from '../../model/glossary.ts';
import { isUniqueViolation } from '../constraint.ts';
import type { Database, Writer } from '../database.ts';
import { dbNow } from '../db-now.ts';
import { notePendingOf } from '../search/pending.ts';
import type { Row } from '../tables.ts';

export type DeframerFeedStore = ReturnType<typeof deframerFeedStore>;

export interface NewDeframerFeed {
  readonly id: string;
  readonly url: string;
  readonly rootDomain: string | null;
  readonly enforceFeedDomain: boolean;
}

export interface DeframerFeedChange {
  readonly enabled?: boolean | undefined;
  readonly polling?: boolean | undefined;
  readonly enforceFeedDomain?: boolean | undefined;
  readonly rootDomain?: string | null | undefined;
  readonly prompt?: string | null | undefined;
}

export interface UsageOfDay extends Usage {
  /** 2026-03-12, UTC. */
  readonly day: string;
}

const dayMs = 86_400_000;

interface StateRow extends Row<'deframer_feeds'> {
  next_run_at: number | null;
  last_run_at: number | null;
  last_error: string | null;
  last_note: string | null;
  is_running: number;
  is_due: number;
  items: number;
  built_at: number | null;
  calls: number;
  tokens_in: number;
  tokens_out: number;
  cost_micros: number;
  unpriced_calls: number;
}

export function deframerFeedStore(db: Database, now: Clock) {
  const states = async (where: RawBuilder<unknown>, feedId?: string): Promise<DeframerFeedState[]> => {
    const { rows } = await sql<StateRow>`
      SELECT f.*, s.next_run_at, s.last_run_at, s.last_error, s.last_note,
        CASE WHEN s.locked_until > ${dbNow(db)} THEN 1 ELSE 0 END AS is_running,
        CASE WHEN s.next_run_at <= ${dbNow(db)} THEN 1 ELSE 0 END AS is_due,
        (SELECT count(*) FROM deframed_items i WHERE i.feed_id = f.id) AS items,
        (SELECT c.updated_at FROM cached_feeds c WHERE c.id = f.id) AS built_at,
        coalesce(u.calls, 0) AS calls, coalesce(u.tokens_in, 0) AS tokens_in,
        coalesce(u.tokens_out, 0) AS tokens_out, coalesce(u.cost_micros, 0) AS cost_micros,
        coalesce(u.unpriced_calls, 0) AS unpriced_calls
      FROM deframer_feeds f
        LEFT JOIN feed_schedules s ON s.id = f.id
        LEFT JOIN (${sumsByFeed(feedId)}) u ON u.feed_id = f.id
      WHERE ${where} ORDER BY f.created_at, f.id`.execute(db.heavyRead);
    return rows.map(toState);
  };

  /** By id or URL; of a URL that was deleted and added again, the live one. */
  const findRow = (reader: Pick<Writer, 'selectFrom'>, idOrUrl: string) =>
    reader
      .selectFrom('deframer_feeds')
      .selectAll()
      .where((e) => e.or([e('id', '=', idOrUrl.toLowerCase()), e('url', '=', idOrUrl)]))
      .orderBy((e) => e.case().when('deleted_at', 'is', null).then(0).else(1).end())
      .orderBy('created_at', 'desc')
      .executeTakeFirst();

  const getLive = async (trx: Writer, idOrUrl: string): Promise<Row<'deframer_feeds'>> => {
    const row = await findRow(trx, idOrUrl);
    if (!row) throw new NotFound('feed');
    if (row.deleted_at !== null) throw new Conflict('the feed is deleted: add it again');
    return row;
  };

  return {
    /** Neither enabled nor scheduled. Throws Conflict if the address is there already. */
    async add(feed: NewDeframerFeed): Promise<DeframerFeed> {
      const at = now();
      const row: Row<'deframer_feeds'> = {
        id: feed.id,
        url: feed.url,
        root_domain: feed.rootDomain,
        enforce_feed_domain: feed.enforceFeedDomain ? 1 : 0,
        polling: 0,
        enabled: 0,
        prompt: null,
        created_at: at,
        updated_at: at,
        deleted_at: null,
      };
      try {
        await db.write(async (trx) => {
          await trx.insertInto('deframer_feeds').values(row).execute();
          await trx
            .insertInto('feed_schedules')
            .values({ id: feed.id, next_run_at: null, last_error: null })
            .execute();
        });
      } catch (error) {
        if (!isUniqueViolation(error)) throw error;
        throw new Conflict('the feed is there already', { cause: error });
      }
      return toFeed(row);
    },

    /** In the order in which they were added. */
    list({ deleted = false } = {}): Promise<DeframerFeedState[]> {
      return states(deleted ? sql`f.deleted_at IS NOT NULL` : sql`f.deleted_at IS NULL`);
    },

    async get(id: string): Promise<DeframerFeedState> {
      const [found] = await states(sql`f.id = ${id}`, id);
      if (!found) throw new NotFound('feed');
      return found;
    },

    async find(idOrUrl: string): Promise<DeframerFeed | undefined> {
      const row = await findRow(db.read, idOrUrl);
      return row && toFeed(row);
    },

    /** Throws NotFound, and Conflict for one that was deleted. */
    async change(idOrUrl: string, change: DeframerFeedChange): Promise<DeframerFeed> {
      return db.write(async (trx) => {
        const row = await getLive(trx, idOrUrl);
        const { enabled, polling, enforceFeedDomain, rootDomain, prompt } = change;
        const changed = {
          ...(enabled !== undefined && { enabled: flag(enabled) }),
          ...(polling !== undefined && { polling: flag(polling) }),
          ...(enforceFeedDomain !== undefined && { enforce_feed_domain: flag(enforceFeedDomain) }),
          ...(rootDomain !== undefined && { root_domain: rootDomain }),
          ...(prompt !== undefined && { prompt }),
          updated_at: now(),
        };
        await trx.updateTable('deframer_feeds').set(changed).where('id', '=', row.id).execute();
        // What was left out is in the document that the server would say is the same.
        if (enforceFeedDomain !== undefined)
          await trx
            .updateTable('feed_schedules')
            .set({ etag: '', last_modified: '' })
            .where('id', '=', row.id)
            .execute();
        return toFeed({ ...row, ...changed });
      });
    },

    /** What was found out is kept, and not served any more. */
    async remove(idOrUrl: string): Promise<DeframerFeed> {
      return db.write(async (trx) => {
        const row = await getLive(trx, idOrUrl);
        const changed = { deleted_at: now(), updated_at: now() };
        await trx.updateTable('deframer_feeds').set(changed).where('id', '=', row.id).execute();
        await notePendingOf(
          trx,
          'deframed',
          sql`SELECT number FROM deframed_items WHERE feed_id = ${row.id} ORDER BY number`,
        );
        return toFeed({ ...row, ...changed });
      });
    },

    /**
     * To be run at once, whatever happened before. A run that is under way is given up: without the lock its lease counts
     * no more, so that it cannot end the schedule that begins here.
     */
    async sync(idOrUrl: string): Promise<DeframerFeed> {
      return db.write(async (trx) => {
        const row = await getLive(trx, idOrUrl);
        if (row.enabled === 0) throw new Invalid('the feed is disabled: enable it first');
        await trx
          .updateTable('feed_schedules')
          .set({
            next_run_at: dbNow(db),
            scheduled_at: dbNow(db),
            last_error: null,
            locked_until: null,
            locked_by: '',
            // Whoever asks for it wants the document, not the news that it is the same.
            etag: '',
            last_modified: '',
          })
          .where('id', '=', row.id)
          .execute();
        return toFeed(row);
      });
    },

    /** Each once, of feeds that are not deleted. */
    async rootDomains(): Promise<string[]> {
      const rows = await db.read
        .selectFrom('deframer_feeds')
        .select('root_domain')
        .distinct()
        .where('deleted_at', 'is', null)
        .where('root_domain', 'is not', null)
        .orderBy('root_domain')
        .execute();
      return rows.flatMap(({ root_domain }) => root_domain ?? []);
    },

    /** Of all feeds together, the oldest day first. Days on which nothing was done are left out. */
    async usageByDay({ days }: { days: number }): Promise<UsageOfDay[]> {
      const first = Math.floor(now() / dayMs) - days + 1;
      const { rows } = await sql<Row<'deframer_usage'>>`
        SELECT day, ${sums} FROM deframer_usage WHERE day >= ${first} GROUP BY day ORDER BY day`.execute(
        db.heavyRead,
      );
      return rows.map((row) => ({
        day: new Date(row.day * dayMs).toISOString().slice(0, 10),
        ...toUsage(row),
      }));
    },
  };
}

/** PostgreSQL makes a `numeric` of a sum of integers. */
const sums = sql`CAST(sum(calls) AS bigint) AS calls, CAST(sum(tokens_in) AS bigint) AS tokens_in,
  CAST(sum(tokens_out) AS bigint) AS tokens_out, CAST(sum(cost_micros) AS bigint) AS cost_micros,
  CAST(sum(unpriced_calls) AS bigint) AS unpriced_calls`;
const sumsByFeed = (feedId: string | undefined) => sql`SELECT feed_id, ${sums} FROM deframer_usage
  ${feedId === undefined ? sql`` : sql`WHERE feed_id = ${feedId}`} GROUP BY feed_id`;

function flag(value: boolean): 0 | 1 {
  return value ? 1 : 0;
}

export function toFeed(row: Row<'deframer_feeds'>): DeframerFeed {
  return {
    id: row.id,
    url: row.url,
    rootDomain: row.root_domain,
    enforceFeedDomain: row.enforce_feed_domain === 1,
    polling: row.polling === 1,
    enabled: row.enabled === 1,
    prompt: row.prompt,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    deletedAt: row.deleted_at,
  };
}

function toState(row: StateRow): DeframerFeedState {
  return {
    ...toFeed(row),
    nextRunAt: row.next_run_at,
    lastRunAt: row.last_run_at,
    lastError: row.last_error,
    lastNote: row.last_note,
    isRunning: Number(row.is_running) === 1,
    isDue: Number(row.is_due) === 1,
    items: Number(row.items),
    builtAt: row.built_at,
    usage: toUsage(row),
  };
}

/** As far as prices are known; null where none is. */
function toUsage(row: {
  calls: number;
  tokens_in: number;
  tokens_out: number;
  cost_micros: number;
  unpriced_calls: number;
}): Usage {
  const isUnknown = row.unpriced_calls > 0 && row.cost_micros === 0;
  return {
    calls: row.calls,
    tokensIn: row.tokens_in,
    tokensOut: row.tokens_out,
    costMicros: isUnknown ? null : row.cost_micros,
  };
}
