// A copy of an old database that is read in its stead, so that neither the file nor what lies beside it is touched.
import { constants } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, rm, stat, statfs } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Conflict, Invalid, StartupError } from '../../errors.ts';
import { type Detected, detectDatabase, type OldDatabase } from './detect.ts';
import { openSource, requireWhole, type Source } from './source.ts';

/** A WAL has the last changes, a journal those that must be undone. */
const sideFiles = ['', '-wal', '-journal'];
const prefix = 'importing-';
const staleAfterMs = 24 * 3600 * 1000;

/** Opens a copy of `file` that is made in `folder`. */
export async function openSnapshot(
  file: string,
  { folder, now }: { readonly folder: string; readonly now: number },
): Promise<{ source: Source; close: () => Promise<void> }> {
  const before = await stampOf(file);
  if (!before.isFile) throw new Invalid(`FILE: ${file} is no file`);
  const own = await makeFolder(folder, now);
  const remove = () => rm(own, { recursive: true, force: true });
  try {
    await requireRoom(file, own, before.sizeBytes);
    const copy = await copyAtRest(file, own);
    const old = requireOld(file, await detectDatabase(copy));
    requireWhole(copy, file);
    const source = openSource(copy, old, file);
    // What is open can be read without its name, and then nothing is left however we end; Windows wants it closed first.
    await remove().catch(() => {});
    const close = async () => {
      source.close();
      await remove();
    };
    return { source, close };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function makeFolder(folder: string, now: number): Promise<string> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await removeStale(folder, now);
    return await mkdtemp(join(folder, prefix));
  } catch (error) {
    throw new StartupError(`LECTERN_HOME: cannot write to ${folder} (${(error as Error).message})`, {
      cause: error,
    });
  }
}

async function stampOf(file: string) {
  const stats = await Promise.all(
    sideFiles.map((suffix) => stat(file + suffix, { bigint: true }).catch(ignoreMissing)),
  );
  if (!stats[0]) throw new Invalid(`FILE: there is no ${file}`);
  return {
    isFile: stats[0].isFile(),
    sizeBytes: stats.reduce((sum, one) => sum + Number(one?.size ?? 0), 0),
    text: stats.map((one) => (one ? `${one.ino} ${one.size} ${one.mtimeNs}` : '')).join(', '),
  };
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

/** As one file, without a WAL. Files that change while they are copied are copied again. */
async function copyAtRest(file: string, folder: string): Promise<string> {
  const copy = join(folder, 'old.db');
  for (let tries = 1; ; tries++) {
    const before = await stampOf(file);
    for (const suffix of sideFiles) {
      await rm(copy + suffix, { force: true });
      await copyFile(file + suffix, copy + suffix, constants.COPYFILE_FICLONE).catch((error) => {
        if (suffix !== '' && error.code === 'ENOENT') return;
        throw new Invalid(`FILE: cannot read ${file + suffix} (${error.message})`, { cause: error });
      });
    }
    if (before.text === (await stampOf(file)).text) break;
    if (tries === 5)
      throw new Conflict(
        `${basename(file)} changes while it is read: stop the program that has it open first`,
      );
  }
  settle(copy);
  return copy;
}

function settle(copy: string): void {
  const db = new DatabaseSync(copy);
  try {
    db.exec('PRAGMA journal_mode = DELETE');
  } catch {
    // Whoever looks what it is finds the same fault, and has a sentence for it.
  } finally {
    db.close();
  }
}

function requireOld(file: string, detected: Detected): OldDatabase {
  if (detected.kind === 'legacy' || detected.kind === 'current') return detected;
  const why = {
    none: 'is empty',
    lectern: 'is an index of Lectern: "lectern reinflate" rebuilds one from its library',
  };
  throw new Invalid(`FILE: ${file} ${detected.kind === 'foreign' ? detected.why : why[detected.kind]}`);
}

async function requireRoom(file: string, folder: string, neededBytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize >= neededBytes) return;
  throw new Invalid(
    `FILE: there is no room for a copy of ${file} in ${folder}: set LECTERN_HOME to a larger disk`,
  );
}

/** What a process has left that was killed. */
async function removeStale(folder: string, now: number): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(prefix)) continue;
    const { mtimeMs } = await stat(join(folder, name));
    if (now - mtimeMs > staleAfterMs) await rm(join(folder, name), { recursive: true, force: true });
  }
}
