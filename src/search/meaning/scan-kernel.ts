// The inner loop of a scan, as WebAssembly with SIMD, and the same in plain JavaScript. Both go over records that stand one
// behind the other in memory, and list those whose score is high enough.
import {
  assemble,
  block,
  branchIf,
  type Code,
  get,
  i32,
  lane,
  load,
  loop,
  op,
  set,
  store,
  zeroes,
} from './assemble-wasm.ts';
import { type WasmMemory, type WasmModule, webAssembly } from './web-assembly.ts';

/** Where the parts of a record stand in it. Behind the steps are zeroes, up to a whole number of strides. */
export const record = {
  seq: 0,
  refId: 8,
  scale: 16,
  kind: 20,
  /** Three bytes. */
  hour: 21,
  steps: 24,
} as const;
/** So many dimensions are multiplied in one round. */
export const stride = 32;

/** So many records a call may be given, since each may have to be listed. */
export const recordsAtOnce = 1_024;
/** A product of two bytes is 2^14 at most, and a sum of so many stays below 2^31. */
export const mostDimensions = 2 ** 17 - 1;
const hitBytes = 16;

/** What a scan reads and writes besides records stands at the beginning of the memory. */
export const desk = {
  /** A byte for each kind: whether it was asked for. */
  wanted: 0,
  /** The score of a hit, then the address of its record. */
  hits: 256,
  /** The question's steps in 16 bits. */
  query: 256 + recordsAtOnce * hitBytes,
  bytes: 256 + recordsAtOnce * hitBytes + (mostDimensions + 1) * 2,
} as const;

/**
 * Lists the records from `from` to before `until`, at least one, that are of a kind that was asked for and whose score is
 * `least` or more. Returns how many bytes the list has.
 */
export type ScanRecords = (
  from: number,
  until: number,
  recordBytes: number,
  /** Of the steps, with the zeroes behind them. */
  stepBytes: number,
  least: number,
  /** Of the question. */
  scale: number,
) => number;

const sums = ['sum0', 'sum1', 'sum2', 'sum3'] as const;

/** Eight dimensions: bytes of the record times the question's 16 bits, added in four sums of 32 bits each. */
const addProducts = (sum: string, at: number): Code =>
  set(
    sum,
    op(
      'i32x4.add',
      get(sum),
      op(
        'i32x4.dot_i16x8_s',
        load('v128.load8x8_s', get('steps'), at),
        load('v128.load', get('query'), at * 2),
      ),
    ),
  );

const total = (sum: string): Code =>
  op(
    'i32.add',
    op('i32.add', lane(get(sum), 0), lane(get(sum), 1)),
    op('i32.add', lane(get(sum), 2), lane(get(sum), 3)),
  );

const kindOfRecord = load('i32.load8_u', get('from'), record.kind);

/** Its bytes. Several sums, so that no addition has to wait for the one before; with four the scan is at the pace of memory. */
export const kernel = assemble({
  name: 'scan',
  parameters: {
    from: 'i32',
    until: 'i32',
    recordBytes: 'i32',
    stepBytes: 'i32',
    least: 'f64',
    scale: 'f64',
  },
  locals: {
    hit: 'i32',
    steps: 'i32',
    stepsEnd: 'i32',
    query: 'i32',
    sum0: 'v128',
    sum1: 'v128',
    sum2: 'v128',
    sum3: 'v128',
    score: 'f64',
  },
  result: 'i32',
  body: [
    set('hit', i32(desk.hits)),
    loop(
      block(
        branchIf(0, op('i32.eqz', load('i32.load8_u', kindOfRecord, desk.wanted))),

        set('steps', op('i32.add', get('from'), i32(record.steps))),
        set('stepsEnd', op('i32.add', get('steps'), get('stepBytes'))),
        set('query', i32(desk.query)),
        ...sums.map((sum) => set(sum, zeroes)),
        loop(
          ...sums.map((sum, n) => addProducts(sum, n * 8)),
          set('steps', op('i32.add', get('steps'), i32(stride))),
          set('query', op('i32.add', get('query'), i32(stride * 2))),
          branchIf(0, op('i32.lt_u', get('steps'), get('stepsEnd'))),
        ),
        ...sums.slice(1).map((sum) => set('sum0', op('i32x4.add', get('sum0'), get(sum)))),

        // As JavaScript would: in 64 bits, in this order.
        set(
          'score',
          op(
            'f64.mul',
            op(
              'f64.mul',
              op('f64.convert_i32_s', total('sum0')),
              op('f64.promote_f32', load('f32.load', get('from'), record.scale)),
            ),
            get('scale'),
          ),
        ),
        branchIf(0, op('i32.eqz', op('f64.ge', get('score'), get('least')))),

        store('f64.store', get('hit'), get('score')),
        store('i32.store', get('hit'), get('from'), 8),
        set('hit', op('i32.add', get('hit'), i32(hitBytes))),
      ),
      set('from', op('i32.add', get('from'), get('recordBytes'))),
      branchIf(0, op('i32.lt_u', get('from'), get('until'))),
    ),
    op('i32.sub', get('hit'), i32(desk.hits)),
  ],
});

let compiled: WasmModule | undefined;

/** Plain where the processor has no SIMD that WebAssembly could use. */
export function scanOf(memory: WasmMemory, form?: 'kernel' | 'plain'): ScanRecords {
  if (form === 'plain' || (!form && !webAssembly.validate(kernel))) return plainScan(memory);
  compiled ??= new webAssembly.Module(kernel);
  return new webAssembly.Instance(compiled, { env: { memory } }).exports.scan as ScanRecords;
}

export function plainScan(memory: WasmMemory): ScanRecords {
  return (from, until, recordBytes, stepBytes, least, scale) => {
    const bytes = new Uint8Array(memory.buffer);
    const view = new DataView(memory.buffer);
    const steps = new Int8Array(memory.buffer);
    const query = Int8Array.from({ length: stepBytes }, (_, n) => view.getInt16(desk.query + n * 2, true));
    let hit = desk.hits;
    for (let at = from; at < until; at += recordBytes) {
      if (bytes[desk.wanted + (bytes[at + record.kind] as number)] === 0) continue;
      const product = dot(query, steps, at + record.steps);
      const score = product * view.getFloat32(at + record.scale, true) * scale;
      if (!(score >= least)) continue;
      view.setFloat64(hit, score, true);
      view.setUint32(hit + 8, at, true);
      hit += hitBytes;
    }
    return hit - desk.hits;
  };
}

/** Written out four at a time, with `Math.imul`, it takes half of what the plain loop takes. */
export function dot(query: Int8Array, steps: Int8Array, from: number): number {
  const { length } = query;
  let [a, b, c, d] = [0, 0, 0, 0];
  let n = 0;
  for (; n + 3 < length; n += 4) {
    const m = from + n;
    a = (a + Math.imul(query[n] as number, steps[m] as number)) | 0;
    b = (b + Math.imul(query[n + 1] as number, steps[m + 1] as number)) | 0;
    c = (c + Math.imul(query[n + 2] as number, steps[m + 2] as number)) | 0;
    d = (d + Math.imul(query[n + 3] as number, steps[m + 3] as number)) | 0;
  }
  for (; n < length; n++) a = (a + Math.imul(query[n] as number, steps[from + n] as number)) | 0;
  return a + b + c + d;
}

export interface Hit {
  readonly score: number;
  /** Where its record stands. */
  readonly at: number;
}

export function* hitsIn(memory: WasmMemory, listBytes: number): Generator<Hit> {
  const view = new DataView(memory.buffer);
  for (let at: number = desk.hits; at < desk.hits + listBytes; at += hitBytes)
    yield { score: view.getFloat64(at, true), at: view.getUint32(at + 8, true) };
}
