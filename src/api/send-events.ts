// Server-sent events that are made as the client reads them, and that stop being made when it goes.
import type { Context } from 'hono';
import type { Log } from '../log.ts';
import type { ApiEnv } from './context.ts';

export interface SentEvent {
  readonly event: string;
  readonly data: unknown;
}

export interface EventSending {
  readonly events: AsyncGenerator<SentEvent>;
  /** Ends whatever the events wait for. */
  readonly stop: AbortController;
  /** Called once, however it ends. */
  readonly onEnd: () => void;
  /** Asked before each event and each keep-alive: the stream ends with the session or token. */
  readonly isLoggedIn: () => Promise<boolean>;
  readonly log: Log;
  /** After this silence a comment is sent, so that proxies do not take a model that thinks for a dead one. */
  readonly keepAliveMs?: number;
}

const usualKeepAliveMs = 15_000;
/** For one who has the stream open and does not read it. */
const longestMs = 15 * 60_000;

const headers = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Accel-Buffering': 'no',
};

export function sendEvents(
  c: Context<ApiEnv>,
  { events, stop, onEnd, isLoggedIn, log, keepAliveMs = usualKeepAliveMs }: EventSending,
): Response {
  const encoder = new TextEncoder();
  let next: Promise<IteratorResult<SentEvent>> | undefined;
  let isOver = false;
  const end = () => {
    if (isOver) return;
    isOver = true;
    clearTimeout(limit);
    stop.abort();
    // It may be waiting for what was just aborted: nobody waits for that here.
    void events.return(undefined).catch(() => {});
    onEnd();
  };
  const limit = setTimeout(() => end(), longestMs).unref();
  c.req.raw.signal.addEventListener('abort', end, { once: true });
  stop.signal.addEventListener('abort', end, { once: true });
  // Who went while the first event was made is not told of again.
  if (c.req.raw.signal.aborted) end();

  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        next ??= events.next();
        try {
          const result = await orQuiet(next, keepAliveMs);
          if (!isOver && !(await isLoggedIn())) end();
          if (isOver) return controller.close();
          if (result === 'quiet') return controller.enqueue(encoder.encode(': still here\n\n'));
          next = undefined;
          if (result.done) {
            end();
            return controller.close();
          }
          const { event, data } = result.value;
          controller.enqueue(encoder.encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`));
        } catch (error) {
          if (!stop.signal.aborted)
            log.error({ err: error, requestId: c.get('requestId') }, 'a stream of events failed');
          end();
          controller.close();
        }
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
  return c.body(body, 200, headers);
}

async function orQuiet<T>(next: Promise<T>, keepAliveMs: number): Promise<T | 'quiet'> {
  let timer: NodeJS.Timeout | undefined;
  const quiet = new Promise<'quiet'>((resolve) => {
    timer = setTimeout(resolve, keepAliveMs, 'quiet').unref();
  });
  try {
    return await Promise.race([next, quiet]);
  } finally {
    clearTimeout(timer);
  }
}
