import { Command, InvalidArgumentError } from 'commander';
import { defaultOwnerName } from '../accounts/setup.ts';
import { StartupError } from '../errors.ts';
import { restoreFiles } from '../items/restore-files.ts';
import { blockingFileSystem } from '../library/files/file-system.ts';
import type { Files } from '../library/files/files.ts';
import { openFiles } from '../library/files/open-files.ts';
import { segmentKey } from '../library/journal/segment.ts';
import { hasSegments } from '../library/library.ts';
import { findLock, identifyProcess, lockValidMs } from '../library/lock.ts';
import { findMoments, restoresMoment } from '../library/moments.ts';
import { reinflate, untilOf } from '../library/reinflate.ts';
import { hasLosses, lossSpan, planRestore, type RestorePlan } from '../library/restore-plan.ts';
import { hasMirror, takeInRaindrops } from '../mirror/node/reinflate.ts';
import type { ReinflatedMirror } from '../mirror/reinflate-mirror.ts';
import type { Millis } from '../model/glossary.ts';
import { createIndexer, indexEverything } from '../search/index-pending.ts';
import { embedEverything } from '../search/meaning/embed-pending.ts';
import { readMigrations } from '../store/migrations.ts';
import { DamagedIndex, requireOwnIndex } from '../store/open.ts';
import type { Store } from '../store/store.ts';
import { openEmbedder, openFollower } from './meaning.ts';
import { handHighlights } from './mirror.ts';
import { progressBar } from './progress.ts';
import { inspectIndex, makeRoom, type PresentIndex, withRebuild } from './replace-index.ts';
import { printRestoredFiles } from './restored-files.ts';
import { type CommandOptions, configure, type Opened, type Runtime, withStore } from './runtime.ts';
import { searchSources } from './search-sources.ts';

export function reinflateCommand(runtime: Runtime): Command {
  return new Command('reinflate')
    .description(
      'Rebuild the index (LECTERN_DATABASE_URL) from the library (LECTERN_LIBRARY_URL): after the index was lost, or to move from one engine to the other. Stop Lectern first.',
    )
    .option('--force', 'put an index that has rows aside and rebuild it')
    .option('--discard', 'with --force: give up rows of the old index that cannot be written to the library')
    .option(
      '--until <time>',
      'restore the last flush at or before this time, such as 2026-11-18T09:30:00Z; later changes are kept for a day',
      parseTime,
    )
    .option('--partial', 'rebuild from a journal of which more than a day cannot be used')
    .option('--rag', 'then embed every text again, which otherwise happens when Lectern runs')
    .option('--json', 'print the summary as JSON')
    .action((options: Options) => run(runtime, options));
}

interface Options {
  readonly force?: boolean;
  readonly discard?: boolean;
  readonly until?: Millis;
  readonly partial?: boolean;
  readonly json?: boolean;
  readonly rag?: boolean;
}

interface PlanOptions {
  readonly until: Millis | undefined;
  readonly partial: boolean;
  readonly discard: boolean;
}

/** A copy of a running library takes less than this. So the missing end is at most a day. */
const longestCopyMs = 24 * 3_600_000;

async function run(runtime: Runtime, options: Options): Promise<void> {
  const { force = false, discard = false, partial = false, json = false, rag = false } = options;
  const { config, log } = configure(runtime);
  const { now, randomText } = runtime;
  const files = await openFiles(config.library, { now, randomText, fileSystem: blockingFileSystem });
  await requireOwnIndex(config.database).catch((error) => {
    // A damaged index may be replaced: see makeRoom.
    if (!(error instanceof DamagedIndex)) throw error;
  });
  const lock = await findLock({ files, self: identifyProcess() });
  if (lock)
    throw new StartupError(
      `Lectern is running on this library (process ${lock.pid} on ${lock.machine.split(' ')[0]}). Stop it first; if it was killed, wait ${lockValidMs / 1000} seconds.`,
    );
  const isMirrorAlone = !(await hasSegments(files)) && (await hasMirror(files));
  const index = await inspectIndex(runtime);
  const until = force ? options.until : untilOf(index.progress, options.until);
  const isRebuilt = !force && index.progress?.rebuilt === true;
  const plan =
    isMirrorAlone || isRebuilt ? undefined : await requirePlan(files, index, { until, partial, discard });
  const aside = await makeRoom(runtime, files, index, { force, discard });
  for (const line of aside) log.info(line);
  if (plan && hasLosses(plan)) log.warn(lossSentence(plan));

  const started = performance.now();
  const bar = progressBar(runtime, 'Rebuilding');
  const onProgress = (facts: number, total: number) => bar.update(facts, total);
  const summary = isMirrorAlone
    ? { sets: 0, facts: 0, resumed: false, setAside: [], ...(await addFromFiles(runtime, files)) }
    : await replay(runtime, files, { until, plan, onProgress }).finally(() => bar.end());
  const { hash, tables, mirror, restored } = summary;
  const meaning = rag ? await withStore(runtime, (opened) => embedTexts(runtime, opened)) : undefined;
  const seconds = Math.round((performance.now() - started) / 100) / 10;
  if (json) {
    const { sets, facts, resumed, setAside } = summary;
    const report = {
      ...{ sets, facts, resumed, seconds, state_hash: hash, tables, mirror, meaning },
      set_aside: setAside,
      fetched_again: restored.queued.map(({ itemId, url }) => ({ item_id: itemId, url })),
      lost_files: restored.lost,
    };
    runtime.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
    return;
  }
  const rows = tables.map(({ table, rows }) => `${rows} ${table}`).join(', ');
  runtime.stdout.write(
    `The index is rebuilt${summary.resumed ? ', from where it was interrupted' : ''}: ${rows}.\n` +
      `${summary.facts} facts of ${summary.sets} sets in ${seconds} s. State hash ${hash}\n`,
  );
  if (summary.setAside.length > 0)
    runtime.stdout.write(`${summary.setAside.length} segments that cannot be used are in set-aside/ now.\n`);
  printRestoredFiles(runtime, restored);
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

async function replay(
  runtime: Runtime,
  files: Files,
  {
    until,
    plan,
    onProgress,
  }: {
    until: Millis | undefined;
    plan: RestorePlan | undefined;
    onProgress: (facts: number, total: number) => void;
  },
) {
  const { now, randomText } = runtime;
  return withRebuild(runtime, async (rebuild) => {
    const rebuilt = await reinflate({
      ...{ files, rebuild, now, randomText, until, plan },
      onProgress: ({ facts, totalFacts }) => onProgress(facts, totalFacts),
    });
    const added = await addFromFiles(runtime, files, { duringReinflate: true });
    await rebuild.release();
    return { ...rebuilt, ...added };
  });
}

/** Adds what only the other files of the library show: raindrops of the mirror, and items that lack files. */
async function addFromFiles(runtime: Runtime, files: Files, options: CommandOptions = {}) {
  return withStore(
    runtime,
    async ({ store }) => {
      const mirror = await takeInMirror(runtime, store, files);
      const restored = await restoreFiles({ store, files }, { readData: false });
      return { mirror, restored, ...(await store.stateHash()) };
    },
    options,
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
async function requirePlan(
  files: Files,
  index: PresentIndex,
  { until, partial, discard }: PlanOptions,
): Promise<RestorePlan> {
  const plan = await planRestore(files, { until });
  const { run, journal } = plan;
  if (journal.complete.length === 0 && journal.damaged.length === 0) {
    throw new StartupError(
      'The library has no journal, so there is nothing to rebuild from. Check LECTERN_LIBRARY_URL.',
    );
  }
  const known = readMigrations('sqlite').length;
  const newest = Math.max(0, ...run.map(({ schema }) => schema));
  if (newest > known) {
    throw new StartupError(
      `The library was written at schema ${newest}, and this Lectern knows schemas up to ${known}: upgrade it first.`,
    );
  }
  if (index.isFull && !discard) requireEveryChange(plan, index);
  if (until !== undefined && !restoresMoment(plan, until)) throw await unreachable(files, until);
  const remedy = `${index.isFull ? `${repairAdvice} Or restore` : 'Restore'} the missing segments from a backup.`;
  if (run.length === 0) throw new StartupError(`${lossSentence(plan)} Nothing can be rebuilt. ${remedy}`);
  const span = lossSpan(plan);
  if (until === undefined && span.to - span.from > longestCopyMs && !partial) {
    throw new StartupError(
      `${lossSentence(plan)} ${remedy} If there is none, --partial rebuilds the index as it was before the gap; ` +
        'the segments after it are moved to set-aside/ in the library. Nothing was changed.',
    );
  }
  return plan;
}

const repairAdvice = 'Run "lectern library repair": it writes their rows again from the index.';

/** An index is not replaced by a library that lacks changes which the index may still have. */
function requireEveryChange(plan: RestorePlan, { lastSet }: PresentIndex): void {
  const isLastThere =
    !lastSet ||
    plan.journal.complete.some(
      ({ fromOrdinal, ordinal }) => fromOrdinal <= lastSet.ordinal && lastSet.ordinal <= ordinal,
    );
  if (isLastThere && !hasLosses(plan)) return;
  const missing = plan.missing ?? (isLastThere ? undefined : lastSet);
  throw new StartupError(
    `${lossSentence({ ...plan, missing })} ${repairAdvice} Or add --discard to replace the index with what the library has. ` +
      'Nothing was changed.',
  );
}

/** What cannot be restored. A reinflate stops before the first missing or damaged segment. */
function lossSentence(plan: RestorePlan): string {
  const { run, leftOut, missing, damaged } = plan;
  const gone = missing ? [{ key: segmentKey(missing.set, 1), what: 'it is missing' }] : [];
  const problems = new Map([...gone, ...damaged].map((problem) => [problem.key, problem]));
  const named = [...problems.values()].slice(0, 5).map(({ key, what }) => `${key} (${what})`);
  const segments = leftOut.reduce((sum, { parts }) => sum + parts.length, 0);
  const facts = leftOut.reduce((sum, set) => sum + set.facts, 0);
  const { from, to } = lossSpan(plan);
  const reached = run.at(-1);
  return [
    `The journal has missing or damaged segments: ${named.join(', ')}${problems.size > 5 ? ` and ${problems.size - 5} more` : ''}.`,
    ...(leftOut.length > 0
      ? [`${segments} segments with ${facts} facts from ${time(from)} to ${time(to)} cannot be used.`]
      : []),
    ...(reached ? [`The journal is complete up to ${time(reached.lastAt)}.`] : []),
  ].join(' ');
}

class UnreachableMoment extends StartupError {
  override readonly exitCode = 2;
}

const maxTimesListed = 40;

async function unreachable(files: Files, until: Millis): Promise<UnreachableMoment> {
  const { range, times } = await findMoments(files);
  const isShortened = times.length > maxTimesListed;
  return new UnreachableMoment(
    [
      `The journal cannot restore ${time(until)}. It can restore:`,
      ...(isShortened ? [`  the last ${maxTimesListed} of ${times.length} ends of days:`] : []),
      ...times.slice(-maxTimesListed).map((at) => `  ${time(at)}`),
      ...(range
        ? [`  every moment since ${time(range.first)}${range.last ? ` until ${time(range.last)}` : ''}`]
        : []),
    ].join('\n'),
  );
}

function parseTime(text: string): Millis {
  const at = Date.parse(text);
  if (Number.isNaN(at)) throw new InvalidArgumentError('It must be a time such as 2026-11-18T09:30:00Z.');
  return at;
}

function time(at: Millis): string {
  return new Date(at).toISOString();
}
