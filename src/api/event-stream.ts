// Server-sent events (HTML Living Standard, 9.2): a source is asked again and again, and what has changed is sent.
// A client that comes back is first sent how things are now, so it has missed nothing that still matters.
import type { Context } from 'hono';
import { TooManyRequests } from '../errors.ts';
import type { Log } from '../log.ts';
import type { After } from '../outbound/limits.ts';
import type { Gate } from './authenticate.ts';
import type { ApiEnv } from './context.ts';

export interface StreamEvent {
  readonly event: string;
  /** Of several events with one key, only those are sent that differ from the last. */
  readonly key: string;
  readonly data: unknown;
}

export interface Look {
  readonly events: readonly StreamEvent[];
  /** Nothing will change any more: the stream ends. */
  readonly isLast?: boolean;
}

export interface EventStreams {
  open(c: Context<ApiEnv>, look: () => Promise<Look>): Response;
  /** Ends them all. Their clients come back by themselves. */
  end(): void;
  /** Ends them all, and from now on each new one at its start: a stream would keep the server from stopping. */
  close(): void;
}

const lookEveryMs = 500;
/** A comment, so that proxies do not take a quiet stream for a dead one. */
const keepAliveMs = 15_000;
/** For each user, so that one with many tabs shuts out nobody else; and for all, since each look is a question to the index. */
const maxStreams = { ofUser: 8, inAll: 256 };
const longestMs = 10 * 60_000;
const beginning = 'retry: 2000\n\n';
/** The client reconnects, and then gets the 401 or 403. */
const loggedOut: Look = { events: [], isLast: true };
const headers = { 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' };

/** An open stream does not keep the process from ending. */
const afterTimeout: After = (delayMs, run) => {
  const timer = setTimeout(run, delayMs).unref();
  return () => clearTimeout(timer);
};

export function createEventStreams(
  { log, isLoggedIn }: { log: Log; isLoggedIn: Gate['isLoggedIn'] },
  after: After = afterTimeout,
): EventStreams {
  /** How to end each, and whose it is. */
  const open = new Map<() => void, number>();
  let isClosed = false;
  const endAll = () => {
    for (const end of [...open.keys()]) end();
  };

  return {
    open(c, look) {
      if (c.req.method === 'HEAD') return c.body(null, 200, headers);
      if (isClosed) return c.body(beginning, 200, headers);
      const userId = c.get('actor').user.id;
      const own = [...open.values()].filter((id) => id === userId).length;
      if (own >= maxStreams.ofUser || open.size >= maxStreams.inAll)
        throw new TooManyRequests('too many streams are being watched; close one, or try again later', 30);
      let end = () => {};
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          const lookWhileLoggedIn = async () => ((await isLoggedIn(c)) ? look() : loggedOut);
          end = startStream(controller, lookWhileLoggedIn, after, (error) => {
            open.delete(end);
            if (error) log.warn({ err: error, requestId: c.get('requestId') }, 'a stream of events failed');
          });
          open.set(end, userId);
        },
        cancel: () => end(),
      });
      c.req.raw.signal.addEventListener('abort', () => end());
      return c.body(body, 200, headers);
    },

    end: endAll,

    close() {
      isClosed = true;
      endAll();
    },
  };
}

/** Returns how to end it. The client is told nothing of a failure but the end; it comes again by itself. */
function startStream(
  controller: ReadableStreamDefaultController<Uint8Array>,
  look: () => Promise<Look>,
  after: After,
  onEnd: (error?: Error) => void,
): () => void {
  const encoder = new TextEncoder();
  const sent = new Map<string, string>();
  let number = 0;
  let quietMs = 0;
  let cancelTurn = () => {};
  let ended = false;

  const end = (error?: Error) => {
    if (ended) return;
    ended = true;
    cancelTurn();
    cancelLimit();
    try {
      controller.close();
    } catch {
      // The client is gone, and the stream with it.
    }
    onEnd(error);
  };
  // By the clock and not by turns: it also counts for one who does not read.
  const cancelLimit = after(longestMs, () => end());
  const send = (text: string) => {
    quietMs = 0;
    controller.enqueue(encoder.encode(text));
  };

  const turn = async () => {
    try {
      // One who does not read is not written to: the next look sends how things are then.
      if ((controller.desiredSize ?? 0) > -64) {
        const { events, isLast } = await look();
        if (ended) return;
        for (const { event, key, data } of events) {
          const text = JSON.stringify(data);
          if (sent.get(key) === text) continue;
          sent.set(key, text);
          number += 1;
          send(`id: ${number}\nevent: ${event}\ndata: ${text}\n\n`);
        }
        const present = new Set(events.map(({ key }) => key));
        for (const key of sent.keys()) if (!present.has(key)) sent.delete(key);
        if (isLast) return end();
        if (quietMs >= keepAliveMs) send(': still here\n\n');
      }
      quietMs += lookEveryMs;
      cancelTurn = after(lookEveryMs, turn);
    } catch (error) {
      end(error as Error);
    }
  };
  send(beginning);
  turn();
  return () => end();
}
