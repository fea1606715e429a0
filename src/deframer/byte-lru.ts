// What was used last, up to so many bytes.

export class ByteLru<T> {
  readonly #maxBytes: number;
  readonly #sizeOf: (value: T) => number;
  /** A Map keeps the order in which keys were put: the one that was not used for longest comes first. */
  readonly #values = new Map<string, T>();
  #bytes = 0;

  constructor({ maxBytes, sizeOf }: { maxBytes: number; sizeOf: (value: T) => number }) {
    this.#maxBytes = maxBytes;
    this.#sizeOf = sizeOf;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(key: string): T | undefined {
    const value = this.#values.get(key);
    if (value === undefined) return undefined;
    this.#values.delete(key);
    this.#values.set(key, value);
    return value;
  }

  /** One that is larger than all that there is room for is not kept, and drives out nobody. */
  set(key: string, value: T): void {
    this.#drop(key);
    const size = this.#sizeOf(value);
    if (size > this.#maxBytes) return;
    this.#values.set(key, value);
    this.#bytes += size;
    for (const oldest of this.#values.keys()) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    const value = this.#values.get(key);
    if (value === undefined) return;
    this.#bytes -= this.#sizeOf(value);
    this.#values.delete(key);
  }
}
