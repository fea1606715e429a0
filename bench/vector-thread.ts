// The thread of bench/vectors.ts: scans vectors in one of the forms that are compared, or reads the same bytes and does nothing.
import { parentPort, workerData } from 'node:worker_threads';
import {
  assemble,
  branchIf,
  get,
  i32,
  lane,
  load,
  loop,
  op,
  set,
} from '../src/search/meaning/assemble-wasm.ts';
import { quantise, readQuantised } from '../src/search/meaning/quantise.ts';
import { record } from '../src/search/meaning/scan-kernel.ts';
import { type HeldChunk, VectorBlocks } from '../src/search/meaning/vector-blocks.ts';
import { slabBytes, VectorMemory } from '../src/search/meaning/vector-memory.ts';
import { webAssembly } from '../src/search/meaning/web-assembly.ts';
import { openSqlite } from '../src/store/dialect/sqlite/connection.ts';

export type Form = 'plain' | 'kernel' | 'memory' | 'blobs';

export interface Job {
  readonly form: Form;
  readonly rows: number;
  readonly dimensions: number;
  /** As quantise.ts writes them, one behind the other. */
  readonly vectors: SharedArrayBuffer;
  readonly path: string;
  /** Each question is asked so often: what takes less than a millisecond cannot be measured once. */
  readonly times: number;
}

export interface Answer {
  readonly found: readonly number[];
  readonly cpuMs: number;
  readonly ms: number;
  readonly heldBytes: number;
}

const job = workerData as Job;
const { form, rows, dimensions, times } = job;
const enough = 2 ** 30;
const ask = await prepare();

parentPort?.on('message', (query: Float32Array) => {
  const [cpuBefore, began] = [process.threadCpuUsage(), performance.now()];
  let found: number[] = [];
  for (let n = 0; n < times; n++) found = ask(query);
  const { user, system } = process.threadCpuUsage(cpuBefore);
  const answer: Answer = {
    found,
    cpuMs: (user + system) / 1_000 / times,
    ms: (performance.now() - began) / times,
    heldBytes: rows * (record.steps + dimensions),
  };
  parentPort?.postMessage(answer);
});
parentPort?.postMessage('ready');

async function prepare(): Promise<(query: Float32Array) => number[]> {
  if (form === 'memory') return readMemory();
  if (form === 'blobs') return readBlobs();
  const blocks = new VectorBlocks(enough, form);
  blocks.add(1, dimensions, chunks());
  return (query) => {
    const scored = blocks.scan(1, { query, limit: 10, leastScore: 0 }, readQuantised(quantise(query))) ?? [];
    return scored.map(({ refId }) => refId);
  };
}

function* chunks(): Generator<HeldChunk> {
  const size = dimensions + 4;
  for (let n = 0; n < rows; n++) {
    const vector = new Uint8Array(job.vectors, n * size, size);
    yield { seq: n + 1, kind: 'entry', refId: n, publishedAt: n * 60_000, vector };
  }
}

/** The least that a scan can take: every byte that it goes over is loaded once, in the widest steps there are. */
function readMemory(): () => number[] {
  const { memory, take, fill } = memoryOf();
  const slabs: number[] = [];
  for (let left = rows * (record.steps + dimensions); left > 0; left -= slabBytes) slabs.push(take());
  for (const slab of slabs) fill(slab);
  const sums = ['a', 'b', 'c', 'd'];
  const module = assemble({
    name: 'read',
    parameters: { from: 'i32', until: 'i32' },
    locals: { a: 'v128', b: 'v128', c: 'v128', d: 'v128' },
    result: 'i32',
    body: [
      loop(
        ...sums.map((sum, n) => set(sum, op('i32x4.add', get(sum), load('v128.load', get('from'), n * 16)))),
        set('from', op('i32.add', get('from'), i32(64))),
        branchIf(0, op('i32.lt_u', get('from'), get('until'))),
      ),
      lane(op('i32x4.add', op('i32x4.add', get('a'), get('b')), op('i32x4.add', get('c'), get('d'))), 0),
    ],
  });
  const { exports } = new webAssembly.Instance(new webAssembly.Module(module), { env: { memory } });
  const read = exports.read as (from: number, until: number) => number;
  return () => {
    const total = slabs.reduce((sum, slab) => sum + read(slab, slab + slabBytes), 0);
    return [total];
  };
}

function memoryOf() {
  const owner = new VectorMemory(enough);
  return {
    memory: owner.memory,
    take: (): number => owner.take() as number,
    // What was never written is one page of zeroes, wherever it is read.
    fill: (slab: number) => owner.bytes.fill(slab % 251, slab, slab + slabBytes),
  };
}

/** The least that the first question can take: every vector comes out of SQLite once. */
async function readBlobs(): Promise<() => number[]> {
  const db = await openSqlite(job.path, 'read');
  const statement = db.prepare('SELECT vector FROM chunks');
  statement.setReturnArrays(true);
  return () => {
    let bytes = 0;
    for (const [vector] of statement.iterate() as unknown as Iterable<[Uint8Array]>) bytes += vector.length;
    return [bytes];
  };
}
