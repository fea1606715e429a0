// Is the library whole? Every segment against its own hash, every file that a row names against the row, and
// what is there that nothing names.
import { type DurableTable, durableTables, type Row } from '../store/durable.ts';
import type { SetName } from '../store/journal-store.ts';
import { collect, type Files, sha256Of } from './files/files.ts';
import { DamagedSegment, readSegment, segmentKey } from './journal/segment.ts';
import { chooseSets, missingSets, type Segment } from './journal/sets.ts';

export interface CheckOptions {
  /** Reads every file to its end and hashes it; without, a file only has to be there. Segments are always read. */
  readonly readData: boolean;
  /** The last set that the index has written, so that one missing at the end is missed too. */
  readonly lastSet: SetName | null;
  readonly onFile?: (done: number) => void;
}

export interface Problem {
  readonly key: string;
  readonly what: string;
}

export interface CheckReport {
  readonly segments: number;
  readonly files: number;
  readonly problems: readonly Problem[];
  /** Files that nothing names. No harm is in them, and no use. */
  readonly orphans: readonly string[];
}

export async function checkLibrary(
  files: Files,
  rowsOf: (table: DurableTable) => AsyncIterable<Row>,
  options: CheckOptions,
  tables: readonly DurableTable[] = durableTables,
): Promise<CheckReport> {
  const problems: Problem[] = [];
  const { segments, orphans } = await checkJournal(files, problems, options);

  const present = new Set<string>();
  for await (const { key } of files.listAll('')) {
    // Manifests tell of objects and are told of by nothing.
    if (!/^(journal|manifests)\//.test(key) && key !== 'library.json') present.add(key);
  }
  const named = new Set<string>();
  for (const table of tables) {
    if (!table.files) continue;
    for await (const row of rowsOf(table)) {
      for (const { key, sha256 } of table.files(row)) {
        named.add(key);
        const what = await checkFile(files, key, present.has(key), options.readData ? sha256 : undefined);
        if (what) problems.push({ key, what });
        options.onFile?.(segments + named.size);
      }
    }
  }
  const unnamed = [...present].filter((key) => !named.has(key)).sort();
  return { segments, files: named.size, problems, orphans: [...orphans, ...unnamed] };
}

async function checkJournal(files: Files, problems: Problem[], { onFile, lastSet }: CheckOptions) {
  const bySet = new Map<string, Segment[]>();
  let segments = 0;
  for await (const { key, sizeBytes } of files.listAll('journal/')) {
    segments += 1;
    onFile?.(segments);
    try {
      const bytes = await files.read(key);
      if (!bytes) continue;
      const { header } = readSegment(key, bytes);
      bySet.set(header.set, [...(bySet.get(header.set) ?? []), { key, sizeBytes, header }]);
    } catch (error) {
      problems.push({
        key,
        what:
          error instanceof DamagedSegment ? error.reason : `it cannot be read: ${(error as Error).message}`,
      });
    }
  }
  const { sets, leftovers } = chooseSets([...bySet.values()]);
  const damaged = new Set(problems.map(({ key }) => key));
  for (const { set } of missingSets(sets, lastSet)) {
    for (const key of missingParts(set, bySet.get(set) ?? [])) {
      if (!damaged.has(key)) problems.push({ key, what: 'it is missing' });
      damaged.add(key);
    }
  }
  return { segments, orphans: leftovers.map(({ key }) => key).filter((key) => !damaged.has(key)) };
}

/** The parts that keep a set from being whole: gaps, and the last one if none says that it is. */
function missingParts(set: string, found: readonly Segment[]): string[] {
  const have = new Set(found.map(({ header }) => header.part));
  const until = Math.max(0, ...have) + (found.some(({ header }) => header.last) ? 0 : 1);
  return Array.from({ length: until }, (_, index) => index + 1)
    .filter((part) => !have.has(part))
    .map((part) => segmentKey(set, part));
}

async function checkFile(files: Files, key: string, isPresent: boolean, sha256: string | undefined) {
  if (!isPresent) return 'it is missing';
  if (sha256 === undefined) return undefined;
  const file = await files.get(key);
  if (!file) return 'it is missing';
  const found = sha256Of(await collect(file.body));
  return found === sha256 ? undefined : 'its hash is not the one that its row has';
}
