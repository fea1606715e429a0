// Is the library whole? Every segment against its own hash, every file that a row names against the row, and
// what is there that nothing names.
import { type DurableTable, durableTables, type Row } from '../store/durable.ts';
import type { SetName } from '../store/journal-store.ts';
import { collect, type Files, sha256Of } from './files/files.ts';
import { findProblems } from './journal/problems.ts';
import type { Problem } from './journal/segment.ts';
import { inspectJournal } from './journal/sets.ts';

export interface CheckOptions {
  /** Reads every file to its end and hashes it; without, a file only has to be there. Segments are always read. */
  readonly readData: boolean;
  /** The last set that the index has written, so that one missing at the end is missed too. */
  readonly lastSet: SetName | null;
  readonly onFile?: (done: number) => void;
}

export type { Problem };

export interface CheckReport {
  /** Of sets that count. */
  readonly segments: number;
  /** Segments of merged sets, which are deleted a day after the merge. */
  readonly kept: number;
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
  const { problems, segments, kept, orphans } = await checkJournal(files, options);

  const present = await listOwnFiles(files);
  const named = new Set<string>();
  for await (const { key, what } of checkFiles(files, rowsOf, { ...options, tables, present })) {
    named.add(key);
    if (what) problems.push({ key, what });
    options.onFile?.(segments + named.size);
  }
  const unnamed = [...present].filter((key) => !named.has(key)).sort();
  return { segments, kept, files: named.size, problems, orphans: [...orphans, ...unnamed] };
}

/** The files that a row should name. */
async function listOwnFiles(files: Files): Promise<Set<string>> {
  const present = new Set<string>();
  for await (const { key } of files.listAll('')) {
    if (!/^(journal|manifests|locks|set-aside)\//.test(key) && key !== 'library.json') present.add(key);
  }
  return present;
}

export interface CheckedFile {
  readonly table: DurableTable;
  readonly row: Row;
  readonly key: string;
  /** What is wrong with it. */
  readonly what: string | undefined;
}

/** Every file that a row names. */
export async function* checkFiles(
  files: Files,
  rowsOf: (table: DurableTable) => AsyncIterable<Row>,
  options: { readData: boolean; tables?: readonly DurableTable[]; present?: ReadonlySet<string> },
): AsyncGenerator<CheckedFile> {
  const { readData, tables = durableTables, present = await listOwnFiles(files) } = options;
  for (const table of tables) {
    if (!table.files) continue;
    for await (const row of rowsOf(table)) {
      for (const { key, sha256 } of table.files(row)) {
        const what = await checkFile(files, key, present.has(key), readData ? sha256 : undefined);
        yield { table, row, key, what };
      }
    }
  }
}

/** Segments that are missing or damaged, and parts of sets that were never completed. */
export async function checkJournal(
  files: Files,
  { onFile, lastSet }: Pick<CheckOptions, 'onFile' | 'lastSet'>,
) {
  let read = 0;
  const journal = await inspectJournal(files, { onFile: async () => onFile?.(++read) });
  const problems = findProblems(journal, lastSet);
  const reported = new Set(problems.map(({ key }) => key));
  return {
    problems,
    segments: journal.sets.reduce((sum, { parts }) => sum + parts.length, 0),
    kept: journal.superseded.reduce((sum, { set }) => sum + set.parts.length, 0),
    orphans: journal.incomplete.map(({ key }) => key).filter((key) => !reported.has(key)),
  };
}

async function checkFile(files: Files, key: string, isPresent: boolean, sha256: string | undefined) {
  if (!isPresent) return 'it is missing';
  if (sha256 === undefined) return undefined;
  const file = await files.get(key);
  if (!file) return 'it is missing';
  const found = sha256Of(await collect(file.body));
  return found === sha256 ? undefined : 'its hash is not the one that its row has';
}
