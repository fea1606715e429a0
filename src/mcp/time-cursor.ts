// Where a list by time goes on: after this row.
import { Invalid } from '../errors.ts';

export interface Place {
  readonly at: number;
  readonly id: number;
}

export function cursorAfter({ at, id }: Place): string {
  return `${at}_${id}`;
}

export function placeOf(cursor: string): Place {
  const [, at, id] = /^(-?\d{1,16})_(\d{1,15})$/.exec(cursor) ?? [];
  if (at === undefined) throw new Invalid('cursor: expected the next_cursor of the answer before');
  return { at: Number(at), id: Number(id) };
}
