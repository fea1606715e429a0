// The states of a document as one number, a bit for each: for what is looked up beside the index of terms.
import type { DocState } from '../../model/search.ts';

const bits: Record<DocState, number> = { unread: 1, bookmarked: 2, archived: 4, highlighted: 8 };

export function flagsOf(states: readonly DocState[]): number {
  return states.reduce((flags, state) => flags | bits[state], 0);
}

/** In SQL, of a row of search_docs. */
export function hasOneOfEach(row: string, lists: readonly (readonly DocState[])[]): string {
  return lists.map((states) => `${row}.flags & ${flagsOf(states)} <> 0`).join(' AND ');
}
