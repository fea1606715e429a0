// Files that rows name and the library lacks: the pages are fetched again.
import { type CheckedFile, checkAgain, checkFiles, type Problem } from '../library/check.ts';
import type { Files } from '../library/files/files.ts';
import type { Store } from '../store/store.ts';
import { enrichPending } from './enrich-pending.ts';

export interface QueuedItem {
  readonly itemId: number;
  readonly url: string;
  readonly files: readonly string[];
}

export interface RestoredFiles {
  /** Items whose page is fetched again, and the files that they lack. */
  readonly queued: readonly QueuedItem[];
  /** Files that no fetch can bring back. */
  readonly lost: readonly Problem[];
}

const itemsPerWrite = 200;

/** With `readData`, a file whose hash is wrong counts as lost, too. */
export async function restoreFiles(
  { store, files }: { store: Pick<Store, 'durableRows' | 'pendingItems'>; files: Files },
  { readData }: { readData: boolean },
): Promise<RestoredFiles> {
  const suspects = new Map<number, { url: string; files: CheckedFile[] }>();
  const others: CheckedFile[] = [];
  for await (const file of checkFiles(files, store.durableRows, { readData })) {
    const { table, row, what } = file;
    if (!what) continue;
    if (table.name !== 'items') {
      others.push(file);
      continue;
    }
    const found = suspects.get(Number(row.id)) ?? { url: String(row.url), files: [] };
    found.files.push(file);
    suspects.set(Number(row.id), found);
  }
  // A running server may have changed rows and files meanwhile. An item that is right now must not be fetched again.
  const confirm = async (some: readonly CheckedFile[]): Promise<Problem[]> => {
    const problems: Problem[] = [];
    for (const file of some) {
      const what = await checkAgain(files, store.durableRows, file, { readData });
      if (what) problems.push({ key: file.key, what });
    }
    return problems;
  };
  const queued: QueuedItem[] = [];
  const lost = await confirm(others);
  const items = [...suspects];
  for (let at = 0; at < items.length; at += itemsPerWrite) {
    const damaged: [id: number, url: string, problems: Problem[]][] = [];
    for (const [id, { url, files: some }] of items.slice(at, at + itemsPerWrite)) {
      const problems = await confirm(some);
      if (problems.length > 0) damaged.push([id, url, problems]);
    }
    if (damaged.length === 0) continue;
    const pending = new Set(await store.pendingItems.reset(damaged.map(([id]) => id)));
    for (const [itemId, url, problems] of damaged) {
      if (pending.has(itemId)) queued.push({ itemId, url, files: problems.map(({ key }) => key) });
      else lost.push(...problems);
    }
  }
  await enrichPending(store);
  return { queued, lost };
}
