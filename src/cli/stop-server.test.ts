import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { serverDeadlines, workerDeadlines } from '../model/stop-limits.ts';
import { type ServerParts, type StopOptions, stopServer } from './stop-server.ts';

type Serving = Parameters<typeof stopServer>[0];

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

interface Situation extends Partial<StopOptions> {
  readonly flushTakesMs?: number;
  readonly flushError?: Error;
  readonly isIndexDeleted?: boolean;
  readonly isAsked?: boolean;
  /** Notes that are pending after the flush. */
  readonly pending?: readonly { table: string; changes: number }[];
  readonly parts?: Partial<ServerParts>;
}

/** Stops a server on a fake clock. `steps` are the names of what has ended, in order. */
async function stop({
  flushTakesMs = 0,
  flushError,
  isIndexDeleted = false,
  isAsked = true,
  pending = [],
  parts = {},
  ...options
}: Situation) {
  const steps: string[] = [];
  const nothing = async () => {};
  const opened = {
    log: { error: () => {} },
    outbound: { close: nothing },
    flusher: {
      flushAll: async () => {
        await sleep(flushTakesMs);
        if (flushError) throw flushError;
        steps.push('flush');
      },
    },
    store: {
      index: { isInPlace: () => !isIndexDeleted },
      journal: { pendingByTable: async () => pending },
      close: nothing,
    },
  } as unknown as Serving;
  const startedAt = performance.now();
  const stopping = stopServer(
    opened,
    { running: [], presence: [], ...parts },
    {
      stopRequest: { askedAt: () => (isAsked ? startedAt : undefined) },
      deadlines: serverDeadlines,
      mustFlush: () => true,
      isLibraryLost: false,
      ...options,
    },
  ).then((sentence) => ({ sentence, tookMs: performance.now() - startedAt, steps: [...steps] }));
  await vi.runAllTimersAsync();
  return stopping;
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const part = (ms: number) => ({ stop: () => sleep(ms) });

it('a worker with an API waits three seconds for a flush that is running', async () => {
  const parts = { upkeep: part(3_000) };
  const { tookMs } = await stop({ deadlines: workerDeadlines, mustFlush: () => false, parts });
  expect(tookMs).toBeGreaterThanOrEqual(3_000);
  expect(tookMs).toBeLessThan(workerDeadlines.storeMs);
});

it('a flush may use the time that requests, jobs and tasks left over', async () => {
  const outcome = await stop({ flushTakesMs: 7_000 });
  expect(outcome).toMatchObject({ sentence: undefined, steps: ['flush'] });
});

it('a stop in which every step hangs ends in time', async () => {
  const hangs = part(100_000);
  const parts = { running: [hangs, hangs], upkeep: hangs, presence: [hangs] };
  const { tookMs, steps } = await stop({ parts, flushTakesMs: 100_000 });
  expect(steps).toEqual([]);
  expect(tookMs).toBeLessThanOrEqual(serverDeadlines.storeMs);
});

it('the last flush of a deleted index may take a minute if no stop was requested', async () => {
  const deleted = { isIndexDeleted: true, flushTakesMs: 50_000 };
  expect(await stop({ ...deleted, isAsked: false })).toMatchObject({ sentence: undefined, steps: ['flush'] });
  const killedSoon = await stop({ ...deleted, pending: [{ table: 'groups', changes: 1 }] });
  expect(killedSoon.sentence).toContain('1 change (groups: 1) is lost');
});

it('changes of a deleted index that could not be flushed are called lost', async () => {
  const { sentence } = await stop({
    isIndexDeleted: true,
    isAsked: false,
    flushError: new Error('the disk is full'),
    pending: [{ table: 'groups', changes: 2 }],
  });
  expect(sentence).toBe(
    'Lectern stopped, but 2 changes (groups: 2) are lost: the index was deleted before they were written to the library.',
  );
});

it('changes that could not be flushed are counted by table, on one line', async () => {
  const pending = ['entries', 'feeds', 'groups', 'items', 'tags', 'notes', 'users'].map((table, n) => ({
    table,
    changes: 10 - n,
  }));
  const { sentence } = await stop({ flushError: new Error('the disk is full'), pending });
  expect(sentence).toBe(
    'Lectern stopped, but 49 changes (entries: 10, feeds: 9, groups: 8, items: 7, tags: 6, 2 other tables) are not in the library yet ' +
      'and will be written at the next start: the disk is full',
  );
});

it('a request that outlives the drain and writes after the flush is reported', async () => {
  const running = [
    {
      stop: async () => {
        throw new Error('some requests did not end within 4 s');
      },
    },
  ];
  const pending = [{ table: 'groups', changes: 1 }];
  expect((await stop({ parts: { running }, pending })).sentence).toContain(
    '1 change (groups: 1) is not in the library yet and will be written at the next start: some requests did not end',
  );
  expect((await stop({ parts: { running } })).sentence).toBeUndefined();
  // Other processes on this index may have written meanwhile.
  expect((await stop({ pending })).sentence).toBeUndefined();
});
