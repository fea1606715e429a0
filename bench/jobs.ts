// How many trivial jobs a second come from being enqueued to being done: beside liteque on SQLite, one by one, and
// beside pg-boss on PostgreSQL, one by one and in batches. All take turns, so that a busy machine slows all alike.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { createRegistry, defineJob } from '../src/jobs/registry.ts';
import { Runner } from '../src/jobs/runner.ts';
import { usualSettings } from '../src/jobs/settings.ts';
import { createLog } from '../src/log.ts';
import { Secret } from '../src/model/secret.ts';
import { openStore, type Target } from '../src/store/open.ts';
import { startPostgres } from '../test/support/postgres-server.ts';
import { percentile } from './load.ts';
import { installPeers, npmNode, runPeer } from './peers.ts';

const jobs = 2_000;
const rounds = 3;
const batch = 50;

interface Measured {
  readonly enqueueMs: number;
  readonly doneMs: number;
}

interface Contest {
  readonly title: string;
  readonly peer: string;
  /** How many times as fast as the peer is good enough, from enqueueing to the end. */
  readonly goal: number;
  ours(round: number): Promise<Measured>;
  theirs(round: number): Promise<Measured>;
}

export async function run(): Promise<boolean> {
  installPeers();
  const folder = mkdtempSync(join(tmpdir(), 'lectern-bench-'));
  const postgres = await startPostgres();
  try {
    const file = (name: string) => join(folder, `${name}.db`);
    const onPostgres = async (name: string): Promise<Target> => {
      await postgres.createDatabase(name);
      const url = postgres.urlOf(name);
      return { engine: 'postgres', url: new Secret(url), shown: url };
    };
    const beside = (title: string, concurrency: number): Contest => ({
      title,
      peer: 'pg-boss',
      goal: 1,
      ours: async (round) => measure(await onPostgres(`ours_${concurrency}_${round}`), concurrency),
      theirs: async (round) => {
        const name = `theirs_${concurrency}_${round}`;
        await postgres.createDatabase(name);
        const args = [postgres.urlOf(name), String(jobs), String(concurrency)];
        return runPeer(process.execPath, 'pg-boss.cjs', args);
      },
    });
    const contests: Contest[] = [
      {
        title: 'SQLite, one by one',
        peer: 'liteque',
        goal: 3,
        ours: (round) => measure({ engine: 'sqlite', path: file(`ours-${round}`) }, 1),
        theirs: (round) => runPeer(npmNode, 'liteque.mjs', [file(`theirs-${round}`), String(jobs)]),
      },
      beside('PostgreSQL, one by one', 1),
      beside(`PostgreSQL, ${batch} at a time`, batch),
    ];
    let met = true;
    for (const contest of contests) met = (await compare(contest)) && met;
    await report('SQLite, 50 at a time', measure({ engine: 'sqlite', path: file('many') }, batch));
    return met;
  } finally {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function compare({ title, peer, goal, ours, theirs }: Contest): Promise<boolean> {
  const results: { ours: Measured; theirs: Measured }[] = [];
  for (let round = 0; round < rounds; round++) {
    results.push({ ours: await ours(round), theirs: await theirs(round) });
  }
  const rate = (who: 'ours' | 'theirs', part: (one: Measured) => number) =>
    percentile(
      results.map((result) => (jobs / part(result[who])) * 1000),
      0.5,
    );
  const whole = ({ enqueueMs, doneMs }: Measured) => enqueueMs + doneMs;
  const ratio = rate('ours', whole) / rate('theirs', whole);
  const isMet = ratio >= goal;
  const line = (name: string, who: 'ours' | 'theirs') =>
    `  ${name.padEnd(10)}${perSecond(rate(who, whole))} from enqueueing to the end (enqueue ${perSecond(rate(who, (m) => m.enqueueMs))}, do ${perSecond(rate(who, (m) => m.doneMs))})\n`;
  process.stdout.write(
    `${title}, ${jobs} jobs, median of ${rounds}\n${line('Lectern', 'ours')}${line(peer, 'theirs')}` +
      `  ratio     ${ratio.toFixed(2)} (goal: at least ${goal}, ${isMet ? 'met' : 'MISSED'})\n`,
  );
  return isMet;
}

async function report(title: string, measuring: Promise<Measured>): Promise<void> {
  const { enqueueMs, doneMs } = await measuring;
  process.stdout.write(
    `${title}\n  Lectern   enqueue ${perSecond((jobs / enqueueMs) * 1000)}, do ${perSecond((jobs / doneMs) * 1000)}\n`,
  );
}

function perSecond(rate: number): string {
  return `${Math.round(rate)}/s`;
}

/** Each job is enqueued in a transaction of its own, then all are done, `concurrency` at a time. */
async function measure(target: Target, concurrency: number): Promise<Measured> {
  const store = await openStore(target, { now: Date.now, onIdleError: () => {} });
  try {
    const allDone = Promise.withResolvers<void>();
    let left = jobs;
    const job = defineJob({
      name: 'bench',
      schema: z.object({ n: z.int() }),
      handler: async () => {
        left -= 1;
        if (left === 0) allDone.resolve();
      },
    });
    const started = performance.now();
    for (let n = 0; n < jobs; n++) await store.jobs.enqueue(job, { n });
    const enqueued = performance.now();
    const runner = new Runner({
      queue: store.jobs,
      registry: createRegistry([job]),
      holder: 'bench',
      settings: { ...usualSettings, concurrency },
      log: createLog({ level: 'warn', format: 'json', out: process.stderr }),
      random: Math.random,
    });
    await allDone.promise;
    // Stopping waits until the last one is written down as done.
    await runner.stop();
    return { enqueueMs: enqueued - started, doneMs: performance.now() - enqueued };
  } finally {
    await store.close();
  }
}
