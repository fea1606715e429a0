// The index of the mirror in D1. Each raindrop is written whole in one batch, which D1 runs as one transaction: its row, its
// tags, what is searched of it and the note of which text that is.
import { and, count, eq, gt, notInArray, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import type { Embeddings, MirroredRaindrop, MirrorIndex } from '../../src/mirror/host.ts';
import { cutToBytes } from './cut-to-bytes.ts';
import { raindropFts } from './fts-table.ts';
import { raindrops, raindropTags, raindropTextState, tags } from './schema.ts';

/** D1 takes values of up to 2 MB. What a text has beyond this is not searched; plain.txt has all of it. */
const maxBodyBytes = 1_500_000;
/** A batch is one request to D1, and lies in memory whole. */
const batchTextLength = 4_000_000;
const batchRaindrops = 25;
const idsPerRead = 10_000;

type Statement = BatchItem<'sqlite'>;

export interface D1IndexDeps {
  readonly db: DrizzleD1Database;
  readonly embeddings: Embeddings | undefined;
  readonly now: () => number;
}

export function createD1Index({ db, embeddings, now }: D1IndexDeps): MirrorIndex {
  /**
   * The live ones, once they were asked for: a batch asks about one after the other, for more of them than a Worker may
   * send queries to D1. Nobody else writes meanwhile, since the queue gives one message at a time.
   */
  let live: Set<number> | undefined;

  async function writeBatch(batch: readonly MirroredRaindrop[]): Promise<void> {
    const indexedAt = new Date(now()).toISOString();
    const lost = await tagsThatMayGo(batch);
    const [first, ...others] = [
      ...batch.flatMap((one) => (one.removedAt === null ? put(one, indexedAt) : remove(one.id))),
      ...(lost.length > 0 ? [dropUnused(lost)] : []),
    ];
    if (first) await db.batch([first, ...others]);
    for (const { id, removedAt } of batch) {
      if (removedAt === null) live?.add(id);
      else live?.delete(id);
    }
  }

  function put(raindrop: MirroredRaindrop, indexedAt: string): Statement[] {
    const { id, link, title, excerpt, domain, createdAt, updatedAt } = raindrop;
    const row = { link, title, excerpt, domain, createdAt, updatedAt };
    const textState = { textSha256: raindrop.textSha256, wordCount: raindrop.wordCount, indexedAt };
    return [
      // Never by REPLACE, which deletes, and so would take the rows of rag_state along.
      db
        .insert(raindrops)
        .values({ id, ...row })
        .onConflictDoUpdate({ target: raindrops.id, set: row }),
      ...putTags(id, raindrop.tags),
      ...putText(raindrop),
      db
        .insert(raindropTextState)
        .values({ raindropId: id, ...textState })
        .onConflictDoUpdate({ target: raindropTextState.raindropId, set: textState }),
    ];
  }

  function putTags(id: number, names: readonly string[]): Statement[] {
    const isNamed = isAmong(tags.name, names);
    return [
      db.delete(raindropTags).where(eq(raindropTags.raindropId, id)),
      db
        .insert(tags)
        .select(sql`SELECT NULL, value FROM json_each(${JSON.stringify([...new Set(names)])}) WHERE true`)
        .onConflictDoNothing({ target: tags.name }),
      db.insert(raindropTags).select(sql`SELECT ${id}, ${tags.id} FROM ${tags} WHERE ${isNamed}`),
    ];
  }

  function putText(raindrop: MirroredRaindrop): Statement[] {
    const { id, title, domain } = raindrop;
    const excerpt = [raindrop.excerpt, raindrop.note].filter((part) => part !== '').join('\n');
    const body = cutToBytes(raindrop.text, maxBodyBytes);
    return [
      removeText(id),
      db
        .insert(raindropFts)
        .values({ rowid: id, title, excerpt, body, tagsTxt: raindrop.tags.join(' '), domain }),
    ];
  }

  function removeText(id: number): Statement {
    return db.delete(raindropFts).where(eq(raindropFts.rowid, id));
  }

  /** Tags and text state go with the row. */
  function remove(id: number): Statement[] {
    return [db.delete(raindrops).where(eq(raindrops.id, id)), removeText(id)];
  }

  /**
   * The ids of tags that these raindrops have now and are about to lose. Whether others have them is asked for these
   * alone: nothing but a walk through raindrop_tags answers it, which most batches are spared.
   */
  async function tagsThatMayGo(batch: readonly MirroredRaindrop[]): Promise<number[]> {
    const kept = new Map(batch.map((one) => [one.id, new Set(one.removedAt === null ? one.tags : [])]));
    const present = await db
      .select({ raindropId: raindropTags.raindropId, tagId: tags.id, name: tags.name })
      .from(raindropTags)
      .innerJoin(tags, eq(tags.id, raindropTags.tagId))
      .where(isAmong(raindropTags.raindropId, [...kept.keys()]));
    const lost = present.filter((row) => !kept.get(row.raindropId ?? 0)?.has(row.name));
    return [...new Set(lost.map((row) => row.tagId))];
  }

  function dropUnused(tagIds: readonly number[]): Statement {
    const used = db.select({ id: raindropTags.tagId }).from(raindropTags);
    return db.delete(tags).where(and(isAmong(tags.id, tagIds), notInArray(tags.id, used)));
  }

  async function* liveIds(): AsyncGenerator<number> {
    let last = Number.MIN_SAFE_INTEGER;
    for (;;) {
      const rows = await db
        .select({ id: raindrops.id })
        .from(raindrops)
        .where(gt(raindrops.id, last))
        .orderBy(raindrops.id)
        .limit(idsPerRead);
      for (const { id } of rows) yield id;
      const end = rows.at(-1);
      if (!end || rows.length < idsPerRead) return;
      last = end.id;
    }
  }

  return {
    liveIds,

    async known(ids) {
      const all = live ?? new Set(await Array.fromAsync(liveIds()));
      live = all;
      return new Set(ids.filter((id) => all.has(id)));
    },

    async upsert(all) {
      const once = [...new Map(all.map((one) => [one.id, one])).values()];
      // Their vectors before their rows: rag_state goes with these, and then nobody knows which vectors there were.
      for (const { id, removedAt } of once) if (removedAt !== null) await embeddings?.update(id, []);
      for (const batch of batchesOf(once)) await writeBatch(batch);
    },

    /** They have no table here: whoever reads them reads manifests/collections.json. */
    async setCollections() {},

    async count() {
      const [row] = await db.select({ live: count() }).from(raindrops);
      return row?.live ?? 0;
    },
  };
}

/** The values go in as one JSON array: D1 takes a hundred parameters a statement, and a raindrop may have more tags. */
function isAmong(
  column: typeof tags.name | typeof tags.id | typeof raindropTags.raindropId,
  values: readonly (string | number)[],
) {
  return sql`${column} IN (SELECT value FROM json_each(${JSON.stringify(values)}))`;
}

/** As many as go together; a long one goes alone. */
function* batchesOf(all: readonly MirroredRaindrop[]): Generator<MirroredRaindrop[]> {
  let batch: MirroredRaindrop[] = [];
  let length = 0;
  for (const raindrop of all) {
    const isFull = batch.length === batchRaindrops || length + raindrop.text.length > batchTextLength;
    if (batch.length > 0 && isFull) {
      yield batch;
      batch = [];
      length = 0;
    }
    batch.push(raindrop);
    length += raindrop.text.length;
  }
  if (batch.length > 0) yield batch;
}
