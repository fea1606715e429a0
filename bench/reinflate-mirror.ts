// How fast the files of the mirror become an index in which everything is found, compared in the same run with the least that
// could do it: reading the same files and inserting the same texts into a bare FTS5 table.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { searchSources } from '../src/cli/search-sources.ts';
import { blockingFileSystem, type FileSystem } from '../src/library/files/file-system.ts';
import type { Files } from '../src/library/files/files.ts';
import { openFolderFiles } from '../src/library/files/folder-files.ts';
import { addToManifests } from '../src/mirror/manifest.ts';
import { libraryObjects } from '../src/mirror/node/library-objects.ts';
import { takeInRaindrops } from '../src/mirror/node/reinflate.ts';
import type { RawRaindrop } from '../src/mirror/raindrop.ts';
import { type Stored, storeRaindrop } from '../src/mirror/store-raindrop.ts';
import { createIndexer, indexEverything } from '../src/search/index-pending.ts';
import { openStore } from '../src/store/open.ts';
import { type Result, randomText, report, timed } from './durable-bench.ts';

const usualCount = 20_000;
const goal = 0.5;
const rowsPerTransaction = 200;
const now = Date.now;
const names = ['raw.json', 'meta.json', 'plain.txt', 'permacopy.html'];

export async function run([given]: readonly string[]): Promise<boolean> {
  const count = Number(given ?? usualCount);
  const folder = mkdtempSync(join(tmpdir(), 'lectern-bench-'));
  try {
    const library = join(folder, 'library');
    const files = await openFolderFiles(library, { now, randomText, fileSystem: blockingFileSystem });
    const unsynced = await openFolderFiles(library, { now, randomText, fileSystem: withoutSync });
    const fillMs = await timed(() => fill(unsynced, count));
    process.stdout.write(`${count} raindrops written in ${Math.round(fillMs / 1_000)} s\n`);
    const results: Result[] = [];
    for (let round = 1; round <= 2; round++) {
      const bareMs = await timed(async () => bare(library, join(folder, `bare${round}.db`), count));
      const { rowsMs, wordsMs } = await reinflated(files, library, join(folder, `index${round}.db`), count);
      process.stdout.write(
        `round ${round}: rows ${Math.round(rowsMs)} ms, words ${Math.round(wordsMs)} ms, bare ${Math.round(bareMs)} ms\n`,
      );
      const perSecond = (ms: number) => (count * 1_000) / ms;
      results.push({
        what: `sqlite, round ${round}`,
        base: perSecond(bareMs),
        measured: perSecond(rowsMs + wordsMs),
        goal,
      });
    }
    return report(
      `${count} raindrops of 900 words from a folder, in documents per second`,
      { base: 'read and FTS5', measured: 'reinflate' },
      results,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What is written here is thrown away soon; nobody has to wait for the disk. */
const withoutSync: FileSystem = {
  ...blockingFileSystem,
  syncFolder: async () => {},
  createFile: async (path) => ({ ...(await blockingFileSystem.createFile(path)), sync: async () => {} }),
};

/** Words as often as they are in a language: few all the time, many now and then. */
function words(count: number, seed: number): string {
  let state = seed * 2_654_435_761 + 1;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return Array.from({ length: count }, () => `word${Math.floor(30_000 ** next())}`).join(' ');
}

async function fill(files: Files, count: number): Promise<void> {
  const objects = libraryObjects(files);
  for (let from = 0; from < count; from += 1_000) {
    const stored: Stored[] = [];
    const ids = Array.from({ length: Math.min(1_000, count - from) }, (_, n) => from + n + 1);
    for (const id of ids) {
      const html = `<!doctype html><title>${id}</title><body><p>${words(900, id).replaceAll(/(word1 )/g, '$1</p><p>')}</p>`;
      const api = {
        copy: async () => ({ kind: 'copy', bytes: Buffer.from(html), contentType: 'text/html' }) as const,
      };
      stored.push(await storeRaindrop({ objects, now }, api, rawOf(id)));
    }
    await addToManifests(objects, stored);
  }
}

function rawOf(id: number): RawRaindrop {
  const at = new Date(Date.UTC(2020, 0, 1) + id * 3_600_000).toISOString();
  return {
    _id: id,
    link: `https://site${id % 500}.example/${id}`,
    title: `Raindrop ${id} ${words(6, id + 7)}`,
    excerpt: words(25, id + 13),
    note: '',
    type: 'article',
    tags: [`tag${id % 50}`, `tag${(id * 7) % 90}`],
    created: at,
    lastUpdate: at,
    domain: `site${id % 500}.example`,
    collection: { $id: -1 },
    highlights: [],
    cache: { status: 'ready', size: 1, created: at },
  };
}

function bare(library: string, path: string, count: number): void {
  const db = new DatabaseSync(path);
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
    CREATE VIRTUAL TABLE fts USING fts5 (title, excerpt, body, tags_txt, domain, content='', contentless_delete=1,
      tokenize='unicode61 remove_diacritics 2')`);
  const insert = db.prepare(
    'INSERT INTO fts (rowid, title, excerpt, body, tags_txt, domain) VALUES (?, ?, ?, ?, ?, ?)',
  );
  for (let from = 1; from <= count; from += rowsPerTransaction) {
    const ids = Array.from({ length: Math.min(rowsPerTransaction, count - from + 1) }, (_, n) => from + n);
    const read = ids.map((id) =>
      names.map((name) => readFileSync(join(library, 'raindrops', String(id), name), 'utf8')),
    );
    db.exec('BEGIN');
    for (const [n, id] of ids.entries()) {
      const [raw = '', , text = ''] = read[n] ?? [];
      const { title, excerpt, tags, domain } = JSON.parse(raw);
      insert.run(id, title, excerpt, text, tags.join(' '), domain);
    }
    db.exec('COMMIT');
  }
  db.close();
}

async function reinflated(
  files: Files,
  library: string,
  path: string,
  count: number,
): Promise<{ rowsMs: number; wordsMs: number }> {
  const store = await openStore({ engine: 'sqlite', path }, { now, onIdleError: () => {} });
  try {
    const { id } = await store.users.create({ username: 'owner', passwordHash: null, role: 'owner' });
    const rowsMs = await timed(async () => {
      const { raindrops } = await takeInRaindrops(
        { store, files, holder: 'bench', library: { kind: 'folder', path: library } },
        id,
      );
      if (raindrops !== count) throw new Error(`${raindrops} came instead of ${count}`);
    });
    const sources = Object.values(searchSources(store, files));
    const indexer = createIndexer({ searchIndex: store.searchIndex, leases: store.leases, sources }, 'bench');
    const wordsMs = await timed(() => indexEverything(indexer));
    return { rowsMs, wordsMs };
  } finally {
    await store.close();
  }
}
