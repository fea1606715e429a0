// Speaks with a browser over two pipes: JSON, each message ended by a zero byte. Nobody else can listen in, as they could on
// a port.
import type { Readable, Writable } from 'node:stream';

export type Params = Readonly<Record<string, unknown>>;

export interface DevtoolsEvent {
  readonly method: string;
  readonly params: Params;
  readonly sessionId: string | undefined;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Params;
  readonly sessionId?: string;
  readonly result?: Params;
  readonly error?: { readonly message: string };
}

/** A picture of a page is the largest thing that is said. */
const longestMessage = 64 * 1024 * 1024;

export class DevtoolsPipe {
  readonly #to: Writable;
  /** Called with whatever it says unasked. */
  onEvent: (event: DevtoolsEvent) => void = () => {};
  readonly #waiting = new Map<
    number,
    { resolve: (result: Params) => void; reject: (error: Error) => void }
  >();
  #lastId = 0;
  #pieces: Buffer[] = [];
  #length = 0;
  #closed: Error | undefined;

  constructor(to: Writable, from: Readable) {
    this.#to = to;
    from.on('data', (chunk: Buffer) => this.#take(chunk));
    for (const stream of [to, from]) stream.on('error', (error) => this.close(error));
    from.on('close', () => this.close(new Error('the browser has hung up')));
  }

  send(method: string, params: Params = {}, sessionId?: string): Promise<Params> {
    if (this.#closed) return Promise.reject(this.#closed);
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#to.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    });
  }

  /** Whoever still waits for an answer is told that none will come. */
  close(reason: Error): void {
    this.#closed ??= reason;
    for (const { reject } of this.#waiting.values()) reject(this.#closed);
    this.#waiting.clear();
  }

  #take(chunk: Buffer): void {
    let rest = chunk;
    for (let end = rest.indexOf(0); end >= 0; end = rest.indexOf(0)) {
      const text = Buffer.concat([...this.#pieces, rest.subarray(0, end)]).toString();
      this.#pieces = [];
      this.#length = 0;
      rest = rest.subarray(end + 1);
      this.#understand(text);
    }
    this.#length += rest.length;
    if (this.#length > longestMessage) this.close(new Error('the browser says too much at once'));
    else if (rest.length > 0) this.#pieces.push(rest);
  }

  #understand(text: string): void {
    const { id, method, params = {}, sessionId, result = {}, error } = JSON.parse(text) as Message;
    if (method !== undefined) this.onEvent({ method, params, sessionId });
    const waiting = this.#waiting.get(id ?? 0);
    this.#waiting.delete(id ?? 0);
    if (error) waiting?.reject(new Error(error.message));
    else waiting?.resolve(result);
  }
}
