// Documents that are the same page, such as an entry and the bookmark made from it. They are noted when they are
// indexed, so that a search can show one of them by looking into a table that is mostly empty.
import { type SearchKind, searchKinds } from '../../model/search.ts';
import type { Writer } from '../database.ts';
import type { NewRow, Row } from '../tables.ts';
import type { Generation } from './generation.ts';

/** An address of which documents came, changed or went. */
export interface TouchedPage {
  readonly userId: number;
  readonly urlKey: string;
}

type Doc = Pick<Row<'search_docs'>, 'id' | 'kind' | 'ref_id' | 'title' | 'published_at' | 'url_key'>;
type Twin = NewRow<'search_twins'>;

/** `removed` are documents that are gone from where they were: no row says any more of which page that was. */
export async function noteTwins(
  trx: Writer,
  { docs: docsTable, twins: twinsTable }: Pick<Generation, 'docs' | 'twins'>,
  touched: readonly TouchedPage[],
  removed: readonly number[],
): Promise<void> {
  const gone = [...removed];
  const twins: Twin[] = [];
  for (const [userId, pages] of Map.groupBy(touched, (page) => page.userId)) {
    const docs = await trx
      .selectFrom(docsTable)
      .select(['id', 'kind', 'ref_id', 'title', 'published_at', 'url_key'])
      .where('user_id', '=', userId)
      .where('url_key', 'in', [...new Set(pages.map(({ urlKey }) => urlKey))])
      .execute();
    gone.push(...docs.map(({ id }) => id));
    twins.push(...twinsAmong(docs));
  }
  await replaceTwins(trx, twinsTable, gone, twins);
}

async function replaceTwins(
  trx: Writer,
  table: Generation['twins'],
  ids: readonly number[],
  twins: readonly Twin[],
): Promise<void> {
  for (let at = 0; at < ids.length; at += rowsAtOnce)
    await trx
      .deleteFrom(table)
      .where('doc_id', 'in', ids.slice(at, at + rowsAtOnce))
      .execute();
  for (let at = 0; at < twins.length; at += rowsAtOnce)
    await trx
      .insertInto(table)
      .values(twins.slice(at, at + rowsAtOnce))
      .execute();
}

const rowsAtOnce = 500;

/** Where an address has several documents of one kind, as a list of changes has, it is the title too that makes a page. */
function twinsAmong(docs: readonly Doc[]): Twin[] {
  return [...Map.groupBy(docs, ({ url_key }) => url_key).values()].flatMap((sameAddress) => {
    const isShared = new Set(sameAddress.map(({ kind }) => kind)).size < sameAddress.length;
    const pages = Map.groupBy(sameAddress, ({ title }) => (isShared ? title : ''));
    return [...pages.values()].filter((page) => page.length > 1).flatMap(twinsOfPage);
  });
}

function twinsOfPage(docs: readonly Doc[]): Twin[] {
  const page = docs.reduce((lowest, { id }) => Math.min(lowest, id), Number.MAX_SAFE_INTEGER);
  const inOrder = docs.toSorted(
    (a, b) =>
      precedence(a.kind) - precedence(b.kind) || b.published_at - a.published_at || b.ref_id - a.ref_id,
  );
  return inOrder.map(({ id }, place) => ({ doc_id: id, page, place }));
}

function precedence(kind: string): number {
  const place = searchKinds.indexOf(kind as SearchKind);
  return place < 0 ? searchKinds.length : place;
}
