import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { TestTimers } from '../../test/support/timers.ts';
import type { LecternError } from '../errors.ts';
import type { ApiEnv } from './context.ts';
import { holdAnonymousBody } from './hold-body.ts';

it('gives up an anonymous body that has not arrived in full after ten seconds, and closes the connection', async () => {
  const timers = new TestTimers();
  const outgoing = { shouldKeepAlive: true };
  const app = new Hono<ApiEnv>()
    .onError((error, c) => c.text(error.message, (error as LecternError).status as 408))
    .post('/', async (c) => {
      await holdAnonymousBody(c, timers.after);
      return c.text(await c.req.text());
    });
  let send: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      send = controller;
      controller.enqueue(new TextEncoder().encode('a'));
    },
  });
  const request = { method: 'POST', headers: { 'content-length': '2' }, body, duplex: 'half' } as const;
  const answer = app.request('/', request, { outgoing } as never);
  await timers.advance(9_999);
  expect(outgoing.shouldKeepAlive).toBe(true);
  await timers.advance(1);
  const response = await answer;
  expect([response.status, await response.text()]).toEqual([
    408,
    'the body did not arrive within 10 seconds',
  ]);
  expect(outgoing.shouldKeepAlive).toBe(false);
  expect(timers.pending).toBe(0);
  send?.close();
});
