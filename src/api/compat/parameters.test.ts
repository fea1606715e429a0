import { Hono } from 'hono';
import { expect, it } from 'vitest';
import type { ApiEnv } from '../context.ts';
import { readLoginParameters, readParameters } from './parameters.ts';

type Read = typeof readParameters;
const readLogin: Read = (c) => readLoginParameters(c, 'T');

async function sent(read: Read, path: string, body?: string, headers: Record<string, string> = {}) {
  const app = new Hono<ApiEnv>();
  let found: URLSearchParams | undefined;
  app.all('*', async (c) => {
    found = await read(c);
    return c.text('');
  });
  app.onError((error, c) => c.text(error.message, 400));
  const answer = await app.request(path, {
    method: body === undefined ? 'GET' : 'POST',
    ...(body && { body }),
    headers: { ...(body && { 'content-length': String(body.length) }), ...headers },
  });
  return { found: [...(found ?? [])], message: await answer.text() };
}

it('are those of the address and of the body, each as often as it was sent', async () => {
  const { found } = await sent(readParameters, '/x?a=1&b=2', 'a=3&c=4%20+5', {
    'content-type': 'text/plain',
  });
  expect(found).toEqual([
    ['a', '1'],
    ['b', '2'],
    ['a', '3'],
    ['c', '4  5'],
  ]);
});

it('are those of a form in parts too', async () => {
  const body = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--x--\r\n';
  const { found } = await sent(readLogin, '/x', body, {
    'content-type': 'multipart/form-data; boundary=x',
  });
  expect(found).toEqual([['a', '1']]);
});

it('are 20,000 at most', async () => {
  expect((await sent(readParameters, '/x?q', 'i=1&'.repeat(19_000))).found).toHaveLength(19_001);
  const { found, message } = await sent(readParameters, '/x?q', 'a&'.repeat(30_000));
  expect(found).toEqual([]);
  expect(message).toBe('the body has more than 20000 values');
});

it('of a stranger are those of the address alone, if it says who asks or the body has many values', async () => {
  expect((await sent(readLogin, '/x?T=1', 'T=2')).found).toEqual([['T', '1']]);
  expect((await sent(readLogin, '/x?a=1', 'b&'.repeat(3_000))).found).toEqual([['a', '1']]);
});

it('of a stranger are not read from a long body', async () => {
  expect(await sent(readLogin, '/x', `a=${'x'.repeat(20_000)}`)).toEqual({
    found: [],
    message: 'the body is too large: the limit is 16384 bytes',
  });
});
