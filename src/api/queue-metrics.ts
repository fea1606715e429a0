// The queue, the journal and the connections to PostgreSQL at /metrics. Workers are other processes, so every figure is read from the index when it is asked for.
import type { Metric, Registry } from 'prom-client';
import type { PoolState } from '../store/database.ts';
import { durationBuckets, itemCounter, type JobCounter } from '../store/job-queue/job-counters.ts';
import type { JobQueue } from '../store/job-queue/job-queue.ts';
import type { JournalStore } from '../store/journal-store.ts';

interface Value {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  readonly metricName?: string;
}

const duration = 'lectern_job_duration_seconds';
const outcomes = ['done', 'failed', 'dead', 'returned', 'lost', 'crashed'];

export function showQueue(registry: Registry, jobs: () => JobQueue): void {
  const counters = oncePerScrape(() => jobs().counters.list());
  show(registry, 'gauge', 'lectern_jobs', 'Jobs in the queue, by state, name and lane.', async () =>
    (await jobs().count()).map(({ count, ...labels }) => ({ labels, value: count })),
  );
  show(
    registry,
    'gauge',
    'lectern_jobs_oldest_ready_seconds',
    'How long a job that is due has waited.',
    async () => [{ labels: {}, value: (await jobs().oldestReadyMs()) / 1000 }],
  );
  show(registry, 'counter', 'lectern_job_attempts_total', 'Attempts at jobs, by how they ended.', async () =>
    (await counters())
      .filter(({ counter }) => outcomes.includes(counter))
      .map(({ name, counter, n }) => ({ labels: { name, outcome: counter }, value: n })),
  );
  show(
    registry,
    'counter',
    'lectern_enrichments_total',
    'Saved pages that were read, and that could not be.',
    async () =>
      (await counters())
        .filter(({ counter }) => counter.startsWith(itemCounter))
        .map(({ counter, n }) => ({ labels: { outcome: counter.slice(itemCounter.length) }, value: n })),
  );
  show(registry, 'histogram', duration, 'How long attempts at jobs took.', async () =>
    histogram(await counters()),
  );
}

/** Counting more would take longer than a scrape should. */
const maxPendingCounted = 1_000_000;

export function showJournal(registry: Registry, journal: () => JournalStore): void {
  const lag = oncePerScrape(() => journal().lag(maxPendingCounted));
  show(
    registry,
    'gauge',
    'lectern_journal_pending',
    'Changes that are not in the library yet, counted up to 1,000,000.',
    async () => [{ labels: {}, value: (await lag()).pending }],
  );
  show(
    registry,
    'gauge',
    'lectern_journal_lag_seconds',
    'Age of the oldest change that is not in the library yet.',
    async () => [{ labels: {}, value: (await lag()).lagMs / 1000 }],
  );
  show(
    registry,
    'gauge',
    'lectern_journal_last_flush_timestamp_seconds',
    'When changes were last written to the library.',
    async () => {
      const { flushedAt } = await lag();
      return flushedAt === null ? [] : [{ labels: {}, value: flushedAt / 1000 }];
    },
  );
}

export function showPools(registry: Registry, pools: () => readonly PoolState[]): void {
  const gauge = (key: 'max' | 'size' | 'idle' | 'waiting', help: string) =>
    show(registry, 'gauge', `lectern_index_pool_${key}`, help, async () =>
      pools().map((pool) => ({ labels: { pool: pool.name }, value: pool[key] })),
    );
  gauge('max', 'The largest number of connections to PostgreSQL that this process opens.');
  gauge('size', 'Open connections to PostgreSQL.');
  gauge('idle', 'Open connections to PostgreSQL that are not in use.');
  gauge('waiting', 'Statements and transactions that wait for a connection to PostgreSQL.');
}

/** A scrape asks all metrics at the same time. Metrics that ask while a read is under way share its answer. */
export function oncePerScrape<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | undefined;
  return () => {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  };
}

/** prom-client's own metrics count in this process; the registry asks no more of one than this. */
export function show(
  registry: Registry,
  type: string,
  name: string,
  help: string,
  values: () => Promise<Value[]>,
): void {
  const metric = { name, help, type, get: async () => ({ name, help, type, values: await values() }) };
  registry.registerMetric(metric as unknown as Metric);
}

function histogram(counters: readonly JobCounter[]): Value[] {
  const names = [...new Set(counters.filter(({ counter }) => counter === 'ms').map(({ name }) => name))];
  return names.flatMap((name) => {
    const n = (counter: string) => counters.find((c) => c.name === name && c.counter === counter)?.n ?? 0;
    let sum = 0;
    const buckets = [...durationBuckets, '+Inf'].map((le) => {
      sum += n(`le:${le}`);
      return { labels: { name, le }, value: sum, metricName: `${duration}_bucket` };
    });
    return [
      ...buckets,
      { labels: { name }, value: n('ms') / 1000, metricName: `${duration}_sum` },
      { labels: { name }, value: sum, metricName: `${duration}_count` },
    ];
  });
}
