// The reading side of the deframer: what is served to anybody, of feeds that are enabled and not deleted.
import { sql } from 'kysely';
import type { ShownArticle } from '../../model/deframer.ts';
import type { Millis } from '../../model/glossary.ts';
import type { Database } from '../database.ts';
import { textList } from '../id-list.ts';
import { preparedQuery } from '../prepared-query.ts';
import { type ShownRow, shownColumns, toShown } from './deframed-items.ts';

export type DeframedStore = ReturnType<typeof deframedStore>;

export interface ServedFeed {
  readonly id: string;
  readonly enabled: boolean;
  /** Undefined while nothing was built. Another document of the same feed has another. */
  readonly builtAt: Millis | undefined;
}

/** One of many of a site, to be chosen from. */
export interface SiteArticle {
  readonly id: string;
  readonly url: string;
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
  /** CROSS JOIN: SQLite would begin with the feeds that are enabled, and ask each for every hash. */
  const findAll = async (hashes: readonly string[]): Promise<ShownArticle[]> => {
    const columns = sql.join(shownColumns.map((column) => sql.ref(`i.${column}`)));
    const { rows } = await sql<ShownRow>`
      SELECT ${columns} FROM deframed_items i CROSS JOIN deframer_feeds f
      WHERE i.hash IN ${textList(db, hashes)} AND f.id = i.feed_id AND f.enabled = 1 AND f.deleted_at IS NULL
      ORDER BY f.enforce_feed_domain DESC, i.updated_at DESC, i.id`.execute(db.read);
    return rows.map(toShown);
  };

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

    /**
     * The analysis of an article, at most so high: of a feed that may only speak of its own host, if there is one, and the
     * newest.
     */
    async findItem(hash: string, { maxScore = 1 } = {}): Promise<ShownArticle | undefined> {
      const [found] = (await findAll([hash])).filter(({ analysis }) => analysis.overall <= maxScore);
      return found;
    },

    /** Those of many articles, by hash, in the same order. */
    async findItems(hashes: readonly string[]): Promise<Map<string, ShownArticle[]>> {
      return hashes.length === 0 ? new Map() : Map.groupBy(await findAll(hashes), ({ hash }) => hash);
    },

    /**
     * What the feeds of a site have, the newest of each first, and at most `limit` of each: as many as a list of `limit`
     * could need of it. Undefined for a site that is not known.
     */
    async findSite(
      root: string,
      { limit, maxScore = 1 }: { limit: number; maxScore?: number | undefined },
    ): Promise<SiteArticle[][] | undefined> {
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
      const newest: SiteArticle[][] = [];
      for (const { id } of feeds)
        newest.push(
          await db.heavyRead
            .selectFrom('deframed_items')
            .select(['id', 'url'])
            .where('feed_id', '=', id)
            .where('overall', '<=', maxScore)
            .orderBy('pub_date', 'desc')
            .orderBy('id', 'desc')
            .limit(limit)
            .execute(),
        );
      return newest;
    },

    /** In the order of the ids. */
    async getItems(ids: readonly string[]): Promise<ShownArticle[]> {
      const rows = await db.heavyRead
        .selectFrom('deframed_items')
        .select(shownColumns)
        .where(sql<boolean>`id IN ${textList(db, ids)}`)
        .execute();
      const byId = new Map(rows.map((row) => [row.id, row]));
      return ids.flatMap((id) => byId.get(id) ?? []).map(toShown);
    },
  };
}
