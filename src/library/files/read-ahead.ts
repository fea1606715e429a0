// Reads many files of the library, several at a time: on S3, each read waits for an answer.

export const maxReads = 16;
const defaultMaxBytes = 16 * 1024 * 1024;

export interface ReadAheadOptions<T> {
  /** How much memory the result of a read occupies. Without it, only the number of reads is limited. */
  readonly sizeOf?: (item: T) => number;
  /** No read is started while results of more than this are held or under way. */
  readonly maxBytes?: number;
}

/** Yields the results in the order of the items. The first error ends it, in its turn. */
export async function* readAhead<T, R>(
  items: Iterable<T> | AsyncIterable<T>,
  read: (item: T) => Promise<R>,
  { sizeOf = () => 0, maxBytes = defaultMaxBytes }: ReadAheadOptions<T> = {},
): AsyncGenerator<R, void, void> {
  const source = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  const reads: { sizeBytes: number; result: Promise<R> }[] = [];
  let aheadBytes = 0;
  let isAtEnd = false;
  try {
    for (;;) {
      while (!isAtEnd && reads.length < maxReads && (reads.length === 0 || aheadBytes < maxBytes)) {
        const next = await source.next();
        isAtEnd = next.done === true;
        if (next.done) break;
        const result = read(next.value);
        // An error is thrown when it is this read's turn.
        result.catch(() => {});
        const sizeBytes = sizeOf(next.value);
        aheadBytes += sizeBytes;
        reads.push({ sizeBytes, result });
      }
      const first = reads.shift();
      if (!first) return;
      yield await first.result;
      aheadBytes -= first.sizeBytes;
    }
  } finally {
    await Promise.allSettled(reads.map(({ result }) => result));
    if (!isAtEnd) await source.return?.();
  }
}
