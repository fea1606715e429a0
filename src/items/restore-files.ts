// Files that rows name and the library lacks: the pages are fetched again.
import { checkFiles, type Problem } from '../library/check.ts';
import type { Files } from '../library/files/files.ts';
import type { Store } from '../store/store.ts';
import { enrichPending } from './enrich-pending.ts';

export interface RestoredFiles {
  /** Items whose page is fetched again, and the files that they lack. */
  readonly queued: readonly {
    readonly itemId: number;
    readonly url: string;
    readonly files: readonly string[];
  }[];
  /** Files that no fetch can bring back. */
  readonly lost: readonly Problem[];
}

const itemsPerWrite = 200;

/** With `readData`, a file whose hash is wrong counts as lost, too. */
export async function restoreFiles(
  { store, files }: { store: Pick<Store, 'durableRows' | 'pendingItems'>; files: Files },
  { readData }: { readData: boolean },
): Promise<RestoredFiles> {
  const problems = new Map<number, { url: string; files: Problem[] }>();
  const lost: Problem[] = [];
  for await (const { table, row, key, what } of checkFiles(files, (name) => store.durableRows(name), {
    readData,
  })) {
    if (!what) continue;
    if (table.name !== 'items') {
      lost.push({ key, what });
      continue;
    }
    const found = problems.get(Number(row.id)) ?? { url: String(row.url), files: [] };
    found.files.push({ key, what });
    problems.set(Number(row.id), found);
  }
  const ids = [...problems.keys()];
  const queued = new Set<number>();
  for (let at = 0; at < ids.length; at += itemsPerWrite) {
    for (const id of await store.pendingItems.reset(ids.slice(at, at + itemsPerWrite))) queued.add(id);
  }
  await enrichPending(store);
  for (const [id, { files: some }] of problems) if (!queued.has(id)) lost.push(...some);
  return {
    queued: [...problems]
      .filter(([id]) => queued.has(id))
      .map(([itemId, { url, files: some }]) => ({ itemId, url, files: some.map(({ key }) => key) })),
    lost,
  };
}
