// The thread of bench/vectors.ts: scans vectors in one of the forms that are compared.
import type { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { quantise, readQuantised } from '../src/search/meaning/quantise.ts';
import { dot } from '../src/search/meaning/scan-kernel.ts';
import { openSqlite } from '../src/store/dialect/sqlite/connection.ts';

export type Form = 'float32 in memory' | 'int8 in memory' | 'float32 from SQLite' | 'int8 from SQLite';

export interface Job {
  readonly form: Form;
  readonly rows: number;
  readonly dimensions: number;
  readonly floats: SharedArrayBuffer;
  readonly steps: SharedArrayBuffer;
  readonly scales: SharedArrayBuffer;
  readonly path: string;
}

const job = workerData as Job;
const { rows, dimensions } = job;
const floats = new Float32Array(job.floats);
const steps = new Int8Array(job.steps);
const scales = new Float32Array(job.scales);
const db: DatabaseSync = await openSqlite(job.path, 'read');
const kept = 10;

parentPort?.on('message', (query: Float32Array) => {
  const before = process.threadCpuUsage();
  const best = scan(query);
  const { user, system } = process.threadCpuUsage(before);
  parentPort?.postMessage({ best, cpuMs: (user + system) / 1_000 });
});

function scan(query: Float32Array): number[] {
  const asked = readQuantised(quantise(query));
  const top = new Top();
  switch (job.form) {
    case 'float32 in memory':
      for (let row = 0; row < rows; row++) top.offer(row, dotFloats(query, floats, row * dimensions));
      break;
    case 'int8 in memory':
      for (let row = 0; row < rows; row++)
        top.offer(row, dot(asked.steps, steps, row * dimensions) * (scales[row] as number));
      break;
    case 'float32 from SQLite':
      for (const { id, floats: blob } of db
        .prepare('SELECT id, floats FROM plain')
        .iterate() as Iterable<Plain>) {
        const { buffer, byteOffset } = blob;
        const vector =
          byteOffset % 4 === 0
            ? new Float32Array(buffer, byteOffset, dimensions)
            : new Float32Array(blob.slice().buffer);
        top.offer(id, dotFloats(query, vector, 0));
      }
      break;
    case 'int8 from SQLite':
      for (const { id, steps: blob } of db
        .prepare('SELECT id, steps FROM small')
        .iterate() as Iterable<Small>) {
        const { scale, steps } = readQuantised(blob);
        top.offer(id, dot(asked.steps, steps, 0) * scale);
      }
      break;
  }
  return top.ids();
}

interface Plain {
  readonly id: number;
  readonly floats: Uint8Array;
}
interface Small {
  readonly id: number;
  readonly steps: Uint8Array;
}

function dotFloats(query: Float32Array, vectors: Float32Array, from: number): number {
  let [a, b, c, d] = [0, 0, 0, 0];
  for (let n = 0; n < query.length; n += 4) {
    a += (query[n] as number) * (vectors[from + n] as number);
    b += (query[n + 1] as number) * (vectors[from + n + 1] as number);
    c += (query[n + 2] as number) * (vectors[from + n + 2] as number);
    d += (query[n + 3] as number) * (vectors[from + n + 3] as number);
  }
  return a + b + c + d;
}

class Top {
  #best: { id: number; score: number }[] = [];
  #least = Number.NEGATIVE_INFINITY;

  offer(id: number, score: number): void {
    if (score <= this.#least) return;
    this.#best.push({ id, score });
    if (this.#best.length < kept * 8) return;
    this.#cut();
  }

  #cut(): void {
    this.#best.sort((a, b) => b.score - a.score);
    this.#best.length = Math.min(this.#best.length, kept);
    if (this.#best.length === kept) this.#least = (this.#best[kept - 1] as { score: number }).score;
  }

  ids(): number[] {
    this.#cut();
    return this.#best.map(({ id }) => id);
  }
}
