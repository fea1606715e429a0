// Tells a server that has fallen silent from a statement that takes long.
//
// A network that drops packets neither refuses nor resets a connection, and TCP gives up after a quarter of an hour. So when
// nothing has arrived from the server for a while although something is awaited, a new connection asks whether it answers.
//
// Time is counted in ticks: while this process is suspended or its event loop is blocked, no tick is counted, so that a
// server is never called silent because its answers were not read. For the same reason decisions are made in setImmediate:
// Node reads sockets between timers and it.

/** How long nothing may arrive from the server, on any connection, before it is probed. */
const quietTicks = 6;
/** How long a probe may take, and how long probes may fail before the server counts as silent. */
const probeTicks = 8;
/** While the server is silent, a probe starts this often. They overlap: the first answer ends the silence. */
const retryTicks = 2;
/**
 * How long nothing may arrive on one connection before a probe asks whether the server still runs its statement. If it does
 * not, the statement or its answer was lost.
 */
const lostTicks = 16;
/** A statement is being sent at this speed or faster (50 KB/s): the server does not run it until it has arrived. */
const minBytesPerTick = 25_000;

export const defaultTickMs = 500;

/** The code is that of a connection that the system gives up. */
export class ServerSilent extends Error {
  override readonly name = 'ServerSilent';
  readonly code = 'ETIMEDOUT';

  constructor() {
    super('PostgreSQL does not answer');
  }
}

export interface WatchedConnection {
  /** Identifies the connection in the answer of a probe. */
  readonly tag: string;
  bytesRead(): number;
  bytesWritten(): number;
  destroy(error: Error): void;
}

export interface Probe {
  /** The tags of connections whose statement runs; undefined if the server answers, but not this question. */
  readonly answer: Promise<ReadonlySet<string> | undefined>;
  abort(): void;
}

export interface LivenessOptions {
  readonly probe: () => Probe;
  readonly onSilent: (error: Error) => void;
  readonly tickMs?: number;
}

interface Wait {
  bytesRead: number;
  quietTicks: number;
  readonly writtenBefore: number;
}

export class Liveness {
  readonly #probe: () => Probe;
  readonly #onSilent: (error: Error) => void;
  readonly #tickMs: number;
  readonly #connections = new Set<WatchedConnection>();
  readonly #waits = new Map<WatchedConnection, Wait>();
  /** With the number of ticks that each has taken. */
  readonly #probes = new Map<Probe, number>();
  #timer: NodeJS.Timeout | undefined;
  #ticks = 0;
  #heardAtTick = 0;
  #askedAtTick = 0;
  /** The first probe since anything arrived from the server. */
  #unansweredSince: number | undefined;
  #isSilent = false;
  #isClosed = false;

  constructor({ probe, onSilent, tickMs = defaultTickMs }: LivenessOptions) {
    this.#probe = probe;
    this.#onSilent = onSilent;
    this.#tickMs = tickMs;
  }

  /** True until the server answers again. A new connection would only wait. */
  get isSilent(): boolean {
    return this.#isSilent;
  }

  add(connection: WatchedConnection): void {
    this.#connections.add(connection);
  }

  remove(connection: WatchedConnection): void {
    this.#connections.delete(connection);
    this.#waits.delete(connection);
  }

  /** An answer is awaited on `connection` until `endWait`. */
  beginWait(connection: WatchedConnection): void {
    if (this.#isClosed) return;
    // Nothing was awaited before, so the server had no reason to say anything.
    if (this.#waits.size === 0) this.#hear();
    this.#waits.set(connection, {
      bytesRead: connection.bytesRead(),
      quietTicks: 0,
      writtenBefore: connection.bytesWritten(),
    });
    this.#timer ??= setInterval(() => this.tick(), this.#tickMs).unref();
  }

  endWait(connection: WatchedConnection): void {
    const wait = this.#waits.get(connection);
    if (wait) this.#listen(connection, wait);
    this.#waits.delete(connection);
  }

  tick(): void {
    this.#ticks++;
    for (const [connection, wait] of this.#waits) {
      wait.quietTicks++;
      this.#listen(connection, wait);
    }
    for (const [probe, ticks] of this.#probes) {
      this.#probes.set(probe, ticks + 1);
      if (ticks + 1 >= probeTicks) setImmediate(() => probe.abort());
    }
    if (this.#isSilent) {
      if (this.#ticks % retryTicks === 0) this.#ask();
    } else if (this.#waits.size === 0) {
      this.#stop();
    } else if (this.#isOverdue()) {
      setImmediate(() => this.#fallSilent());
    } else if (this.#probes.size === 0 && this.#needsProbe()) {
      this.#ask();
    }
  }

  /** Destroys all connections. No probe is made any more. */
  close(): void {
    this.#isClosed = true;
    this.#stop();
    this.#destroyAll(new Error('Connection terminated: the index was closed'));
  }

  #listen(connection: WatchedConnection, wait: Wait): void {
    const bytesRead = connection.bytesRead();
    if (bytesRead === wait.bytesRead) return;
    wait.bytesRead = bytesRead;
    wait.quietTicks = 0;
    this.#hear();
  }

  #hear(): void {
    this.#heardAtTick = this.#ticks;
    this.#unansweredSince = undefined;
  }

  #isOverdue(): boolean {
    return this.#unansweredSince !== undefined && this.#ticks - this.#unansweredSince >= probeTicks;
  }

  #needsProbe(): boolean {
    if (this.#ticks - this.#heardAtTick >= quietTicks) return true;
    if (this.#ticks - this.#askedAtTick < quietTicks) return false;
    return this.#waits.values().some((wait) => wait.quietTicks >= lostTicks);
  }

  async #ask(): Promise<void> {
    this.#askedAtTick = this.#ticks;
    this.#unansweredSince ??= this.#ticks;
    let probe: Probe | undefined;
    try {
      probe = this.#probe();
      this.#probes.set(probe, 0);
      const running = await probe.answer;
      this.#hear();
      this.#isSilent = false;
      // Answers that have arrived on other connections by now are read first.
      if (running) setImmediate(() => this.#destroyLost(running));
    } catch {
      // The next one may be answered: a name that cannot be resolved for a moment is no silence.
    } finally {
      if (probe) this.#probes.delete(probe);
    }
  }

  #destroyLost(running: ReadonlySet<string>): void {
    for (const [connection, wait] of this.#waits) {
      this.#listen(connection, wait);
      const sentBytes = connection.bytesWritten() - wait.writtenBefore;
      const isLost = wait.quietTicks >= lostTicks + Math.floor(sentBytes / minBytesPerTick);
      if (isLost && !running.has(connection.tag)) connection.destroy(new ServerSilent());
    }
  }

  /** Idle connections go too: packets that were dropped may have ended them at the server's side. */
  #fallSilent(): void {
    if (this.#isSilent || this.#isClosed || !this.#isOverdue()) return;
    this.#isSilent = true;
    const error = new ServerSilent();
    this.#onSilent(error);
    this.#destroyAll(error);
  }

  #destroyAll(error: Error): void {
    for (const connection of this.#connections) connection.destroy(error);
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#unansweredSince = undefined;
    for (const probe of this.#probes.keys()) probe.abort();
  }
}
