import { Writable } from 'node:stream';
import { Hono, type MiddlewareHandler } from 'hono';
import { expect, it } from 'vitest';
import { EventReader } from '../../test/support/event-reader.ts';
import { TestTimers } from '../../test/support/timers.ts';
import { createLog } from '../log.ts';
import type { Actor, ApiEnv } from './context.ts';
import { createEventStreams } from './event-stream.ts';

const log = createLog({
  level: 'error',
  format: 'json',
  out: new Writable({ write: (_l, _e, done) => done() }),
});

const isLoggedIn = async () => true;

/** Which user asks is all that a stream wants to know of them. */
const asUser =
  (id: number): MiddlewareHandler<ApiEnv> =>
  async (c, next) => {
    c.set('actor', { user: { id } } as Actor);
    await next();
  };

it('lets one user have eight at once, and all together 256', async () => {
  const streams = createEventStreams({ log, isLoggedIn }, new TestTimers().after);
  const app = new Hono<ApiEnv>()
    .use((c, next) => asUser(Number(c.req.path.slice(1)))(c, next))
    .onError((_error, c) => c.body(null, 429))
    .get('/:id', (c) => streams.open(c, async () => ({ events: [] })));
  const status = async (id: number) => (await app.request(`/${id}`)).status;
  for (let n = 0; n < 8; n++) expect(await status(0)).toBe(200);
  expect(await status(0)).toBe(429);
  for (let n = 8; n < 256; n++) expect(await status(n)).toBe(200);
  expect(await status(1_000)).toBe(429);
  streams.end();
  expect(await status(1_000)).toBe(200);
});

it('a stream that is opened after the close begins and ends, so that its client goes elsewhere', async () => {
  const timers = new TestTimers();
  const streams = createEventStreams({ log, isLoggedIn }, timers.after);
  const app = new Hono<ApiEnv>()
    .use(asUser(1))
    .get('/', (c) => streams.open(c, async () => ({ events: [] })));
  const before = await app.request('/');
  streams.close();
  for (const response of [before, await app.request('/')])
    expect([response.status, await response.text()]).toEqual([200, 'retry: 2000\n\n']);
  expect(timers.pending).toBe(0);
});

it.each([
  { client: 'reads', events: 1 },
  // More than are kept for a client that does not take them.
  { client: 'does not read', events: 100 },
])('ends after ten minutes for a client that $client, and leaves no timer', async ({ events }) => {
  const timers = new TestTimers();
  const streams = createEventStreams({ log, isLoggedIn }, timers.after);
  let looks = 0;
  const look = async () => {
    looks += 1;
    return { events: Array.from({ length: events }, (_, n) => ({ event: 'e', key: `${n}`, data: 'same' })) };
  };
  const app = new Hono<ApiEnv>().use(asUser(1)).get('/', (c) => streams.open(c, look));
  const response = await app.request('/');
  await timers.advance(10 * 60_000 - 1);
  expect(looks).toBe(events === 1 ? 1_200 : 1);
  expect(timers.pending).toBe(2);
  await timers.advance(1);
  expect(timers.pending).toBe(0);
  const reader = new EventReader(response);
  for (let n = 0; n < events; n++) expect(await reader.next()).toMatchObject({ event: 'e' });
  expect(await reader.next()).toBeUndefined();
});

it('ends at the first look after the login has ended, and leaves no timer', async () => {
  const timers = new TestTimers();
  let loggedIn = true;
  const streams = createEventStreams({ log, isLoggedIn: async () => loggedIn }, timers.after);
  let looks = 0;
  const look = async () => {
    looks += 1;
    return { events: [{ event: 'e', key: '', data: looks }] };
  };
  const app = new Hono<ApiEnv>().use(asUser(1)).get('/', (c) => streams.open(c, look));
  const reader = new EventReader(await app.request('/'));
  await timers.advance(500);
  loggedIn = false;
  await timers.advance(500);
  expect(looks).toBe(2);
  expect(timers.pending).toBe(0);
  expect([await reader.next(), await reader.next()]).toMatchObject([{ event: 'e' }, { event: 'e' }]);
  expect(await reader.next()).toBeUndefined();
});
