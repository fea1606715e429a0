// The reading side of the deframer: what is served to anybody, of feeds that are enabled and not deleted.
import { sql } from 'kysely';
import type { DeframedItem } from '../../model/deframer.ts';
import type { Millis } from '../../model/glossary.ts';
import type { Database } from '../database.ts';
import { textList } from '../id-list.ts';
import { preparedQuery } from '../prepared-query.ts';
import { type ItemRow, itemColumns, toItem } from './deframed-items.ts';

export type DeframedStore = ReturnType<typeof deframedStore>;

export interface ServedFeed {
  readonly id: string;
  readonly enabled: boolean;
  /** Undefined while nothing was built. Another document of the same feed has another. */
  readonly builtAt: Millis | undefined;
}

/** Asked for by every poll of every reader. */
const findServed = preparedQuery(
  (read, { url }: { url: string }) =>
    read
      .selectFrom('deframer_feeds as f')
      .leftJoin('cached_feeds as c', 'c.id', 'f.id')
      .select(['f.id', 'f.enabled', 'c.updated_at'])
      .where('f.url', '=', url)
      .where('f.deleted_at', 'is', null),
  (row): ServedFeed => ({ id: row.id, enabled: row.enabled === 1, builtAt: row.updated_at ?? undefined }),
);

export function deframedStore(db: Database) {
  return {
    /** Undefined for an address that is unknown or deleted. */
    async findServed(url: string): Promise<ServedFeed | undefined> {
      const [found] = await findServed(db, { url });
      return found;
    },

    /** The document of a feed, with when it was built. */
    async findDocument(id: string): Promise<{ xml: string; builtAt: Millis } | undefined> {
      const row = await db.heavyRead
        .selectFrom('cached_feeds')
        .select(['xml_content', 'updated_at'])
        .where('id', '=', id)
        .executeTakeFirst();
      return row && { xml: row.xml_content, builtAt: row.updated_at };
    },

    /** The newest analysis of an article, at most so high; one for each feed that has it is no use to a reader. */
    async findItem(hash: string, { maxScore = 1 } = {}): Promise<DeframedItem | undefined> {
      const row = await db.read
        .selectFrom('deframed_items as i')
        .innerJoin('deframer_feeds as f', 'f.id', 'i.feed_id')
        .select(itemColumns.map((column) => `i.${column}` as const))
        .where('i.hash', '=', hash)
        .where('i.overall', '<=', maxScore)
        .where('f.enabled', '=', 1)
        .where('f.deleted_at', 'is', null)
        .orderBy('i.updated_at', 'desc')
        .orderBy('i.id')
        .limit(1)
        .executeTakeFirst();
      return row && toItem(row);
    },

    /** The same for many at once, by hash. */
    async findItems(hashes: readonly string[]): Promise<Map<string, DeframedItem>> {
      if (hashes.length === 0) return new Map();
      const columns = sql.join(itemColumns.map((column) => sql.ref(`i.${column}`)));
      const { rows } = await sql<ItemRow>`
        SELECT ${columns} FROM deframed_items i JOIN deframer_feeds f ON f.id = i.feed_id
        WHERE i.hash IN ${textList(db, hashes)} AND f.enabled = 1 AND f.deleted_at IS NULL
        ORDER BY i.updated_at, i.id DESC`.execute(db.read);
      return new Map(rows.map((row) => [row.hash, toItem(row)]));
    },

    /**
     * The newest articles of each feed of a site, at most `limit` of each: as many as a list of `limit` could need of
     * it. Undefined for a site that is not known.
     */
    async findSite(
      root: string,
      { limit, maxScore = 1 }: { limit: number; maxScore?: number | undefined },
    ): Promise<DeframedItem[][] | undefined> {
      const feeds = await db.heavyRead
        .selectFrom('deframer_feeds')
        .select('id')
        .where('root_domain', '=', root)
        .where('enabled', '=', 1)
        .where('deleted_at', 'is', null)
        .orderBy('created_at')
        .orderBy('id')
        .execute();
      if (feeds.length === 0) return undefined;
      const newest = feeds.map(({ id }) =>
        db.heavyRead
          .selectFrom('deframed_items')
          .select(itemColumns)
          .where('feed_id', '=', id)
          .where('overall', '<=', maxScore)
          .orderBy('pub_date', 'desc')
          .orderBy('id', 'desc')
          .limit(limit)
          .execute(),
      );
      return (await Promise.all(newest)).map((rows) => rows.map(toItem));
    },
  };
}
