// Vectors in memory, a block for each user: a scan is given one block and cannot reach another.
import { BestDocuments, type Scored } from './best-documents.ts';
import { type Quantised, readQuantised } from './quantise.ts';
import { desk, hitsIn, mostDimensions, record, recordsAtOnce, stride } from './scan-kernel.ts';
import { slabBytes, VectorMemory } from './vector-memory.ts';

export interface HeldChunk {
  readonly seq: number;
  readonly kind: string;
  readonly refId: number;
  readonly publishedAt: number;
  readonly vector: Uint8Array;
}

export interface ScanInput {
  /** Of length 1. */
  readonly query: Float32Array;
  readonly kinds?: readonly string[] | undefined;
  /** So many documents, each by its best passage. */
  readonly limit: number;
  readonly leastScore: number;
  /** Passages that are there no more. */
  readonly without?: readonly number[] | undefined;
}

/** When a block is full, so much of it is let go: the oldest documents. */
const shareLetGo = 0.25;
const hourMs = 3_600_000;
const lastHour = 2 ** 24 - 1;

class Block {
  readonly dimensions: number;
  usedAt = 0;
  rows = 0;
  readonly #kinds: string[] = [];
  readonly #slabs: number[] = [];
  readonly #memory: VectorMemory;
  readonly #stepBytes: number;
  readonly #recordBytes: number;
  readonly #rowsPerSlab: number;

  constructor(dimensions: number, memory: VectorMemory) {
    if (dimensions > mostDimensions)
      throw new RangeError(`vectors have ${mostDimensions} dimensions at most`);
    this.dimensions = dimensions;
    this.#memory = memory;
    this.#stepBytes = Math.ceil(dimensions / stride) * stride;
    this.#recordBytes = record.steps + this.#stepBytes;
    this.#rowsPerSlab = Math.floor(slabBytes / this.#recordBytes);
  }

  get isFull(): boolean {
    return this.rows === this.#slabs.length * this.#rowsPerSlab;
  }

  get bytes(): number {
    return this.#slabs.length * slabBytes;
  }

  extend(slab: number): void {
    this.#slabs.push(slab);
  }

  add({ seq, kind, refId, publishedAt }: HeldChunk, { scale, steps }: Quantised): void {
    const { view, bytes } = this.#memory;
    const at = this.#addressOf(this.rows);
    const hour = Math.min(lastHour, Math.max(0, Math.floor(publishedAt / hourMs)));
    view.setFloat64(at + record.seq, seq, true);
    view.setFloat64(at + record.refId, refId, true);
    view.setFloat32(at + record.scale, scale, true);
    view.setUint32(at + record.kind, hour * 256 + this.#codeOf(kind), true);
    bytes.set(new Uint8Array(steps.buffer, steps.byteOffset, steps.length), at + record.steps);
    bytes.fill(0, at + record.steps + steps.length, at + this.#recordBytes);
    this.rows += 1;
  }

  #addressOf(row: number): number {
    const slab = this.#slabs[Math.floor(row / this.#rowsPerSlab)];
    if (slab === undefined) throw new RangeError(`there is no room for row ${row}`);
    return slab + (row % this.#rowsPerSlab) * this.#recordBytes;
  }

  #codeOf(kind: string): number {
    const known = this.#kinds.indexOf(kind);
    if (known >= 0) return known;
    if (this.#kinds.length === 255) throw new Error('more kinds of documents than a byte can count');
    return this.#kinds.push(kind) - 1;
  }

  /** Where they stand, so that it takes no memory. Of the same hour, those go that were read first. */
  letGoOfTheOldest(): void {
    const { view, bytes } = this.#memory;
    const addresses = Float64Array.from({ length: this.rows }, (_, row) => this.#addressOf(row));
    const hours = Uint32Array.from(addresses, (at) => view.getUint32(at + record.kind, true) >>> 8);
    const goes = Math.ceil(this.rows * shareLetGo);
    const firstKept = hours.toSorted()[goes] ?? lastHour;
    let goesOfThatHour = goes - hours.reduce((sum, hour) => sum + (hour < firstKept ? 1 : 0), 0);
    this.rows = 0;
    for (const [row, from] of addresses.entries()) {
      const hour = hours[row] as number;
      if (hour < firstKept) continue;
      if (hour === firstKept && goesOfThatHour > 0) {
        goesOfThatHour -= 1;
        continue;
      }
      bytes.copyWithin(addresses[this.rows] as number, from, from + this.#recordBytes);
      this.rows += 1;
    }
    this.#memory.giveBack(this.#slabs.splice(Math.ceil(this.rows / this.#rowsPerSlab)));
  }

  letGoOfAll(): void {
    this.rows = 0;
    this.#memory.giveBack(this.#slabs.splice(0));
  }

  scan({ query, kinds, limit, leastScore, without }: ScanInput, asked: Quantised): Scored[] {
    if (query.length !== this.dimensions) return [];
    this.#put(asked.steps, kinds);
    const { view, memory } = this.#memory;
    const best = new BestDocuments(limit);
    const gone = new Set(without);
    for (const [from, until] of this.#runs()) {
      const least = Math.max(leastScore, best.least);
      const listBytes = this.#memory.scan(
        from,
        until,
        this.#recordBytes,
        this.#stepBytes,
        least,
        asked.scale,
      );
      for (const { score, at } of hitsIn(memory, listBytes)) {
        const seq = view.getFloat64(at + record.seq, true);
        if (score <= best.least || gone.has(seq)) continue;
        best.offer({
          seq,
          kind: this.#kinds[view.getUint8(at + record.kind)] as string,
          refId: view.getFloat64(at + record.refId, true),
          score,
        });
      }
    }
    return best.inOrder();
  }

  #put(steps: Int8Array, kinds: readonly string[] | undefined): void {
    const { view } = this.#memory;
    for (const [code, kind] of this.#kinds.entries())
      view.setUint8(desk.wanted + code, !kinds || kinds.includes(kind) ? 1 : 0);
    for (let n = 0; n < this.#stepBytes; n++) view.setInt16(desk.query + n * 2, steps[n] ?? 0, true);
  }

  /** Records that stand one behind the other, not too many at once. */
  *#runs(): Generator<[from: number, until: number]> {
    for (const [n, slab] of this.#slabs.entries()) {
      const rows = Math.min(this.#rowsPerSlab, this.rows - n * this.#rowsPerSlab);
      for (let row = 0; row < rows; row += recordsAtOnce) {
        const until = Math.min(rows, row + recordsAtOnce);
        yield [slab + row * this.#recordBytes, slab + until * this.#recordBytes];
      }
    }
  }
}

export class VectorBlocks {
  readonly #blocks = new Map<number, Block>();
  readonly #memory: VectorMemory;
  #turn = 0;

  constructor(maxBytes: number, form?: 'kernel' | 'plain') {
    this.#memory = new VectorMemory(maxBytes, form);
  }

  /** Returns the users whose blocks had to go: those that were not asked for the longest time. */
  add(userId: number, dimensions: number, chunks: Iterable<HeldChunk>): number[] {
    let block = this.#blocks.get(userId);
    if (!block || block.dimensions !== dimensions) {
      this.drop(userId);
      block = new Block(dimensions, this.#memory);
      this.#blocks.set(userId, block);
    }
    this.#turn += 1;
    block.usedAt = this.#turn;
    const dropped: number[] = [];
    for (const chunk of chunks) {
      const quantised = readQuantised(chunk.vector);
      // A server may have changed its model without changing the name.
      if (quantised.steps.length !== dimensions) continue;
      while (block.isFull) this.#makeRoom(block, dropped);
      block.add(chunk, quantised);
    }
    return dropped;
  }

  drop(userId: number): void {
    this.#blocks.get(userId)?.letGoOfAll();
    this.#blocks.delete(userId);
  }

  /** Undefined where nothing is held of the user. */
  scan(userId: number, input: ScanInput, asked: Quantised): Scored[] | undefined {
    const block = this.#blocks.get(userId);
    if (!block) return undefined;
    this.#turn += 1;
    block.usedAt = this.#turn;
    return block.scan(input, asked);
  }

  get bytes(): number {
    return [...this.#blocks.values()].reduce((sum, block) => sum + block.bytes, 0);
  }

  /** What the system has given, whoever holds it. */
  get bytesReserved(): number {
    return this.#memory.memory.buffer.byteLength;
  }

  rowsOf(userId: number): number {
    return this.#blocks.get(userId)?.rows ?? 0;
  }

  #makeRoom(block: Block, dropped: number[]): void {
    const slab = this.#memory.take();
    const [longestUnasked] = [...this.#blocks]
      .filter(([, other]) => other !== block)
      .sort(([, a], [, b]) => a.usedAt - b.usedAt);
    if (slab !== undefined) block.extend(slab);
    else if (!longestUnasked && block.rows > 0) block.letGoOfTheOldest();
    else if (!longestUnasked) throw new RangeError('there is no memory for vectors');
    else {
      this.drop(longestUnasked[0]);
      dropped.push(longestUnasked[0]);
    }
  }
}
