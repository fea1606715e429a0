// Reads a stream of server-sent events, one at a time.

export interface SentEvent {
  readonly id: string;
  readonly event: string;
  readonly data: unknown;
}

export class EventReader {
  /** All that has come so far. */
  text = '';
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  #unread = '';

  constructor(response: Response) {
    if (!response.body) throw new Error('the answer has no body');
    this.#reader = response.body.getReader();
  }

  /** The next event, or undefined at the end of the stream. */
  async next(): Promise<SentEvent | undefined> {
    for (;;) {
      const end = this.#unread.indexOf('\n\n');
      if (end >= 0) {
        const fields = new Map(
          this.#unread
            .slice(0, end)
            .split('\n')
            .map((line) => line.split(/: (.*)/s, 2) as [string, string]),
        );
        this.#unread = this.#unread.slice(end + 2);
        const data = fields.get('data');
        if (data === undefined) continue;
        return { id: fields.get('id') ?? '', event: fields.get('event') ?? '', data: JSON.parse(data) };
      }
      const { value, done } = await this.#reader.read();
      if (done) return undefined;
      const text = this.#decoder.decode(value, { stream: true });
      this.text += text;
      this.#unread += text;
    }
  }

  cancel(): Promise<void> {
    return this.#reader.cancel();
  }
}
