// Scanning vectors in bytes: in plain JavaScript, with the kernel, and what reading the same memory takes, each in a thread of
// its own. Then the same question as search asks it, from the store to the documents, and what the first one waits for,
// compared with reading the same vectors out of SQLite. decisions/0026 has what came of it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { record } from '../src/search/meaning/scan-kernel.ts';
import { VectorScan } from '../src/search/meaning/vector-scan.ts';
import { openStore } from '../src/store/open.ts';
import { percentile } from './load.ts';
import { createSyntheticEmbedder, fillChunks, fillDocs, SyntheticVectors } from './synthetic-meaning.ts';
import type { Answer, Form, Job } from './vector-thread.ts';

const dimensions = 512;
const sizes = [10_000, 100_000, 500_000];
const questions = 20;
const shown = 10;
/** Below this, all of it is in the processor's cache, and starting a thread takes longer than to read the vectors. */
const goalsFrom = 100_000;
const goals = { kernel: 3, load: 4, recall: 0.95 };

export async function run(args: readonly string[]): Promise<boolean> {
  let met = true;
  for (const rows of args.length > 0 ? args.map(Number) : sizes) met = (await compare(rows)) && met;
  return met;
}

async function compare(rows: number): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-bench-'));
  try {
    const world = await fill(folder, rows);
    write(
      `\n${rows} passages x ${dimensions} dimensions     CPU ms    p50 ms    p95 ms   of memory's pace   MB held   recall@10`,
    );
    const memory = await measure(world, 'memory');
    const [kernel, plain] = [await measure(world, 'kernel'), await measure(world, 'plain')];
    const pace = (measured: Measured) => median(measured.cpuMs) / median(memory.cpuMs);
    const recall = recallOf(kernel.found, world.exact);
    show('reading the memory once', memory, '1');
    show('kernel', kernel, pace(kernel).toFixed(2), recall);
    show('plain JavaScript', plain, pace(plain).toFixed(2), recallOf(plain.found, world.exact));
    const search = await measureSearch(world);
    show('search, all threads', search, pace(search).toFixed(2), recallOf(search.found, world.exact));

    const blobs = await measure(world, 'blobs');
    const load = { cpu: search.loadCpuMs / median(blobs.cpuMs), ms: search.loadMs / median(blobs.ms) };
    write(
      `  first question ${search.loadMs.toFixed(0)} ms (${search.loadCpuMs.toFixed(0)} ms CPU, ${search.loadMainMs.toFixed(0)} of them on the thread that serves HTTP); ` +
        `reading the vectors out of SQLite ${median(blobs.ms).toFixed(0)} ms (${median(blobs.cpuMs).toFixed(0)} ms CPU): ${load.ms.toFixed(2)} (CPU ${load.cpu.toFixed(2)})`,
    );
    const isMet =
      recall >= goals.recall &&
      (rows < goalsFrom || (pace(kernel) <= goals.kernel && load.cpu <= goals.load));
    write(
      `  kernel / memory ${pace(kernel).toFixed(2)} (goal ${goals.kernel}), plain / kernel ${(pace(plain) / pace(kernel)).toFixed(1)}, ` +
        `load / SQLite ${load.cpu.toFixed(2)} (goal ${goals.load}), recall ${recall.toFixed(3)} (goal ${goals.recall}) ${isMet ? 'ok' : 'MISSED'}`,
    );
    return isMet;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

interface World {
  readonly job: Omit<Job, 'form' | 'times'>;
  readonly queries: readonly Float32Array[];
  /** What exact arithmetic finds for each. */
  readonly exact: readonly (readonly number[])[];
}

interface Measured {
  /** Says more than the clock on a machine that does other things too. */
  readonly cpuMs: readonly number[];
  readonly ms: readonly number[];
  readonly found: readonly (readonly number[])[];
  readonly heldBytes: number;
}

async function fill(folder: string, rows: number): Promise<World> {
  const path = join(folder, 'index.db');
  const store = await openStore({ engine: 'sqlite', path }, { now: Date.now, onIdleError: () => {} });
  const { id: userId } = await store.users.create({ username: 'owner', passwordHash: null, role: 'owner' });
  await store.close();
  await fillDocs(path, userId, rows);
  const synthetic = new SyntheticVectors(dimensions);
  const queries = Array.from({ length: questions }, (_, n) => synthetic.of(1_000_000_007 + n * 7));
  const best = queries.map(() => new Best());
  const vectors = new SharedArrayBuffer(rows * (dimensions + 4));
  const into = new Uint8Array(vectors);
  await fillChunks(path, {
    userId,
    dimensions,
    onVector: (vector, bytes, row) => {
      into.set(bytes, row * bytes.length);
      for (const [n, query] of queries.entries()) best[n]?.offer(row, product(query, vector));
    },
  });
  return { job: { rows, dimensions, vectors, path }, queries, exact: best.map((one) => one.rows()) };
}

function product(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let n = 0; n < dimensions; n++) sum += (a[n] as number) * (b[n] as number);
  return sum;
}

class Best {
  #best: { row: number; score: number }[] = [];
  offer(row: number, score: number): void {
    if (this.#best.length === shown && score <= (this.#best[shown - 1]?.score ?? 0)) return;
    this.#best.push({ row, score });
    this.#best = this.#best.sort((a, b) => b.score - a.score).slice(0, shown);
  }
  rows(): number[] {
    return this.#best.map(({ row }) => row);
  }
}

async function measure({ job, queries }: World, form: Form): Promise<Measured> {
  const times = form === 'blobs' ? 1 : Math.max(1, Math.round(1_000_000 / job.rows));
  const worker = new Worker(new URL('./vector-thread.ts', import.meta.url), {
    workerData: { ...job, form, times: form === 'plain' ? Math.ceil(times / 10) : times } satisfies Job,
  });
  const next = () => new Promise<unknown>((resolve) => worker.once('message', resolve));
  await next();
  const answers: Answer[] = [];
  const asked = form === 'blobs' ? queries.slice(0, 3) : queries;
  for (const query of [...asked.slice(0, 2), ...asked]) {
    worker.postMessage(query);
    answers.push((await next()) as Answer);
  }
  await worker.terminate();
  return measuredOf(answers.slice(2));
}

function measuredOf(answers: readonly Answer[]): Measured {
  return {
    cpuMs: answers.map(({ cpuMs }) => cpuMs),
    ms: answers.map(({ ms }) => ms),
    found: answers.map(({ found }) => found),
    heldBytes: answers[0]?.heldBytes ?? 0,
  };
}

async function measureSearch({ job, queries }: World) {
  const store = await openStore(
    { engine: 'sqlite', path: job.path },
    { now: Date.now, onIdleError: () => {} },
  );
  const { model, leastScore } = createSyntheticEmbedder({ dimensions });
  const { chunks } = store.forUser(1);
  // The threads are there and the pages of the file in memory, as in a server that has run for a while.
  await chunks.page(model, 0, 1);
  const scan = new VectorScan();
  const ask = async (query: Float32Array): Promise<Answer & { mainMs: number }> => {
    const [cpu, main, began] = [process.cpuUsage(), process.threadCpuUsage(), performance.now()];
    const scored = await scan.scan({ userId: 1, model, chunks, query, limit: 40, leastScore });
    const places = new Map(
      (await chunks.findMany(scored.map(({ seq }) => seq))).map((one) => [one.seq, one.refId]),
    );
    return {
      found: scored.slice(0, shown).flatMap(({ seq }) => places.get(seq) ?? []),
      ms: performance.now() - began,
      cpuMs: sumOf(process.cpuUsage(cpu)),
      mainMs: sumOf(process.threadCpuUsage(main)),
      heldBytes: job.rows * (record.steps + dimensions),
    };
  };
  const first = await ask(queries[0] as Float32Array);
  const answers: Answer[] = [];
  for (const query of [...queries.slice(0, 5), ...queries]) answers.push(await ask(query));
  await scan.close();
  await store.close();
  return {
    ...measuredOf(answers.slice(5)),
    loadMs: first.ms,
    loadCpuMs: first.cpuMs,
    loadMainMs: first.mainMs,
  };
}

const sumOf = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1_000;

function recallOf(found: Measured['found'], exact: Measured['found']): number {
  const hits = found.map((ids, n) => ids.filter((id) => exact[n]?.includes(id)).length);
  return hits.reduce((sum, n) => sum + n, 0) / (shown * found.length);
}

const median = (ms: readonly number[]) => percentile([...ms], 0.5);
const write = (line: string) => process.stdout.write(`${line}\n`);

function show(name: string, { ms, cpuMs, heldBytes }: Measured, pace: string, recall?: number): void {
  const times = [median(cpuMs), median(ms), percentile([...ms], 0.95)].map((n) => n.toFixed(2).padStart(10));
  write(
    `  ${name.padEnd(30)}${times.join('')}${pace.padStart(19)}${(heldBytes / 2 ** 20).toFixed(0).padStart(10)}${(recall?.toFixed(3) ?? '').padStart(12)}`,
  );
}
