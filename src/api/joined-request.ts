import { IncomingMessage } from 'node:http';

/** Larger chunks are passed on as they are. */
const smallBytes = 4 * 1024;

/**
 * Node's request, which joins small chunks of the body that arrive together. An object for each chunk takes two hundred times the
 * size of a chunk of one byte.
 */
export class JoinedRequest extends IncomingMessage {
  #held = new Uint8Array(0);
  #heldBytes = 0;

  override push(chunk: Uint8Array | null): boolean {
    if (chunk === null || (chunk.length >= smallBytes && this.#heldBytes === 0)) {
      this.#pass();
      return super.push(chunk);
    }
    if (this.#heldBytes === 0) setImmediate(() => this.#pass());
    this.#hold(chunk);
    return this.readableLength + this.#heldBytes < this.readableHighWaterMark;
  }

  #hold(chunk: Uint8Array): void {
    const size = this.#heldBytes + chunk.length;
    if (size > this.#held.length) {
      const larger = new Uint8Array(Math.max(2 * this.#held.length, size, 256));
      larger.set(this.#held.subarray(0, this.#heldBytes));
      this.#held = larger;
    }
    this.#held.set(chunk, this.#heldBytes);
    this.#heldBytes = size;
  }

  #pass(): void {
    if (this.#heldBytes === 0) return;
    const joined = this.#held.subarray(0, this.#heldBytes);
    this.#held = new Uint8Array(0);
    this.#heldBytes = 0;
    super.push(Buffer.from(joined.buffer, 0, joined.length));
  }
}
