// Where a list goes on: after the last row that was shown, however many have come before it meanwhile.
import { ApiError } from './api-error.ts';

export interface RankCursor {
  readonly by: 'rank';
  readonly score: number;
  readonly id: number;
}

export interface DateCursor {
  readonly by: 'date';
  readonly updatedAt: string | null;
  readonly id: number;
}

export type Cursor = RankCursor | DateCursor;

export function writeCursor(cursor: Cursor): string {
  const at = cursor.by === 'rank' ? cursor.score : cursor.updatedAt;
  const bytes = new TextEncoder().encode(JSON.stringify([cursor.by, at, cursor.id]));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
}

/** One that was given for a list in another order is refused: it would leave rows out. */
export function readRankCursor(text: string | undefined): RankCursor | undefined {
  if (text === undefined) return undefined;
  const [by, score, id] = parts(text);
  if (by === 'rank' && typeof score === 'number' && isId(id)) return { by, score, id };
  throw notOurs();
}

export function readDateCursor(text: string | undefined): DateCursor | undefined {
  if (text === undefined) return undefined;
  const [by, updatedAt, id] = parts(text);
  if (by === 'date' && (typeof updatedAt === 'string' || updatedAt === null) && isId(id))
    return { by, updatedAt, id };
  throw notOurs();
}

const isId = (value: unknown): value is number => Number.isSafeInteger(value);

const notOurs = () =>
  new ApiError(400, 'cursor: expected the `next` of the page before, for the same search');

function parts(text: string): unknown[] {
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    const value: unknown = JSON.parse(
      new TextDecoder().decode(Uint8Array.from(binary, (c) => c.charCodeAt(0))),
    );
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
