// Where the next page of a search begins. Whoever pages on gets the order of the first page: its time goes along.
import { Invalid } from '../errors.ts';
import type { Millis } from '../model/glossary.ts';
import type { SearchCursor } from '../model/search.ts';

export type PageCursor =
  | { readonly by: 'rank'; readonly at: Millis; readonly after: SearchCursor }
  /** Lists that were fused are made anew for each page. */
  | { readonly by: 'place'; readonly at: Millis; readonly from: number };

export function writeCursor(cursor: PageCursor): string {
  const { at } = cursor;
  const said = cursor.by === 'rank' ? [at, cursor.after.id, cursor.after.score] : [at, cursor.from];
  return Buffer.from(JSON.stringify(said)).toString('base64url');
}

export function parseCursor(cursor: string): PageCursor {
  try {
    const said = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    const [at, first, score] = said as [number, number, number];
    const isTold = Number.isSafeInteger(at) && at >= 0 && Number.isSafeInteger(first) && first >= 0;
    if (isTold && said.length === 2) return { by: 'place', at, from: first };
    if (isTold && said.length === 3 && Number.isFinite(score))
      return { by: 'rank', at, after: { id: first, score } };
  } catch {
    // Said below, as for any other text that is no cursor.
  }
  throw new Invalid('cursor: expected the cursor of the page before');
}
