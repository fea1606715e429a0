// Where a page of items ends, as a text that means nothing to anybody else. It is good for the order it was made for.
import { Invalid } from '../../errors.ts';
import type { Item, ItemPlace } from '../../model/item.ts';

export function cursorAfter(item: Pick<Item, 'id' | 'createdAt' | 'deletedAt'>, order: string): string {
  const at = order.startsWith('deleted') ? (item.deletedAt ?? 0) : item.createdAt;
  return Buffer.from(`${order} ${at} ${item.id}`).toString('base64url');
}

export function placeOf(cursor: string, order: string): ItemPlace {
  const text = /^[\w-]+$/.test(cursor) ? Buffer.from(cursor, 'base64url').toString('latin1') : '';
  const [, madeFor, at, id] = /^(.+) (\d{1,15}) (\d{1,15})$/.exec(text) ?? [];
  if (madeFor !== order) throw new Invalid('cursor: expected the nextCursor of a page in the same order');
  return { at: Number(at), id: Number(id) };
}
