// WebAssembly from instructions with names, as far as the scan of vectors needs it: a module of one function that works on
// memory it is given. Instructions are written as expressions: what takes operands is given the code that makes them.
// Numbers of instructions and sections: https://webassembly.github.io/spec/core/binary/

const opcodes = {
  'i32.add': [0x6a],
  'i32.sub': [0x6b],
  'i32.lt_u': [0x49],
  'i32.eqz': [0x45],
  'f64.mul': [0xa2],
  'f64.ge': [0x66],
  'f64.convert_i32_s': [0xb7],
  'f64.promote_f32': [0xbb],
  'i32x4.add': [0xfd, 0xae, 0x01],
  /** Eight products of 16 bits; neighbours are added, in 32 bits. */
  'i32x4.dot_i16x8_s': [0xfd, 0xba, 0x01],
} as const;

const loads = {
  'i32.load8_u': [0x2d],
  'f32.load': [0x2a],
  'v128.load': [0xfd, 0x00],
  /** Eight bytes, each made 16 bits with its sign. */
  'v128.load8x8_s': [0xfd, 0x01],
} as const;

const stores = { 'i32.store': [0x36], 'f64.store': [0x39] } as const;

const types = { i32: 0x7f, f32: 0x7d, f64: 0x7c, v128: 0x7b } as const;
const noResult = 0x40;
const end = 0x0b;

export type ValueType = keyof typeof types;

/** Bytes, and names of locals where their numbers will stand. */
export type Code = readonly (number | string)[];

export const op = (name: keyof typeof opcodes, ...operands: readonly Code[]): Code => [
  ...operands.flat(),
  ...opcodes[name],
];

export const load = (name: keyof typeof loads, address: Code, offset = 0): Code => [
  ...address,
  ...loads[name],
  ...memoryAt(offset),
];

export const store = (name: keyof typeof stores, address: Code, value: Code, offset = 0): Code => [
  ...address,
  ...value,
  ...stores[name],
  ...memoryAt(offset),
];

export const get = (local: string): Code => [0x20, local];
export const set = (local: string, value: Code): Code => [...value, 0x21, local];
export const i32 = (value: number): Code => [0x41, ...signed(value)];
export const zeroes: Code = [0xfd, 0x0c, ...new Array<number>(16).fill(0)];
export const lane = (vector: Code, n: 0 | 1 | 2 | 3): Code => [...vector, 0xfd, 0x1b, n];

/** Runs once more for each `branchIf` to it. */
export const loop = (...body: readonly Code[]): Code => [0x03, noResult, ...body.flat(), end];
/** Ends at a `branchIf` to it. */
export const block = (...body: readonly Code[]): Code => [0x02, noResult, ...body.flat(), end];
/** To the innermost `loop` or `block` around it for 0, to the one around that for 1. */
export const branchIf = (depth: number, condition: Code): Code => [...condition, 0x0d, depth];

/** An alignment of 0 promises nothing; engines read as fast without the promise. */
const memoryAt = (offset: number): number[] => [0, ...unsigned(offset)];

export interface WasmFunction {
  readonly name: string;
  readonly parameters: Readonly<Record<string, ValueType>>;
  readonly locals: Readonly<Record<string, ValueType>>;
  readonly result: ValueType;
  readonly body: readonly Code[];
}

/** A module that imports `env.memory` and exports the function. */
export function assemble({ name, parameters, locals, result, body }: WasmFunction): Uint8Array<ArrayBuffer> {
  const names = [...Object.keys(parameters), ...Object.keys(locals)];
  const numberOf = (local: string): number => {
    const at = names.indexOf(local);
    if (at < 0) throw new Error(`the function ${name} has no local ${local}`);
    return at;
  };
  const code = [
    ...vector(Object.values(locals).map((type) => [1, types[type]])),
    ...body.flat().flatMap((part) => (typeof part === 'string' ? unsigned(numberOf(part)) : part)),
    end,
  ];
  const signature = [
    0x60,
    ...vector(Object.values(parameters).map((type) => [types[type]])),
    1,
    types[result],
  ];
  const memory = [...text('env'), ...text('memory'), 0x02, 0x00, 1];
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, [signature]),
    ...section(2, [memory]),
    ...section(3, [[0]]),
    ...section(7, [[...text(name), 0x00, 0]]),
    ...section(10, [[...unsigned(code.length), ...code]]),
  ]);
}

const vector = (parts: readonly (readonly number[])[]): number[] => [
  ...unsigned(parts.length),
  ...parts.flat(),
];

function section(id: number, parts: readonly (readonly number[])[]): number[] {
  const content = vector(parts);
  return [id, ...unsigned(content.length), ...content];
}

function text(value: string): number[] {
  const bytes = [...new TextEncoder().encode(value)];
  return [...unsigned(bytes.length), ...bytes];
}

/** LEB128: seven bits in each byte, the lowest first. */
export function unsigned(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest & 0x7f) | 0x80);
  return [...bytes, rest];
}

/** The same in two's complement; the last byte's second bit is the sign. */
export function signed(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest < -64 || rest > 63; rest >>= 7) bytes.push((rest & 0x7f) | 0x80);
  return [...bytes, rest & 0x7f];
}
