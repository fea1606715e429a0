import { Writable } from 'node:stream';
import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { createLog } from '../log.ts';
import type { ApiEnv } from './context.ts';
import { type SentEvent, sendEvents } from './send-events.ts';

const log = createLog({
  level: 'error',
  format: 'json',
  out: new Writable({ write: (_l, _e, done) => done() }),
});

it('a stream without events ends at the first keep-alive after its token is revoked', async () => {
  const stop = new AbortController();
  const answers = [true, true, false];
  let ends = 0;
  async function* silent(): AsyncGenerator<SentEvent> {
    await new Promise((resolve) => stop.signal.addEventListener('abort', resolve));
  }
  const app = new Hono<ApiEnv>().get('/', (c) =>
    sendEvents(c, {
      events: silent(),
      stop,
      onEnd: () => {
        ends += 1;
      },
      isLoggedIn: async () => answers.shift() ?? false,
      log,
      keepAliveMs: 1,
    }),
  );
  const response = await app.request('/');
  expect(await response.text()).toBe(': still here\n\n: still here\n\n');
  expect([ends, answers, stop.signal.aborted]).toEqual([1, [], true]);
});
