// One batch: at most fifty raindrops, from wherever the run stands. What is stored is stored for good; the cursor moves only
// over what is. Nothing here knows of queues: the host sends `next` after `delay`.

import { isFromFuture } from '../model/clock-jump.ts';
import { Batch } from './batch.ts';
import { findUpdates, Unsorted } from './find-updates.ts';
import type { BatchMessage, BatchResult, MirrorHost } from './host.ts';
import { collectionsKey } from './manifest.ts';
import { Postponed } from './postponed.ts';
import { iso, type RawRaindrop, updatedMs } from './raindrop.ts';
import { comeBackMs } from './raindrop-api.ts';
import {
  packIds,
  type Run,
  readCopies,
  readRun,
  stateKeys,
  unpackIds,
  type WaitingCopy,
  writeRun,
} from './run-state.ts';

export const betweenBatchesMs = 60 * 60_000;
export const betweenRunsMs = 24 * 3_600_000;
/** What no increment tells is found by looking at everything, this often. */
const sweepEveryMs = 7 * betweenRunsMs;
/** Deletions while it goes on make a sweep miss something; then it is begun again. */
const mostSweeps = 3;
/** So many in a row that are there after all mean that the sweep was wrong, not they. */
const mostThere = 10;
/** More than that is not asked for after a sweep that has not seen all. */
const mostUnseen = 200;
/** What is in the trash longer than that was found before. */
const trashPages = 20;

/** What a batch works on, and changes as it goes. */
interface Work {
  readonly host: MirrorHost;
  readonly batch: Batch;
  run: Run;
  cursorMs: number;
  /** Of the message. */
  readonly page: number;
}

type Step = (work: Work) => Promise<void>;

export async function runBatch(host: MirrorHost, { page, cursor }: BatchMessage): Promise<BatchResult> {
  const work: Work = {
    host,
    batch: await Batch.open(host),
    run: await readRun(host.state),
    cursorMs: Date.parse(cursor),
    page,
  };
  let delay: number | undefined;
  let problem: string | null = null;
  try {
    if (work.run.phase === 'idle') await begin(work);
    while (work.run.phase !== 'idle' && !work.batch.isFull) await steps[work.run.phase](work);
  } catch (error) {
    if (!(error instanceof Postponed)) throw error;
    host.log?.('the mirror has to wait', { problem: error.message, delay: error.delayMs });
    delay = Math.max(error.delayMs, comeBackMs);
    problem = error.message;
  }
  await work.batch.settle();
  const after = iso(Math.max(work.cursorMs, Date.parse(cursor)));
  // The cursor first: what the run says after it may rely on it.
  if (after !== cursor || (await host.state.get(stateKeys.cursor)) === null)
    await host.state.set(stateKeys.cursor, after);
  const isDone = work.run.phase === 'idle';
  const next = { page: nextPage({ page, isMoved: after !== cursor || isDone, work }), cursor: after };
  await writeRun(host.state, { ...work.run, page: next.page, problem });
  return {
    cursor: after,
    next,
    delay: delay ?? (isDone ? betweenRunsMs : betweenBatchesMs),
    isDone: isDone && delay === undefined,
    processed: work.batch.processed,
  };
}

/** It counts batches that the cursor has not moved in: those had nothing but the time that it stands at. */
function nextPage({ page, isMoved, work }: { page: number; isMoved: boolean; work: Work }): number {
  if (isMoved) return 0;
  return work.run.phase === 'updates' && work.batch.processed > 0 ? page + 1 : page;
}

async function begin(work: Work): Promise<void> {
  const { host, batch } = work;
  const collections = await batch.api.collections();
  await host.objects.put(collectionsKey, JSON.stringify(collections), 'application/json');
  await host.index.setCollections(collections);
  work.run = {
    ...work.run,
    phase: 'updates',
    isUnsorted: false,
    recounted: false,
    sweep: null,
    startedAt: iso(host.now()),
  };
}

const steps: Readonly<Record<Exclude<Run['phase'], 'idle'>, Step>> = {
  async updates(work) {
    const { batch, run } = work;
    try {
      const { place, isPlaceFull } = run;
      const found = await findUpdates(
        batch.api,
        { cursorMs: work.cursorMs, place, isPlaceFull, isSameTime: work.page > 0 },
        async (items) => (await batch.changedOf(items)).length >= batch.itemsLeft || batch.isFull,
      );
      const isAll = await storeInOrder(work, found.items);
      // Where it is looked for the next time: at the first page that was not done with.
      const here = isAll ? { place: found.place, isPlaceFull: found.isPlaceFull } : {};
      work.run = { ...work.run, total: found.count, ...here };
      if (isAll && found.isEnd) work.run = { ...work.run, phase: 'trash' };
    } catch (error) {
      if (!(error instanceof Unsorted)) throw error;
      work.run = { ...work.run, phase: 'sweep', isUnsorted: true };
    }
  },

  async trash(work) {
    const { host, batch } = work;
    for (let page = 0; page < trashPages; page++) {
      const { items, isLast } = await batch.api.list({ collection: -99, page, sort: '-lastUpdate' });
      const live = await host.index.known(items.map(({ _id }) => _id));
      for (const { _id } of items) {
        if (!live.has(_id)) continue;
        // Those that are done are not live any more when the next batch looks.
        if (batch.removalsLeft <= 0) return;
        await batch.remove(_id);
      }
      if (isLast) break;
    }
    await batch.settle();
    work.run = { ...work.run, phase: work.run.isUnsorted ? 'copies' : 'count' };
  },

  /** Counts that agree are the proof that nothing was missed; one that was saved just now is no reason to look at all. */
  async count(work) {
    const { host, batch, run } = work;
    const { count: total, changedMs } = await batch.api.stats();
    const isOurs = total - run.hidden === (await host.index.count());
    const isDue = run.sweptAt === null || isSweepDue(Date.parse(run.sweptAt), host.now());
    // Something was changed, and nothing that was has told so.
    const isUntold =
      changedMs !== undefined &&
      run.changedAt !== null &&
      changedMs > Math.max(Date.parse(run.changedAt), work.cursorMs) &&
      batch.processed === 0;
    const changedAt = changedMs === undefined ? run.changedAt : iso(changedMs);
    work.run = { ...run, total };
    if (!isOurs && !run.recounted) work.run = { ...work.run, phase: 'updates', recounted: true };
    else work.run = { ...work.run, changedAt, phase: isOurs && !isDue && !isUntold ? 'copies' : 'sweep' };
  },

  async sweep(work) {
    const { batch } = work;
    const begun = work.run.sweep ?? { page: 0, count: 0, seen: '', latest: iso(0), tries: 1 };
    const { items, count, isLast } = await batch.api.list({
      collection: 0,
      page: begun.page,
      sort: 'created',
    });
    const sweep = begun.page === 0 ? { ...begun, count } : begun;
    // What does not fit is looked at again in the next batch; those that are done are current then.
    if (!(await storeChanged(batch, items))) return;
    const seen = unpackIds(sweep.seen);
    for (const { _id } of items) seen.add(_id);
    const updates = items.map((raw) => Math.min(updatedMs(raw), work.host.now()));
    const latest = iso(Math.max(Date.parse(sweep.latest), ...updates));
    work.run = {
      ...work.run,
      total: count,
      sweep: { ...sweep, page: sweep.page + 1, seen: packIds(seen), latest },
    };
    if (isLast) await endSweep(work, seen, count);
  },

  /** Gone is what is not there when it is asked for by its name: lists may be late, or wrong. */
  async removals(work) {
    const { batch } = work;
    const left = [...unpackIds(work.run.unseen)];
    for (let there = 0; left.length > 0 && there < mostThere; ) {
      if (batch.isFull) {
        work.run = { ...work.run, unseen: packIds(left) };
        return;
      }
      const id = left.shift() as number;
      const raw = await batch.api.get(id);
      const isGone = !raw || raw.removed === true;
      there = isGone ? 0 : there + 1;
      if (isGone) await batch.remove(id);
    }
    work.run = { ...work.run, unseen: '', phase: work.run.isUnsorted ? 'trash' : 'copies' };
  },

  async copies(work) {
    const { host, batch } = work;
    const now = host.now();
    const isDue = ({ after, writtenAt }: WaitingCopy) =>
      Date.parse(after) <= now || (writtenAt !== undefined && isFromFuture(Date.parse(writtenAt), now));
    for (const { id } of (await readCopies(host.state)).filter(isDue)) {
      if (batch.isFull) return;
      const raw = await batch.api.get(id);
      if (raw && raw.removed !== true) {
        await batch.announce([raw]);
        await batch.store(raw);
      } else await batch.remove(id);
    }
    work.run = { ...work.run, phase: 'idle', finishedAt: iso(now) };
  },
};

function isSweepDue(sweptAt: number, now: number): boolean {
  return isFromFuture(sweptAt, now) || now - sweptAt >= sweepEveryMs;
}

/** What was not seen is gone, if all was seen that there is. */
async function endSweep(work: Work, seen: ReadonlySet<number>, count: number): Promise<void> {
  const { host, batch, run } = work;
  const sweep = run.sweep as NonNullable<Run['sweep']>;
  // One that is deleted meanwhile moves the others up, and hides one that is there behind its own absence.
  const isWhole = seen.size === count && sweep.count === count;
  if (!isWhole && sweep.tries < mostSweeps) {
    work.run = {
      ...run,
      sweep: { page: 0, count: 0, seen: '', latest: sweep.latest, tries: sweep.tries + 1 },
    };
    return;
  }
  await batch.settle();
  const unseen: number[] = [];
  for await (const id of host.index.liveIds()) if (!seen.has(id)) unseen.push(id);
  const isToBeAsked = isWhole || unseen.length <= mostUnseen;
  if (!isToBeAsked)
    host.log?.('a sweep has not seen most raindrops, so none is taken for deleted', {
      seen: seen.size,
      count,
    });
  // Without an order, only now is nothing left before the latest.
  if (run.isUnsorted) work.cursorMs = Math.max(work.cursorMs, Date.parse(sweep.latest));
  work.run = {
    ...run,
    phase: 'removals',
    sweep: null,
    unseen: packIds(isToBeAsked ? unseen : []),
    sweptAt: iso(host.now()),
    hidden: sweep.count === count ? count - seen.size : 0,
  };
}

/** The earliest first, so that the cursor may follow. True when none is left. */
async function storeInOrder(work: Work, items: readonly RawRaindrop[]): Promise<boolean> {
  return storeChanged(work.batch, items, (raw) => {
    // One from the future would carry the cursor past all that is edited until then.
    work.cursorMs = Math.max(work.cursorMs, Math.min(updatedMs(raw), work.host.now()));
  });
}

/** In the order that they have; `onDone` is told of each that is stored, now or before. False when some did not fit. */
async function storeChanged(
  batch: Batch,
  items: readonly RawRaindrop[],
  onDone: (raw: RawRaindrop) => void = () => {},
): Promise<boolean> {
  const changed = new Set(await batch.changedOf(items));
  await batch.announce([...changed].slice(0, batch.itemsLeft));
  for (const raw of items) {
    if (changed.has(raw)) {
      if (batch.itemsLeft <= 0) return false;
      await batch.store(raw);
    }
    onDone(raw);
  }
  return true;
}
