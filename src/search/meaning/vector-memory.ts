// The memory that a scan goes over: one for all blocks, given out in slabs. A memory for each block would be simpler, but one
// that nobody refers to any more is held until the next large collection, which may be hours away (measured: eight blocks
// of 256 MB, each let go before the next, were 2 GB). Here a slab that is given back is the next to be taken.
import { desk, type ScanRecords, scanOf } from './scan-kernel.ts';
import { type WasmMemory, webAssembly } from './web-assembly.ts';

const pageBytes = 65_536;
const slabPages = 8;
export const slabBytes = slabPages * pageBytes;
const deskPages = Math.ceil(desk.bytes / pageBytes);

export class VectorMemory {
  readonly memory: WasmMemory;
  readonly scan: ScanRecords;
  readonly #free: number[] = [];
  readonly #mostPages: number;
  #view: DataView;
  #bytes: Uint8Array;

  /** One slab is there whatever `maxBytes` says. */
  constructor(maxBytes: number, form?: 'kernel' | 'plain') {
    this.#mostPages = deskPages + slabPages * Math.max(1, Math.floor(maxBytes / slabBytes));
    // With a known maximum it grows where it stands, and is never there twice.
    this.memory = new webAssembly.Memory({ initial: deskPages, maximum: this.#mostPages });
    this.scan = scanOf(this.memory, form);
    this.#view = new DataView(this.memory.buffer);
    this.#bytes = new Uint8Array(this.memory.buffer);
  }

  get view(): DataView {
    if (this.#view.buffer !== this.memory.buffer) this.#view = new DataView(this.memory.buffer);
    return this.#view;
  }

  get bytes(): Uint8Array {
    if (this.#bytes.buffer !== this.memory.buffer) this.#bytes = new Uint8Array(this.memory.buffer);
    return this.#bytes;
  }

  /** Where a slab stands that is nobody else's; undefined when all are given out. What it held before is still in it. */
  take(): number | undefined {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    const { byteLength } = this.memory.buffer;
    if (byteLength / pageBytes + slabPages > this.#mostPages) return undefined;
    try {
      this.memory.grow(slabPages);
    } catch (error) {
      // The machine has no more: then there are fewer slabs than there might be.
      if (error instanceof RangeError && byteLength / pageBytes > deskPages) return undefined;
      throw error;
    }
    return byteLength;
  }

  giveBack(slabs: readonly number[]): void {
    this.#free.push(...slabs);
  }
}
