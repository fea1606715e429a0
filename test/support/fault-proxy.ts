// A TCP proxy in front of a server that breaks connections as a test says, and can change its behaviour while it runs.
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** up: from the client to the server. down: from the server to the client. */
export type Direction = 'up' | 'down';

/** cut: FIN to both sides. reset: RST to both sides. stall: the connection stays open and nothing more arrives. */
export type Break = 'cut' | 'reset' | 'stall';

export type Fault =
  | { readonly kind: 'pass' }
  /** New connections are refused; those that exist go on. */
  | { readonly kind: 'refuse' }
  /** Connections are accepted and stay open, but nothing arrives, not even their end: as if packets were dropped. */
  | { readonly kind: 'half-open' }
  /** Everything arrives later. */
  | { readonly kind: 'delay'; readonly ms: number; readonly direction?: Direction }
  /** All connections share this bandwidth. */
  | { readonly kind: 'throttle'; readonly bytesPerSecond: number; readonly direction?: Direction }
  /** Each connection breaks after so many more bytes. A function is called once for each connection. */
  | {
      readonly kind: 'break';
      readonly how: Break;
      readonly direction: Direction;
      readonly afterBytes: number | (() => number);
    };

export interface Address {
  readonly host: string;
  readonly port: number;
}

export interface ProxyCounters {
  accepted: number;
  /** Connections that could not be made to the target. */
  unconnected: number;
  /** Connections that the proxy has broken. */
  broken: number;
  upBytes: number;
  downBytes: number;
}

const passing: Fault = { kind: 'pass' };
/** A sender is paused when so much of what it sent waits here. */
const maxQueuedBytes = 256 * 1024;
/** Ports below those that systems hand out, so that nobody takes the port while the proxy refuses connections. */
const firstPort = 10_240;
const portCount = 22_000;

export async function startFaultProxy(target: Address): Promise<FaultProxy> {
  const proxy = new FaultProxy(target);
  await proxy.start();
  return proxy;
}

export class FaultProxy {
  readonly host = '127.0.0.1';
  readonly counters: ProxyCounters = { accepted: 0, unconnected: 0, broken: 0, upBytes: 0, downBytes: 0 };
  port = 0;
  /** Where new connections lead. */
  target: Address;
  #fault: Fault = passing;
  #listener: Server | undefined;
  readonly #connections = new Set<Connection>();
  /** When the shared bandwidth is free again. */
  readonly #freeAt = { up: 0, down: 0 };

  constructor(target: Address) {
    this.target = target;
  }

  get fault(): Fault {
    return this.#fault;
  }

  get openConnections(): number {
    return this.#connections.size;
  }

  async start(): Promise<void> {
    while (this.port === 0) {
      const port = firstPort + Math.floor(Math.random() * portCount);
      await this.#listen(port).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EADDRINUSE') throw error;
      });
    }
  }

  /** Changes the behaviour towards new and existing connections. Connections that stalled go on, unless they stall again. */
  async set(fault: Fault): Promise<void> {
    this.#fault = fault;
    this.#freeAt.up = this.#freeAt.down = 0;
    for (const connection of this.#connections) connection.changed();
    if (fault.kind === 'refuse') {
      this.#listener?.close();
      this.#listener = undefined;
    } else if (!this.#listener) {
      await this.#listen(this.port);
    }
  }

  /** Breaks the connections that exist now. */
  breakAll(how: 'cut' | 'reset'): void {
    for (const connection of this.#connections) connection.break(how);
  }

  async stop(): Promise<void> {
    this.#listener?.close();
    this.#listener = undefined;
    for (const connection of this.#connections) connection.break('reset');
  }

  /** How long a piece must wait for its share of the bandwidth, which it takes when the answer is 0. */
  takeBandwidth(direction: Direction, bytes: number, bytesPerSecond: number): number {
    const now = performance.now();
    const waitMs = this.#freeAt[direction] - now;
    if (waitMs > 0) return waitMs;
    this.#freeAt[direction] = now + (bytes / bytesPerSecond) * 1_000;
    return 0;
  }

  async #listen(port: number): Promise<void> {
    const listener = createServer({ allowHalfOpen: true }, (client) => this.#accept(client));
    this.#listener = listener;
    listener.listen(port, this.host);
    try {
      await once(listener, 'listening');
    } catch (error) {
      this.#listener = undefined;
      throw error;
    }
    this.port = port;
    listener.on('error', () => {});
  }

  #accept(client: Socket): void {
    this.counters.accepted += 1;
    const connection = new Connection(this, client, () => this.#connections.delete(connection));
    this.#connections.add(connection);
    connection.changed();
  }
}

class Connection {
  readonly #proxy: FaultProxy;
  readonly #client: Socket;
  #upstream: Socket | undefined;
  readonly #flows: Flow[] = [];
  #isOver = false;
  readonly #onOver: () => void;

  constructor(proxy: FaultProxy, client: Socket, onOver: () => void) {
    this.#proxy = proxy;
    this.#client = client;
    this.#onOver = onOver;
    client.setNoDelay(true).on('error', () => {});
  }

  changed(): void {
    if (this.#isOver) return;
    if (this.#upstream) for (const flow of this.#flows) flow.changed();
    else if (this.#proxy.fault.kind !== 'half-open') this.#connect();
  }

  break(how: 'cut' | 'reset'): void {
    if (this.#isOver) return;
    this.#proxy.counters.broken += 1;
    this.#end(how);
  }

  #connect(): void {
    const upstream = connect({ ...this.#proxy.target, allowHalfOpen: true, noDelay: true });
    this.#upstream = upstream;
    upstream.on('error', () => {});
    let isConnected = false;
    upstream.once('connect', () => {
      isConnected = true;
    });
    upstream.once('close', () => {
      if (isConnected || this.#isOver) return;
      this.#proxy.counters.unconnected += 1;
      this.#end('reset');
    });
    const shared = {
      proxy: this.#proxy,
      onBreak: (how: 'cut' | 'reset') => this.break(how),
      onDone: (hasFailed: boolean) => {
        if (hasFailed) this.#end('reset');
        else if (this.#flows.every((flow) => flow.isDone)) this.#end('cut');
      },
    };
    this.#flows.push(
      new Flow({ ...shared, direction: 'up', from: this.#client, to: upstream }),
      new Flow({ ...shared, direction: 'down', from: upstream, to: this.#client }),
    );
  }

  #end(how: 'cut' | 'reset'): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const flow of this.#flows) flow.stop();
    for (const socket of [this.#client, this.#upstream]) {
      if (how === 'reset') socket?.resetAndDestroy();
      else socket?.destroySoon();
    }
    this.#onOver();
  }
}

interface FlowOptions {
  readonly proxy: FaultProxy;
  readonly direction: Direction;
  readonly from: Socket;
  readonly to: Socket;
  readonly onBreak: (how: 'cut' | 'reset') => void;
  readonly onDone: (hasFailed: boolean) => void;
}

/** One direction of a connection. */
class Flow {
  isDone = false;
  readonly #proxy: FaultProxy;
  readonly #direction: Direction;
  readonly #from: Socket;
  readonly #to: Socket;
  readonly #onBreak: (how: 'cut' | 'reset') => void;
  readonly #onDone: (hasFailed: boolean) => void;
  readonly #queue: { readonly chunk: Buffer; readonly arrivedAt: number }[] = [];
  #queuedBytes = 0;
  #sourceEnd: 'end' | 'reset' | undefined;
  #isStopped = false;
  /** Bytes until the connection breaks. */
  #bytesLeft = Number.POSITIVE_INFINITY;
  #wake = () => {};

  constructor({ proxy, direction, from, to, onBreak, onDone }: FlowOptions) {
    this.#proxy = proxy;
    this.#direction = direction;
    this.#from = from;
    this.#to = to;
    this.#onBreak = onBreak;
    this.#onDone = onDone;
    from.on('data', (chunk: Buffer) => {
      this.#queue.push({ chunk, arrivedAt: performance.now() });
      this.#queuedBytes += chunk.length;
      if (this.#queuedBytes > maxQueuedBytes) from.pause();
      this.#wake();
    });
    to.on('drain', () => this.#wake());
    from.once('end', () => {
      this.#sourceEnd ??= 'end';
      this.#wake();
    });
    from.once('close', () => {
      this.#sourceEnd ??= 'reset';
      this.#wake();
    });
    this.changed();
    void this.#run();
  }

  changed(): void {
    const { fault } = this.#proxy;
    const breaks = fault.kind === 'break' && fault.direction === this.#direction;
    const after = breaks ? fault.afterBytes : Number.POSITIVE_INFINITY;
    this.#bytesLeft = typeof after === 'function' ? after() : after;
    this.#wake();
  }

  stop(): void {
    this.#isStopped = true;
    this.#wake();
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      const waitMs = this.#step();
      if (waitMs === 0 || this.#isStopped) continue;
      const timer = Number.isFinite(waitMs) ? setTimeout(resolve, waitMs) : undefined;
      await promise;
      clearTimeout(timer);
    }
  }

  /** Forwards one piece. Returns how long to wait before the next. */
  #step(): number {
    const { fault } = this.#proxy;
    const first = this.#queue[0];
    if (fault.kind === 'half-open') return Number.POSITIVE_INFINITY;
    if (this.#bytesLeft <= 0 && fault.kind === 'break') {
      if (fault.how !== 'stall') this.#onBreak(fault.how);
      return Number.POSITIVE_INFINITY;
    }
    if (!first) return this.#finish();
    if (this.#to.writableNeedDrain) return Number.POSITIVE_INFINITY;
    let bytes = Math.min(first.chunk.length, this.#bytesLeft);
    if (fault.kind === 'delay' && this.#isIn(fault.direction)) {
      const waitMs = first.arrivedAt + fault.ms - performance.now();
      if (waitMs > 0) return waitMs;
    }
    if (fault.kind === 'throttle' && this.#isIn(fault.direction)) {
      bytes = Math.min(bytes, Math.ceil(fault.bytesPerSecond / 20));
      const waitMs = this.#proxy.takeBandwidth(this.#direction, bytes, fault.bytesPerSecond);
      if (waitMs > 0) return waitMs;
    }
    this.#forward(first, bytes);
    return 0;
  }

  #isIn(direction: Direction | undefined): boolean {
    return direction === undefined || direction === this.#direction;
  }

  #forward(first: { readonly chunk: Buffer; readonly arrivedAt: number }, bytes: number): void {
    this.#to.write(first.chunk.subarray(0, bytes));
    if (bytes === first.chunk.length) this.#queue.shift();
    else this.#queue[0] = { ...first, chunk: first.chunk.subarray(bytes) };
    this.#queuedBytes -= bytes;
    this.#bytesLeft -= bytes;
    this.#proxy.counters[this.#direction === 'up' ? 'upBytes' : 'downBytes'] += bytes;
    if (this.#queuedBytes <= maxQueuedBytes / 2 && this.#from.isPaused()) this.#from.resume();
  }

  #finish(): number {
    if (this.#sourceEnd === 'reset') {
      this.#onDone(true);
    } else if (this.#sourceEnd === 'end' && !this.isDone) {
      this.isDone = true;
      this.#to.end();
      this.#onDone(false);
    }
    return Number.POSITIVE_INFINITY;
  }
}
