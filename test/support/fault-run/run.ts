// Breaks a cluster in every way while clients write, and checks after each fault that everything works again and that nothing
// is lost. At the end it rebuilds the index from the library and compares.
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { type Random, randomFrom } from '../random.ts';
import { LedgerClients } from './clients.ts';
import { type Cluster, type ClusterSize, startCluster } from './cluster.ts';
import { type FaultKind, faultKinds } from './kinds.ts';
import type { ReadRows } from './ledger.ts';
import { Prober } from './prober.ts';

export interface FaultRunOptions extends ClusterSize {
  readonly seed: number;
  /** Faults begin during this time. */
  readonly durationMs: number;
  /** How long a fault lasts. */
  readonly faultMs: readonly [min: number, max: number];
  /** How long some faults last: longer than leases and time-outs. */
  readonly longFaultMs?: number;
  readonly requestsPerSecond: number;
  readonly feeds: number;
  /** Only these kinds, by their names. */
  readonly kinds?: readonly string[];
  readonly say?: (line: string) => void;
  /** Ends the run and all its processes at once. */
  readonly signal?: AbortSignal;
}

export interface KindReport {
  readonly kind: string;
  count: number;
  /** The longest time in which an API did not serve a read and a write. */
  longestUnavailableMs: number;
  slowestServiceMs: number;
  slowestScheduleMs: number;
  slowestLagMs: number;
  refused: number;
  failures: number;
  lost: number;
  duplicated: number;
}

export interface FaultRunReport {
  readonly seed: number;
  readonly kinds: readonly KindReport[];
  readonly acknowledged: number;
  readonly checkedFacts: number;
  readonly slowestStopMs: number;
  readonly slowestAnswerMs: number;
  /** Every promise that was broken, one sentence each. Empty when all is well. */
  readonly problems: readonly string[];
}

const maxServiceMs = 30_000;
const maxRecoveryMs = 90_000;
const maxLagMs = 20_000;
const maxStopMs = 20_000;
const betweenFaultsMs = 1_000;
const oneInIsLong = 6;
const shownOfEach = 3;

export async function runFaults(options: FaultRunOptions): Promise<FaultRunReport> {
  const cluster = await startCluster(options);
  const aborted = new Promise<never>((_, reject) => {
    const { signal } = options;
    if (signal?.aborted) reject(signal.reason);
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  try {
    return await Promise.race([new FaultRun(options, cluster).run(), aborted]);
  } finally {
    await cluster.end();
  }
}

/** What went wrong in a run. `command` repeats it when the seed is added. */
export function problemText({ seed, problems }: FaultRunReport, command: string): string {
  return `${problems.join('\n')}\nRepeat this run with: ${command} --seed ${seed}`;
}

class FaultRun {
  readonly #options: FaultRunOptions;
  readonly #cluster: Cluster;
  readonly #clients: LedgerClients;
  readonly #prober: Prober;
  readonly #kinds = new Map<string, KindReport>();
  readonly #problems: string[] = [];
  /** Feeds and pages that failed, each of which is a problem once. */
  readonly #failed = new Set<string>();
  /** Feeds that did not come back on schedule, each of which is a problem once. */
  readonly #stuck = new Set<string>();
  #acknowledged = 0;
  #checkedFacts = 0;
  #slowestAnswerMs = 0;
  #slowestStopMs = 0;

  constructor(options: FaultRunOptions, cluster: Cluster) {
    this.#options = options;
    this.#cluster = cluster;
    this.#clients = new LedgerClients({
      apis: () => cluster.apiUrls(),
      token: cluster.token,
      site: cluster.internet.origin,
      random: randomFrom(options.seed),
      requestsPerSecond: options.requestsPerSecond,
    });
    this.#prober = new Prober(cluster, this.#clients);
  }

  async run(): Promise<FaultRunReport> {
    const { seed, durationMs } = this.#options;
    await this.#prepare();
    const deadline = performance.now() + durationMs;
    const deck = dealKinds(randomFrom(seed), this.#options.kinds);
    for (let n = 1; performance.now() < deadline; n++) {
      // Of its own, so that what the clients draw does not change what the next fault is.
      const random = randomFrom(seed * 1_000 + n);
      await this.#breakOnce(deck(), random);
    }
    await this.#finish();
    return {
      seed,
      kinds: [...this.#kinds.values()],
      acknowledged: this.#acknowledged,
      checkedFacts: this.#checkedFacts,
      slowestStopMs: this.#slowestStopMs,
      slowestAnswerMs: this.#slowestAnswerMs,
      problems: this.#problems,
    };
  }

  /** Feeds for the clients to mark, and some traffic. */
  async #prepare(): Promise<void> {
    const { feeds } = this.#options;
    const site = this.#cluster.internet.origin;
    const api = this.#cluster.apiUrls()[0] ?? '';
    for (let n = 0; n < feeds; n++) {
      const link = `${site}/feed/main-${n}`;
      await this.#clients.ask(api, { method: 'POST', path: '/api/feeds', body: { link } });
      this.#clients.ledger.acknowledged('feed', link, 'there');
      const url = `${site}/news/main-${n}`;
      const body = {
        ...{ url, enabled: true, polling: true, sync: true },
        ...{ root_domain: null, enforce_feed_domain: false },
      };
      await this.#clients.ask(api, { method: 'POST', path: '/api/v1/deframer/feeds', body });
      this.#clients.ledger.acknowledged('deframer', url, 'polled');
    }
    this.#clients.start();
    this.#prober.start();
    await this.#recovers('the start', performance.now());
  }

  async #breakOnce(kind: FaultKind, random: Random): Promise<void> {
    const report = this.#reportOf(kind);
    const { faultMs, longFaultMs } = this.#options;
    const [min, max] = faultMs;
    const isLong = random.below(oneInIsLong) === 0;
    const lastsMs = isLong && longFaultMs ? longFaultMs : min + random.below(max - min + 1);
    await this.#makeDue();
    await pause(random.below(betweenFaultsMs));
    const began = performance.now();
    const words = await kind.run(this.#cluster, random, lastsMs);
    const ended = performance.now();
    const recovered = await this.#recovers(kind.name, ended);
    report.count += 1;
    report.longestUnavailableMs = Math.max(report.longestUnavailableMs, this.#prober.longestGapMs(began));
    report.slowestServiceMs = Math.max(report.slowestServiceMs, recovered.serviceMs);
    report.slowestScheduleMs = Math.max(report.slowestScheduleMs, recovered.scheduleMs);
    report.slowestLagMs = Math.max(report.slowestLagMs, recovered.lagMs);
    await this.#checkLedger(kind.name, report);
    const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;
    this.#options.say?.(
      `${kind.name} (${words}): service after ${seconds(recovered.serviceMs)}, ` +
        `schedule after ${seconds(recovered.scheduleMs)}, journal after ${seconds(recovered.lagMs)}`,
    );
  }

  /** Some feeds are fetched while the fault begins. */
  async #makeDue(): Promise<void> {
    const api = this.#cluster.apiUrls()[0];
    if (api === undefined) return;
    await this.#clients.ask(api, { method: 'POST', path: '/api/feeds/refresh' });
    const listed = await this.#clients.ask(api, { method: 'GET', path: '/api/v1/deframer/feeds' });
    const { data = [] } = (listed?.body ?? {}) as { data?: { id: string }[] };
    for (const { id } of data)
      await this.#clients.ask(api, { method: 'POST', path: `/api/v1/deframer/feeds/${id}/sync` });
  }

  /** Waits until the service, all schedules and the journal are as before the fault. */
  async #recovers(after: string, ended: number) {
    const found = {
      serviceMs: Number.POSITIVE_INFINITY,
      scheduleMs: Number.POSITIVE_INFINITY,
      lagMs: Number.POSITIVE_INFINITY,
    };
    let lagMs = 0;
    /** Feeds that have not been on schedule since the fault ended. */
    let late: readonly string[] | undefined;
    for (;;) {
      const sinceMs = performance.now() - ended;
      const { overdue, journalLagMs } = await this.#cluster.workState();
      lagMs = journalLagMs;
      late = (late ?? [...overdue.keys()]).filter((feed) => overdue.has(feed) && !this.#stuck.has(feed));
      for (const feed of this.#stuck) if (!overdue.has(feed)) this.#stuck.delete(feed);
      if (this.#prober.isServedSince(ended)) found.serviceMs = Math.min(found.serviceMs, sinceMs);
      if (late.length === 0) found.scheduleMs = Math.min(found.scheduleMs, sinceMs);
      if (journalLagMs < maxLagMs) found.lagMs = Math.min(found.lagMs, sinceMs);
      if (Math.max(found.serviceMs, found.scheduleMs, found.lagMs) < Number.POSITIVE_INFINITY) break;
      if (sinceMs > maxRecoveryMs) {
        const states = late.map((feed) => `${feed} ${overdue.get(feed)}`);
        if (late.length > 0)
          this.#problemsOf('schedule', `${maxRecoveryMs / 1_000} s after ${after}`, states);
        for (const feed of late) this.#stuck.add(feed);
        break;
      }
      await pause(250);
    }
    if (found.serviceMs > maxServiceMs)
      this.#problem('service', `an API did not serve ${maxServiceMs / 1_000} s after ${after}`);
    if (found.lagMs === Number.POSITIVE_INFINITY)
      this.#problem('lag', `${maxRecoveryMs / 1_000} s after ${after} the journal is ${lagMs} ms behind`);
    return found;
  }

  async #checkLedger(after: string, report?: KindReport): Promise<void> {
    await this.#clients.pause();
    const { lost, duplicated, checked } = await this.#clients.ledger.check(this.#cluster.readRows);
    const seen = this.#clients.takeSeen();
    this.#checkedFacts = checked;
    this.#acknowledged += seen.acknowledged;
    this.#slowestAnswerMs = Math.max(this.#slowestAnswerMs, seen.slowestAnswerMs);
    this.#problemsOf('lost', `after ${after}`, lost);
    this.#problemsOf('duplicated', `after ${after}`, duplicated);
    this.#problemsOf('500', `during ${after}`, seen.failures);
    this.#problemsOf('answer', `during ${after}`, seen.unexpected);
    for (const work of await this.#cluster.failedWork()) {
      if (this.#failed.has(work)) continue;
      this.#problem('failed work', `after ${after}: ${work}`);
      this.#failed.add(work);
    }
    for (const exit of this.#cluster.exits.splice(0)) this.#problem('exit', `during ${after}: ${exit}`);
    if (report) {
      report.refused += seen.refused;
      report.failures += seen.failures.length;
      report.lost += lost.length;
      report.duplicated += duplicated.length;
    }
    this.#clients.start();
  }

  async #finish(): Promise<void> {
    await this.#checkLedger('all faults');
    await this.#clients.pause();
    await this.#prober.stop();
    for (const { name, exit, tookMs } of await this.#cluster.stopAll()) {
      this.#slowestStopMs = Math.max(this.#slowestStopMs, tookMs);
      if (exit.code !== 0)
        this.#problem('exit', `${name} stopped with ${exit.signal ?? `exit code ${exit.code}`}`);
      if (tookMs > maxStopMs) this.#problem('exit', `${name} took ${Math.round(tookMs)} ms to stop`);
    }
    const hash = await this.#cluster.stateHash();
    for (const engine of ['sqlite', 'postgres'] as const) {
      const rebuilt = await this.#cluster.reinflate(engine);
      if (rebuilt.hash !== hash)
        this.#problem('hash', `the index rebuilt on ${engine} is ${rebuilt.hash}, not ${hash}`);
      const { lost, duplicated } = await withRows(rebuilt.databaseUrl, (read) =>
        this.#clients.ledger.check(read),
      );
      this.#problemsOf('lost', `in the index rebuilt on ${engine}`, lost);
      this.#problemsOf('duplicated', `in the index rebuilt on ${engine}`, duplicated);
    }
  }

  #problem(what: string, sentence: string): void {
    this.#problems.push(`${what}: ${sentence}`);
    this.#options.say?.(`PROBLEM ${what}: ${sentence}`);
  }

  /** Reports the first few of many that may have one cause. */
  #problemsOf(what: string, when: string, sentences: readonly string[]): void {
    for (const sentence of sentences.slice(0, shownOfEach)) this.#problem(what, `${when}: ${sentence}`);
    const more = sentences.length - shownOfEach;
    if (more > 0) this.#problem(what, `${when}: ${more} more`);
  }

  #reportOf({ name }: FaultKind): KindReport {
    const report = this.#kinds.get(name) ?? {
      kind: name,
      ...{ count: 0, longestUnavailableMs: 0, slowestServiceMs: 0, slowestScheduleMs: 0, slowestLagMs: 0 },
      ...{ refused: 0, failures: 0, lost: 0, duplicated: 0 },
    };
    this.#kinds.set(name, report);
    return report;
  }
}

/** All kinds in random order, again and again. */
function dealKinds(random: Random, names?: readonly string[]): () => FaultKind {
  const chosen = faultKinds.filter(({ name }) => names === undefined || names.includes(name));
  if (chosen.length === 0)
    throw new Error(`no such kind; known: ${faultKinds.map(({ name }) => name).join(', ')}`);
  let deck: FaultKind[] = [];
  return () => {
    if (deck.length === 0) deck = [...chosen];
    return deck.splice(random.below(deck.length), 1)[0] as FaultKind;
  };
}

async function withRows<T>(databaseUrl: string, use: (read: ReadRows) => Promise<T>): Promise<T> {
  if (databaseUrl.startsWith('sqlite:')) {
    const index = new DatabaseSync(databaseUrl.slice('sqlite:'.length), { readOnly: true });
    try {
      return await use(async (query) => index.prepare(query).all());
    } finally {
      index.close();
    }
  }
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    return await use(async (query) => (await client.query(query)).rows);
  } finally {
    await client.end();
  }
}
