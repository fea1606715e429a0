// Verifies the library: every segment by its own hash, and every file that a row refers to by the hash in the row.
import { createHash } from 'node:crypto';
import { type DurableTable, durableTables, type Row } from '../store/durable.ts';
import type { SetName } from '../store/journal-store.ts';
import type { Files } from './files/files.ts';
import { readAhead } from './files/read-ahead.ts';
import { findProblems } from './journal/problems.ts';
import type { Problem } from './journal/segment.ts';
import { inspectJournal } from './journal/sets.ts';

const missing = 'it is missing';

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
  /** Files that no row refers to. They do no harm. */
  readonly orphans: readonly string[];
}

/** Every row of a table; with `row`, at least the row with the same key, as it is now. */
export type RowsOf = (table: DurableTable, row?: Row) => AsyncIterable<Row>;

export async function checkLibrary(
  files: Files,
  rowsOf: RowsOf,
  options: CheckOptions,
  tables: readonly DurableTable[] = durableTables,
): Promise<CheckReport> {
  const { problems, segments, kept, orphans } = await checkJournal(files, options);

  const present = await listOwnFiles(files);
  const named = new Set<string>();
  const suspects: CheckedFile[] = [];
  for await (const file of checkFiles(files, rowsOf, { ...options, tables, present })) {
    named.add(file.key);
    if (file.what) suspects.push(file);
    options.onFile?.(segments + named.size);
  }
  for (const file of suspects) {
    const what = await checkAgain(files, rowsOf, file, options);
    if (what) problems.push({ key: file.key, what });
  }
  const unnamed = [...present].filter((key) => !named.has(key)).sort();
  return { segments, kept, files: named.size, problems, orphans: [...orphans, ...unnamed] };
}

/** The files that a row should refer to. */
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
  readonly sha256: string | undefined;
  /** What seems to be wrong with it. */
  readonly what: string | undefined;
}

/**
 * Every file that a row refers to. A running server may add, change or delete rows and their files meanwhile: before a problem is
 * reported, `checkAgain` must confirm it.
 */
export async function* checkFiles(
  files: Files,
  rowsOf: RowsOf,
  options: { readData: boolean; tables?: readonly DurableTable[]; present?: ReadonlySet<string> },
): AsyncGenerator<CheckedFile> {
  const { readData, tables = durableTables, present = await listOwnFiles(files) } = options;
  const check = async (file: Omit<CheckedFile, 'what'>): Promise<CheckedFile> => {
    const { key, sha256 } = file;
    if (!present.has(key)) return { ...file, what: missing };
    return {
      ...file,
      what: readData && sha256 !== undefined ? await checkFile(files, key, sha256) : undefined,
    };
  };
  yield* readAhead(filesOf(rowsOf, tables), check);
}

async function* filesOf(
  rowsOf: RowsOf,
  tables: readonly DurableTable[],
): AsyncGenerator<Omit<CheckedFile, 'what'>> {
  for (const table of tables) {
    if (!table.files) continue;
    for await (const row of rowsOf(table)) {
      for (const { key, sha256 } of table.files(row)) yield { table, row, key, sha256 };
    }
  }
}

/** Checks a file and its row once more. Undefined when the file is right, or when the row is gone or no longer refers to it. */
export async function checkAgain(
  files: Files,
  rowsOf: RowsOf,
  { table, row, key, sha256 }: CheckedFile,
  { readData }: { readData: boolean },
): Promise<string | undefined> {
  for (let expected = sha256; ; ) {
    const what = await checkFile(files, key, readData ? expected : undefined);
    if (!what) return undefined;
    // The row is read after the file: only if it has not changed, the file should have been right.
    const now = await findRow(rowsOf, table, row);
    const file = now && table.files?.(now).find((one) => one.key === key);
    if (!file) return undefined;
    if (file.sha256 === expected) return what;
    expected = file.sha256;
  }
}

async function findRow(rowsOf: RowsOf, table: DurableTable, row: Row): Promise<Row | undefined> {
  for await (const now of rowsOf(table, row))
    if (table.key.every(({ column }) => now[column] === row[column])) return now;
  return undefined;
}

/** Segments that are missing or damaged, and parts of sets that were never completed. */
export async function checkJournal(
  files: Files,
  { onFile, lastSet }: Pick<CheckOptions, 'onFile' | 'lastSet'>,
) {
  let read = 0;
  const journal = await inspectJournal(files, { onFile: () => onFile?.(++read) });
  const problems = findProblems(journal, lastSet);
  const reported = new Set(problems.map(({ key }) => key));
  return {
    problems,
    segments: journal.sets.reduce((sum, { parts }) => sum + parts.length, 0),
    kept: journal.superseded.reduce((sum, { set }) => sum + set.parts.length, 0),
    orphans: journal.incomplete.map(({ key }) => key).filter((key) => !reported.has(key)),
  };
}

async function checkFile(files: Files, key: string, sha256: string | undefined): Promise<string | undefined> {
  if (sha256 === undefined) return (await files.stat(key)) ? undefined : missing;
  const file = await files.get(key);
  if (!file) return missing;
  const found = createHash('sha256');
  for await (const chunk of file.body) found.update(chunk);
  return found.digest('hex') === sha256 ? undefined : 'its hash is not the one that its row has';
}
