// A vector in bytes, as it is stored and scanned: how much a step is, then each dimension in -127 to 127 steps.

const scaleBytes = 4;

export function quantise(vector: Float32Array): Uint8Array<ArrayBuffer> {
  let largest = 0;
  for (const value of vector) largest = Math.max(largest, Math.abs(value));
  const scale = Math.fround(largest / 127) || 1;
  const bytes = new Uint8Array(scaleBytes + vector.length);
  new DataView(bytes.buffer).setFloat32(0, scale, true);
  for (const [n, value] of vector.entries()) bytes[scaleBytes + n] = Math.round(value / scale);
  return bytes;
}

export interface Quantised {
  readonly scale: number;
  readonly steps: Int8Array;
}

/** Looks into the bytes and copies nothing. */
export function readQuantised(bytes: Uint8Array): Quantised {
  const { buffer, byteOffset, byteLength } = bytes;
  return {
    scale: new DataView(buffer, byteOffset, scaleBytes).getFloat32(0, true),
    steps: new Int8Array(buffer, byteOffset + scaleBytes, byteLength - scaleBytes),
  };
}

export function dequantise(bytes: Uint8Array): Float32Array {
  const { scale, steps } = readQuantised(bytes);
  return Float32Array.from(steps, (step) => step * scale);
}
