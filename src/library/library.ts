// The library as one index sees it: its files, and the right to write to them. `library.json` says which index
// that is; a second index is refused.
import { LibraryLost, StartupError } from '../errors.ts';
import type { RandomText } from '../model/glossary.ts';
import type { IndexStore } from '../store/index-store.ts';
import type { JournalStore } from '../store/journal-store.ts';
import { type Files, sha256Of } from './files/files.ts';
import { segmentKey } from './journal/segment.ts';
import { newestHeader } from './journal/sets.ts';

export const identityKey = 'library.json';

export interface Identity {
  readonly id: string;
  /** The index that may write. */
  readonly writer: string;
}

export interface Library {
  readonly files: Files;
  readonly id: string;
  readonly writer: string;
  /** Throws when another index has become the writer. */
  requireWriter(): Promise<void>;
}

export interface LibraryDeps {
  readonly files: Files;
  readonly index: IndexStore;
  readonly randomText: RandomText;
  /** For the last steps of a reinflate itself. */
  readonly duringReinflate?: boolean;
}

/**
 * Joins the index and the library that belong together. Both new: they are made for each other. An empty index
 * beside a full library is what `lectern reinflate` is for, an index whose library is gone `lectern library repair --all`.
 */
export async function joinLibrary(deps: LibraryDeps): Promise<Library> {
  const { files, index, duringReinflate = false } = deps;
  if (!duringReinflate && (await index.isReinflating())) {
    throw new StartupError(
      'A reinflate was interrupted. Run "lectern reinflate" again: it goes on where it was.',
    );
  }
  // In the opposite order of `beginLibrary`, which another process may be at: whoever finds the later steps done must
  // not have looked for the earlier ones before.
  const ownLibraryId = await index.findLibraryId();
  const found = await readIdentity(files);
  const ownId = await index.findId();
  const isFull = await hasSegments(files);
  if (found && found.writer === ownId) {
    if (ownLibraryId !== found.id) await index.setLibraryId(found.id);
    await refuseOldIndex(deps);
    return libraryOf(files, found);
  }
  if (!found && isFull) {
    throw new StartupError(
      'The library has a journal but no library.json. If this index wrote it, run "lectern library repair"; otherwise run "lectern reinflate".',
    );
  }
  if (ownLibraryId === undefined && !isFull) return beginLibrary(deps, found?.id);
  if (ownLibraryId === undefined && (await index.isEmpty())) {
    throw new StartupError(
      'The index is empty and the library is not: it looks as if the index was deleted. Rebuild it from the library with:\n\n  lectern reinflate\n',
    );
  }
  if (found) {
    throw new StartupError(
      'The library belongs to another index, and two indexes must not write to one library. ' +
        'Check LECTERN_LIBRARY_URL and LECTERN_DATABASE_URL, or rebuild this index from the library with "lectern reinflate --force".',
    );
  }
  throw new StartupError(
    "This index's library was not found. Check LECTERN_LIBRARY_URL, and that its disk is mounted. " +
      'If it is lost, "lectern library repair --all" writes a new one from the index.',
  );
}

/** An index that was put back from a copy has forgotten turns that it took; its next sets would mix with theirs. */
async function refuseOldIndex({ files, index }: LibraryDeps): Promise<void> {
  const newest = await newestHeader(files);
  if (!newest || newest.ordinal <= (await index.findOrdinal())) return;
  throw new StartupError(
    'This index is older than its library; it was probably restored from a copy. Rebuild it from the library with "lectern reinflate --force".',
  );
}

/** Writes a lost or damaged library.json again, if the newest segment is the last that this index wrote or was rebuilt from. */
export async function restoreIdentity({
  files,
  index,
  journal,
}: Omit<LibraryDeps, 'randomText'> & {
  readonly journal: Pick<JournalStore, 'findLastSet'>;
}): Promise<boolean> {
  if (await findIdentity(files)) return false;
  const [id, writer] = [await index.findLibraryId(), await index.findId()];
  const newest = await newestHeader(files);
  if (id === undefined || writer === undefined || !newest) return false;
  if (newest.writer !== writer) {
    const lastSet = await journal.findLastSet();
    const isRebuiltFrom =
      lastSet?.ordinal === newest.ordinal && (await files.stat(segmentKey(lastSet.set, 1))) !== undefined;
    if (!isRebuiltFrom) return false;
  }
  await claim(files, { id, writer });
  return true;
}

/** A new library for this index, in an empty place. All its rows are noted, so the next flush fills it. */
export async function beginLibrary(
  { files, index, randomText }: LibraryDeps,
  id = randomText(12),
): Promise<Library> {
  if (await hasSegments(files)) throw new StartupError('LECTERN_LIBRARY_URL: there is a library already.');
  const writer = await index.ensureId(randomText(12));
  // The notes first: a crash after the claim would leave a library that looks as if it had them.
  await index.noteAllRows();
  const library = await claim(files, { id, writer });
  await index.setLibraryId(library.id);
  return library;
}

/** Makes `writer` the one index that may write. The one before finds out at its next flush. */
export async function claim(files: Files, identity: Identity): Promise<Library> {
  const { id, writer } = identity;
  const sha256 = hashOf(identity);
  await files.put(identityKey, `${JSON.stringify({ id, writer, sha256 }, null, 2)}\n`);
  // Two that claim at once: the later write holds, and the other learns of it here.
  const library = libraryOf(files, (await readIdentity(files)) ?? identity);
  if (library.writer !== identity.writer) await libraryOf(files, identity).requireWriter();
  return library;
}

export async function readIdentity(files: Files): Promise<Identity | undefined> {
  const bytes = await files.read(identityKey);
  if (!bytes) return undefined;
  try {
    const { id, writer, ...rest } = JSON.parse(Buffer.from(bytes).toString('utf8'));
    // Earlier versions wrote no hash.
    const isWhole = Object.keys(rest).length === 0 || rest.sha256 === hashOf({ id, writer });
    if (typeof id === 'string' && typeof writer === 'string' && isWhole) return { id, writer };
  } catch {
    // Falls through: what cannot be read is as wrong as what says nothing.
  }
  throw new StartupError(
    'library.json is damaged. Run "lectern library repair", or "lectern reinflate" if the index is gone.',
  );
}

function hashOf({ id, writer }: Identity): string {
  return sha256Of(Buffer.from(`${id} ${writer}`));
}

/** Undefined when library.json is missing or damaged. Throws when the library does not answer. */
export async function findIdentity(files: Files): Promise<Identity | undefined> {
  try {
    return await readIdentity(files);
  } catch (error) {
    if (error instanceof StartupError) return undefined;
    throw error;
  }
}

export async function hasSegments(files: Files): Promise<boolean> {
  return (await files.list('journal/', { limit: 1 })).files.length > 0;
}

function libraryOf(files: Files, { id, writer }: Identity): Library {
  return {
    files,
    id,
    writer,
    requireWriter: async () => {
      const present = await readIdentity(files);
      if (present?.writer === writer) return;
      throw new LibraryLost(
        present
          ? 'Another index has taken over the library. This one can write no more; nothing in the library was lost.'
          : 'library.json is missing, so nothing is written to the library. Is the disk mounted?',
      );
    },
  };
}
