// Research, a reader of PDFs: its database on the owner's disk is read whole, and what is here is brought in step with it.
import { isAbsolute } from 'node:path';
import { Conflict, Invalid, LecternError } from '../errors.ts';
import type { Json } from '../model/highlight.ts';
import { type OwnFiles, refuseOwnFiles } from '../store/research/own-files.ts';
import { readResearch } from '../store/research/read-research.ts';
import type { UserRows } from '../store/store.ts';
import { reconcile, type SyncOutcome } from './reconcile.ts';

export const researchSource = { source: 'research', kind: 'research' } as const;

type Rows = Pick<UserRows, 'syncs'>;

export interface ResearchConfig {
  readonly dbPath: string | null;
  readonly lastSyncAt: number | null;
}

export async function researchConfig({ syncs }: Rows): Promise<ResearchConfig> {
  const found = await syncs.findSource(researchSource.source);
  return { dbPath: found ? pathIn(found.config) : null, lastSyncAt: found?.lastSyncAt ?? null };
}

/** The file need not be there yet, or may be on a disk that is away. */
export async function configureResearch({ syncs }: Rows, dbPath: string, own: OwnFiles): Promise<void> {
  if (!isAbsolute(dbPath)) throw new Invalid('db_path: expected the whole path of a file, from the root');
  refuseOwnFiles(dbPath, own);
  await syncs.configure(researchSource, { db_path: dbPath });
}

/** A file that cannot be read in full changes nothing here, but that the failure is noted. */
export async function syncResearch(
  rows: Rows,
  own: OwnFiles,
  { dbPath, dryRun = false }: { dbPath?: string | undefined; dryRun?: boolean } = {},
): Promise<SyncOutcome> {
  const path = dbPath ?? (await researchConfig(rows)).dbPath;
  if (path === null) throw new Conflict('Research has no file yet: set db_path first');
  try {
    refuseOwnFiles(path, own);
    const snapshot = await readResearch(path);
    return await reconcile(rows, { ...researchSource, snapshot, extent: 'all', onMove: 'update', dryRun });
  } catch (error) {
    const why = error instanceof LecternError ? error.message : 'it failed for a reason that is in the log';
    if (!dryRun) await rows.syncs.noteFailure(researchSource, why);
    throw error;
  }
}

function pathIn(config: Json): string | null {
  const path = typeof config === 'object' && config !== null && 'db_path' in config ? config.db_path : null;
  return typeof path === 'string' ? path : null;
}
