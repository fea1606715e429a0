// Collections as they lie in each other. What the server gives is flat.
import type { Collection } from '../lib/api-types.ts';

export interface CollectionRow {
  readonly collection: Collection;
  readonly depth: number;
  /** Of what is in it, and in all within it. */
  readonly count: number;
  readonly hasChildren: boolean;
  readonly isFolded: boolean;
}

const names = new Intl.Collator(undefined, { sensitivity: 'base', numeric: true });

/** From the top down; what lies in one that is folded is left out. One whose parent is not there lies at the top. */
export function treeRows(collections: readonly Collection[], folded: ReadonlySet<string>): CollectionRow[] {
  const children = childrenOf(collections);
  const counts = new Map<string, number>();
  const count = (collection: Collection): number => {
    const sum = (children.get(collection.id) ?? []).reduce(
      (n, child) => n + count(child),
      collection.itemCount,
    );
    counts.set(collection.id, sum);
    return sum;
  };
  const rows: CollectionRow[] = [];
  const add = (collection: Collection, depth: number) => {
    const within = children.get(collection.id) ?? [];
    const isFolded = within.length > 0 && folded.has(collection.id);
    rows.push({
      collection,
      depth,
      count: counts.get(collection.id) ?? 0,
      hasChildren: within.length > 0,
      isFolded,
    });
    if (!isFolded) for (const child of within) add(child, depth + 1);
  };
  for (const top of children.get(null) ?? []) {
    count(top);
    add(top, 0);
  }
  return rows;
}

/** Its own id, and those of all within it. */
export function idsWithin(id: string, collections: readonly Collection[]): Set<string> {
  const found = new Set([id]);
  let before = 0;
  while (found.size > before) {
    before = found.size;
    for (const one of collections) if (one.parentId !== null && found.has(one.parentId)) found.add(one.id);
  }
  return found;
}

/** From the top to it: `Work › Reports`. */
export function pathOf(id: string, collections: readonly Collection[]): string {
  const byId = new Map(collections.map((one) => [one.id, one]));
  const path: string[] = [];
  const seen = new Set<string>();
  for (let at = byId.get(id); at && !seen.has(at.id); at = byId.get(at.parentId ?? '')) {
    seen.add(at.id);
    path.unshift(at.name);
  }
  return path.join(' › ');
}

function childrenOf(collections: readonly Collection[]): Map<string | null, Collection[]> {
  const ids = new Set(collections.map(({ id }) => id));
  const sorted = [...collections].sort((a, b) => names.compare(a.name, b.name));
  return Map.groupBy(sorted, ({ parentId }) => (parentId !== null && ids.has(parentId) ? parentId : null));
}
