// What a transaction of the indexer does: which rows of search_docs and which terms come, change and go.
import { sql } from 'kysely';
import { cleanText } from '../clean-text.ts';
import type { Reader, Writer } from '../database.ts';
import type { NewRow, Row } from '../tables.ts';
import { idsToTry, minuteOf } from './doc-id.ts';
import type { Generation } from './generation.ts';
import { kindMark, userMark } from './marks.ts';
import type { DocTerms } from './term-writer.ts';
import type { TouchedPage } from './twins.ts';

export interface PendingDoc {
  readonly refId: number;
  readonly version: number;
}

type Terms = Pick<DocTerms, 'title' | 'text'>;

/** What it can be filtered by. */
export interface IndexedFacts {
  /** Besides those of its kind and its user. */
  readonly marks: readonly string[];
  readonly feedId: number | null;
  readonly lang: string | null;
  /** JSON. */
  readonly tags: string | null;
  readonly flags: number;
}

/** A document as it is to be found. */
export interface IndexedDoc extends IndexedFacts {
  readonly userId: number;
  readonly title: string;
  readonly urlKey: string | null;
  readonly site: string | null;
  readonly publishedAt: number;
  /** Of text and marks. */
  readonly textSha256: string;
  /** Only asked for when they are not in the index already. */
  readonly terms: () => Terms;
}

/** What to do about a pending document: index it, or with undefined take it out. */
export interface DocChange extends PendingDoc {
  readonly doc: IndexedDoc | undefined;
}

/** With its terms ready, if they must be written: splitting a text is not done while others wait for the lock. */
export interface ReadyChange extends DocChange {
  readonly terms: Terms | undefined;
}

export interface Plan {
  readonly inserted: NewRow<'search_docs'>[];
  readonly updated: NewRow<'search_docs'>[];
  readonly removed: number[];
  readonly removedTerms: number[];
  readonly terms: DocTerms[];
  /** Addresses whose documents are others than before. */
  readonly touched: TouchedPage[];
}

const maxAttempts = 14;

export async function readyChanges(
  read: Reader,
  docs: Generation['docs'],
  kind: string,
  changes: readonly DocChange[],
): Promise<ReadyChange[]> {
  const present = await presentDocs(read, docs, kind, changes);
  return changes.map((change) => {
    const { doc, refId } = change;
    const row = doc && present.get(refId)?.find((candidate) => isAtHome(candidate, doc));
    return { ...change, terms: !doc || (row && hasSameText(row, doc)) ? undefined : doc.terms() };
  });
}

export async function planChanges(
  trx: Writer,
  docs: Generation['docs'],
  kind: string,
  changes: readonly ReadyChange[],
): Promise<Plan> {
  const plan: Plan = { inserted: [], updated: [], removed: [], removedTerms: [], terms: [], touched: [] };
  const present = await presentDocs(trx, docs, kind, changes);
  const taken = new Map<number, number>();
  for (const { refId, doc, terms } of changes) {
    const rows = present.get(refId) ?? [];
    const kept = doc && rows.find((row) => isAtHome(row, doc));
    const gone = rows.filter((row) => row !== kept).map((row) => row.id);
    plan.removed.push(...gone);
    plan.removedTerms.push(...gone);
    touch(plan, ...rows.filter((row) => row !== kept));
    if (!doc) continue;
    const id = kept?.id ?? (await freeId(trx, docs, refId, doc, taken));
    const row = toRow(id, kind, refId, doc);
    if (!kept) plan.inserted.push(row);
    else if (!isSameRow(kept, row)) plan.updated.push(row);
    if (!kept || !isSameRow(kept, row)) touch(plan, row, ...(kept ? [kept] : []));
    if (kept && hasSameText(kept, doc)) continue;
    if (kept) plan.removedTerms.push(id);
    plan.terms.push({
      id,
      ...(terms ?? doc.terms()),
      marks: [kindMark(kind), userMark(doc.userId), ...doc.marks],
    });
  }
  return plan;
}

function touch(plan: Plan, ...rows: readonly Pick<NewRow<'search_docs'>, 'user_id' | 'url_key'>[]): void {
  for (const { user_id, url_key } of rows)
    if (url_key) plan.touched.push({ userId: user_id, urlKey: url_key });
}

async function presentDocs(
  read: Reader | Writer,
  docs: Generation['docs'],
  kind: string,
  changes: readonly PendingDoc[],
): Promise<Map<number, Row<'search_docs'>[]>> {
  const refIds = changes.map(({ refId }) => refId);
  const rows = await read
    .selectFrom(docs)
    .selectAll()
    .where('kind', '=', kind)
    .where('ref_id', 'in', refIds)
    .execute();
  return Map.groupBy(rows, (row) => row.ref_id);
}

/** Whether the row may keep its id, which says whose it is and of when. */
function isAtHome(row: Row<'search_docs'>, doc: IndexedDoc): boolean {
  return row.user_id === doc.userId && minuteOf(row.published_at) === minuteOf(doc.publishedAt);
}

function hasSameText(row: Row<'search_docs'>, doc: IndexedDoc): boolean {
  return row.text_sha256 === doc.textSha256 && row.title === cleanText(doc.title);
}

function toRow(id: number, kind: string, refId: number, doc: IndexedDoc): NewRow<'search_docs'> {
  return {
    id,
    user_id: doc.userId,
    kind,
    ref_id: refId,
    url_key: cleanText(doc.urlKey),
    title: cleanText(doc.title),
    site: cleanText(doc.site),
    published_at: doc.publishedAt,
    text_sha256: doc.textSha256,
    feed_id: doc.feedId,
    lang: doc.lang,
    tags: cleanText(doc.tags),
    flags: doc.flags,
  };
}

function isSameRow(row: Row<'search_docs'>, wanted: NewRow<'search_docs'>): boolean {
  return Object.entries(wanted).every(([column, value]) => row[column as keyof typeof row] === value);
}

/** `taken` has the highest id of each minute, with those that this transaction gives out. */
async function freeId(
  trx: Writer,
  docs: Generation['docs'],
  refId: number,
  doc: IndexedDoc,
  taken: Map<number, number>,
): Promise<number> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const { from, to } = idsToTry(doc.userId, doc.publishedAt, refId, attempt);
    const last = taken.get(from) ?? (await highestId(trx, docs, from, to)) ?? from - 1;
    taken.set(from, Math.min(last + 1, to));
    if (last < to) return last + 1;
  }
  throw new Error(`no free id for a search document of minute ${minuteOf(doc.publishedAt)}`);
}

async function highestId(
  trx: Writer,
  docs: Generation['docs'],
  from: number,
  to: number,
): Promise<number | undefined> {
  // Written out: it is asked for every new document, and building it would take longer than running it.
  const { rows } = await sql<{ id: number }>`
    SELECT id FROM ${sql.table(docs)} WHERE id >= ${from} AND id <= ${to} ORDER BY id DESC LIMIT 1`.execute(
    trx,
  );
  return rows[0]?.id;
}
