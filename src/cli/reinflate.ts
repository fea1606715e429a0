import { Command } from 'commander';
import { defaultOwnerName } from '../accounts/setup.ts';
import { StartupError } from '../errors.ts';
import { enrichPending } from '../items/enrich-pending.ts';
import { blockingFileSystem } from '../library/files/file-system.ts';
import type { Files } from '../library/files/files.ts';
import { openFiles } from '../library/files/open-files.ts';
import { segmentKey } from '../library/journal/segment.ts';
import { missingSets, readPart, readSets } from '../library/journal/sets.ts';
import { hasSegments } from '../library/library.ts';
import { reinflate } from '../library/reinflate.ts';
import { hasMirror, takeInRaindrops } from '../mirror/node/reinflate.ts';
import type { ReinflatedMirror } from '../mirror/reinflate-mirror.ts';
import { createIndexer, indexEverything } from '../search/index-pending.ts';
import { embedEverything } from '../search/meaning/embed-pending.ts';
import { readMigrations } from '../store/migrations.ts';
import { requireOwnIndex } from '../store/open.ts';
import { clearIndex, openRebuild } from '../store/reinflate/open-rebuild.ts';
import type { Rebuild } from '../store/reinflate/rebuild.ts';
import type { Store } from '../store/store.ts';
import { openEmbedder, openFollower } from './meaning.ts';
import { handHighlights } from './mirror.ts';
import { progressBar } from './progress.ts';
import { configure, type Opened, type Runtime, withStore } from './runtime.ts';
import { searchSources } from './search-sources.ts';

export function reinflateCommand(runtime: Runtime): Command {
  return new Command('reinflate')
    .description(
      'Rebuild the index (LECTERN_DATABASE_URL) from the library (LECTERN_LIBRARY_URL): after the index was lost, or to move from one engine to the other. Stop Lectern first.',
    )
    .option('--force', 'put an index that has rows aside and rebuild it')
    .option('--rag', 'then embed every text anew too, which otherwise happens when Lectern runs')
    .option('--json', 'print the summary as JSON')
    .action((options: Options) => run(runtime, options));
}

interface Options {
  readonly force?: boolean;
  readonly json?: boolean;
  readonly rag?: boolean;
}

async function run(runtime: Runtime, { force = false, json = false, rag = false }: Options): Promise<void> {
  const { config, log } = configure(runtime);
  const { now, randomText } = runtime;
  const files = await openFiles(config.library, { now, randomText, fileSystem: blockingFileSystem });
  await requireOwnIndex(config.database);
  const isMirrorAlone = !(await hasSegments(files)) && (await hasMirror(files));
  if (!isMirrorAlone) await requireWhole(files);
  const aside = await makeRoom(runtime, force);
  if (aside) log.info(aside);

  const started = performance.now();
  const bar = progressBar(runtime, 'Rebuilding');
  const summary = isMirrorAlone
    ? { sets: 0, facts: 0, resumed: false }
    : await replay(runtime, files, (facts, total) => bar.update(facts, total)).finally(() => bar.end());
  const { hash, tables, mirror, meaning } = await withStore(runtime, async (opened) => {
    const { store } = opened;
    const mirror = await takeInMirror(runtime, store, files);
    await enrichPending(store);
    const meaning = rag ? await embedTexts(runtime, opened) : undefined;
    return { mirror, meaning, ...(await store.stateHash()) };
  });
  const seconds = Math.round((performance.now() - started) / 100) / 10;
  if (json) {
    runtime.stdout.write(
      `${JSON.stringify({ ...summary, seconds, state_hash: hash, tables, mirror, meaning }, null, 2)}\n`,
    );
    return;
  }
  const rows = tables.map(({ table, rows }) => `${rows} ${table}`).join(', ');
  runtime.stdout.write(
    `The index is rebuilt${summary.resumed ? ', from where it was interrupted' : ''}: ${rows}.\n` +
      `${summary.facts} facts of ${summary.sets} sets in ${seconds} s. State hash ${hash}\n`,
  );
  if (mirror.raindrops + mirror.removed > 0)
    runtime.stdout.write(
      `${mirror.raindrops + mirror.removed} raindrops came from the files of the mirror.\n`,
    );
  if (rag)
    runtime.stdout.write(
      meaning
        ? `${meaning.chunks} passages of ${meaning.documents} documents are embedded by ${meaning.model}.\n`
        : 'Nothing was embedded: LECTERN_EMBEDDINGS is off.\n',
    );
  for (const { id, what } of mirror.problems)
    runtime.stdout.write(`Raindrop ${id} was left out: ${what}. The mirror fetches it anew.\n`);
}

async function replay(runtime: Runtime, files: Files, onProgress: (facts: number, total: number) => void) {
  const { config } = runtime.readConfig();
  const { now, randomText } = runtime;
  const rebuild = await openRebuild(config.database, { now, pullIntervalMs: config.pull.intervalMs });
  return closing(rebuild, () =>
    reinflate({
      ...{ files, rebuild, randomText },
      onProgress: ({ facts, totalFacts }) => onProgress(facts, totalFacts),
    }),
  );
}

/** What can be found is indexed first: the embedder follows search. */
async function embedTexts(runtime: Runtime, opened: Opened) {
  const { store, library } = opened;
  const embedder = openEmbedder(runtime, opened);
  if (!embedder) return undefined;
  const { searchIndex, leases } = store;
  const sources = Object.values(searchSources(store, library.files));
  const indexer = createIndexer({ searchIndex, leases, sources, alone: true }, runtime.randomText(12));
  const follower = openFollower(runtime, opened, embedder, { alone: true });
  const bar = progressBar(runtime, 'Embedding');
  try {
    await indexEverything(indexer);
    await embedEverything(follower, new AbortController().signal, ({ documents, pending }) =>
      bar.update(documents - pending, documents),
    );
    const { documents, chunks } = await follower.status();
    return { model: embedder.model, documents, chunks };
  } finally {
    bar.end();
    await embedder.close();
  }
}

/** What the files of the mirror tell of and the journal does not. It belongs to the owner, who may have to come yet. */
async function takeInMirror(runtime: Runtime, store: Store, files: Files): Promise<ReinflatedMirror> {
  if (!(await hasMirror(files))) return { raindrops: 0, removed: 0, problems: [] };
  const owner =
    (await store.users.findOwner()) ??
    (await store.users.create({ username: defaultOwnerName, passwordHash: null, role: 'owner' }));
  const { library } = runtime.readConfig().config;
  const bar = progressBar(runtime, 'Reading the mirror');
  const taken = await takeInRaindrops(
    { store, files, holder: runtime.randomText(12), library },
    owner.id,
    (done, total) => bar.update(done, total),
  ).finally(() => bar.end());
  if (taken.raindrops > 0) await handHighlights(store, owner.id);
  return taken;
}

/** Before the index is touched: there is something to rebuild from, and every file of it can be read. */
async function requireWhole(files: Files): Promise<void> {
  const { sets } = await readSets(files);
  if (sets.length === 0) {
    throw new StartupError(
      'The library has no journal, so there is nothing to rebuild from. Check LECTERN_LIBRARY_URL.',
    );
  }
  const missing = missingSets(sets, null).map(({ set }) => segmentKey(set, 1));
  if (missing.length > 0) {
    throw new StartupError(
      `The journal is not whole: ${missing.join(', ')} is missing. Restore it from a backup first.`,
    );
  }
  const known = readMigrations('sqlite').length;
  const newest = Math.max(...sets.map(({ schema }) => schema));
  if (newest > known) {
    throw new StartupError(
      `The library was written at schema ${newest}, and this Lectern knows schemas up to ${known}: upgrade it first.`,
    );
  }
  for (const { parts } of sets) for (const part of parts) await readPart(files, part);
}

async function makeRoom(runtime: Runtime, force: boolean): Promise<string | undefined> {
  const { config } = runtime.readConfig();
  const rebuild = await openRebuild(config.database, {
    now: runtime.now,
    pullIntervalMs: config.pull.intervalMs,
  });
  const { isFull, isInUse } = await closing(rebuild, async () => ({
    isFull: !(await rebuild.findProgress()) && !(await rebuild.isEmpty()),
    isInUse: await rebuild.isInUse(),
  }));
  if (isInUse)
    throw new StartupError(
      'Lectern is running on this index. Stop it first; if it was killed, wait 15 seconds.',
    );
  if (!isFull) return undefined;
  if (!force) {
    throw new StartupError(
      'The index has rows already. Add --force to put it aside and rebuild it from the library.',
    );
  }
  return clearIndex(config.database, runtime.now);
}

async function closing<T>(rebuild: Rebuild, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    await rebuild.close();
  }
}
