// Joins the chunks of a body in shared memory as they arrive. A thread can read it there without a copy, and unlike other buffers it
// does not count towards the next garbage collection.
import { setImmediate as nextTurn } from 'node:timers/promises';

const stepBytes = 128 * 1024;

/**
 * `maxBytes` is reserved, and taken as the body arrives. After each step the event loop turns: Node reads up to 2 MB from a
 * connection in one turn, and several fast connections would block it for 50 ms.
 */
export async function joinShared(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<Uint8Array<SharedArrayBuffer>> {
  const memory = new SharedArrayBuffer(0, { maxByteLength: maxBytes });
  const bytes = new Uint8Array(memory);
  let size = 0;
  for await (const chunk of chunks) {
    const end = size + chunk.length;
    const isFull = end > memory.byteLength;
    if (isFull) memory.grow(Math.min(maxBytes, end + stepBytes));
    bytes.set(chunk, size);
    size = end;
    if (isFull) await nextTurn();
  }
  return new Uint8Array(memory, 0, size);
}
