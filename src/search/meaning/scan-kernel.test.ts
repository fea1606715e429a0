import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRuns } from '../../../test/support/depth.ts';
import { assemble, get, i32, op, signed, unsigned } from './assemble-wasm.ts';
import {
  desk,
  hitsIn,
  kernel,
  mostDimensions,
  record,
  recordsAtOnce,
  scanOf,
  stride,
} from './scan-kernel.ts';
import { webAssembly } from './web-assembly.ts';

const firstAt = Math.ceil(desk.bytes / 65_536) * 65_536;

interface World {
  readonly query: readonly number[];
  readonly records: readonly {
    readonly scale: number;
    readonly kind: number;
    readonly steps: readonly number[];
  }[];
  readonly unwanted?: readonly number[];
}

/** Puts records into a memory as blocks do, and returns what scans them. */
function lay({ query, records, unwanted = [] }: World) {
  const stepBytes = Math.ceil(query.length / stride) * stride;
  const recordBytes = record.steps + stepBytes;
  const pages = Math.ceil((firstAt + records.length * recordBytes) / 65_536);
  const memory = new webAssembly.Memory({ initial: pages });
  const view = new DataView(memory.buffer);
  new Uint8Array(memory.buffer, desk.wanted, 256).fill(1);
  for (const kind of unwanted) view.setUint8(desk.wanted + kind, 0);
  for (const [n, step] of query.entries()) view.setInt16(desk.query + n * 2, step, true);
  for (const [row, { scale, kind, steps }] of records.entries()) {
    const at = firstAt + row * recordBytes;
    view.setFloat32(at + record.scale, scale, true);
    view.setUint8(at + record.kind, kind);
    new Int8Array(memory.buffer).set(steps, at + record.steps);
  }
  return (form: 'kernel' | 'plain', least: number, scale: number) => {
    const until = firstAt + records.length * recordBytes;
    const listBytes = scanOf(memory, form)(firstAt, until, recordBytes, stepBytes, least, scale);
    return [...hitsIn(memory, listBytes)].map(({ score, at }) => ({
      score,
      row: (at - firstAt) / recordBytes,
    }));
  };
}

const plainProduct = (a: readonly number[], b: readonly number[]) =>
  a.reduce((sum, value, n) => sum + value * (b[n] as number), 0);

const steps = (size: number) =>
  fc.oneof(
    fc.array(fc.integer({ min: -128, max: 127 }), { minLength: size, maxLength: size }),
    fc.array(fc.constantFrom(-128, -127, 127), { minLength: size, maxLength: size }),
  );

const worlds = fc.integer({ min: 1, max: 1536 }).chain((size) =>
  fc.record({
    query: steps(size),
    records: fc.array(
      fc.record({
        steps: steps(size),
        scale: fc.float({ min: 0, max: 1, noNaN: true }),
        kind: fc.nat(255),
      }),
      { minLength: 1, maxLength: 6 },
    ),
    unwanted: fc.array(fc.nat(255), { maxLength: 60 }),
  }),
);

describe('the kernel of a scan', () => {
  it('is what this machine can run', () => {
    expect(webAssembly.validate(kernel)).toBe(true);
  });

  it('has the same products as a plain loop, to the last unit, for any number of dimensions', () => {
    fc.assert(
      fc.property(worlds, (world) => {
        const records = world.records.map((one) => ({ ...one, scale: 1 }));
        const wanted = records.map(({ steps }, row) => ({ row, score: plainProduct(world.query, steps) }));
        for (const form of ['kernel', 'plain'] as const)
          expect(lay({ query: world.query, records })(form, Number.NEGATIVE_INFINITY, 1)).toEqual(wanted);
      }),
      propertyRuns(150),
    );
  });

  it('lists the same records with the same scores as plain JavaScript: those of the kinds, and no worse than asked', () => {
    const scale = fc.double({ min: 0, max: 1, noNaN: true });
    const leasts = fc.oneof(fc.double({ noNaN: true }), fc.constantFrom(0, -0, Number.NEGATIVE_INFINITY));
    fc.assert(
      fc.property(worlds, leasts, scale, (world, least, scale) => {
        const scan = lay(world);
        const wanted = world.records.flatMap(({ kind, steps, scale: own }, row) => {
          const score = plainProduct(world.query, steps) * own * scale;
          return world.unwanted.includes(kind) || score < least ? [] : [{ row, score }];
        });
        expect(scan('kernel', least, scale)).toEqual(wanted);
        expect(scan('plain', least, scale)).toEqual(wanted);
      }),
      propertyRuns(150),
    );
  });

  it('does not overflow, with as many dimensions as may be and each of them as large as may be', () => {
    for (const [a, b] of [
      [-128, -128],
      [-128, 127],
      [127, 127],
    ] as const) {
      const query = new Array<number>(mostDimensions).fill(a);
      const records = [{ scale: 1, kind: 0, steps: new Array<number>(mostDimensions).fill(b) }];
      const scan = lay({ query, records });
      for (const form of ['kernel', 'plain'] as const)
        expect(scan(form, Number.NEGATIVE_INFINITY, 1)).toEqual([{ row: 0, score: a * b * mostDimensions }]);
    }
  });

  it('has room to list every record of a call, and lists none whose scale is no number', () => {
    const records = Array.from({ length: recordsAtOnce }, (_, n) => ({
      scale: 1,
      kind: n % 256,
      steps: [1, 2],
    }));
    const all = lay({ query: [127, -128], records })('kernel', -1_000, 1);
    expect(all).toEqual(records.map((_, row) => ({ row, score: -129 })));
    const broken = lay({ query: [1], records: [{ scale: Number.NaN, kind: 0, steps: [1] }] });
    for (const form of ['kernel', 'plain'] as const)
      expect(broken(form, Number.NEGATIVE_INFINITY, 1)).toEqual([]);
  });
});

describe('a module of WebAssembly', () => {
  it('has its numbers in LEB128', () => {
    expect(unsigned(624_485)).toEqual([0xe5, 0x8e, 0x26]);
    expect(signed(-123_456)).toEqual([0xc0, 0xbb, 0x78]);
    expect([unsigned(127), unsigned(128), signed(63), signed(64), signed(-64), signed(-65)]).toEqual([
      [0x7f],
      [0x80, 0x01],
      [0x3f],
      [0xc0, 0x00],
      [0x40],
      [0xbf, 0x7f],
    ]);
  });

  it('computes what was written, with constants of any size', () => {
    const memory = new webAssembly.Memory({ initial: 1 });
    fc.assert(
      fc.property(fc.integer(), fc.integer(), (a, b) => {
        const module = assemble({
          name: 'sum',
          parameters: { a: 'i32' },
          locals: {},
          result: 'i32',
          body: [op('i32.add', get('a'), i32(b))],
        });
        const { exports } = new webAssembly.Instance(new webAssembly.Module(module), { env: { memory } });
        expect((exports.sum as (a: number) => number)(a)).toBe((a + b) | 0);
      }),
    );
  });

  it('refuses a local that nobody declared', () => {
    const body = [get('b')];
    expect(() => assemble({ name: 'f', parameters: { a: 'i32' }, locals: {}, result: 'i32', body })).toThrow(
      'the function f has no local b',
    );
  });
});
