// What a reader app sends: some of it in the address, some in the body, under whatever Content-Type its library gives it.
import type { Context } from 'hono';
import { Invalid } from '../../errors.ts';
import type { ApiEnv } from '../context.ts';
import { holdAnonymousBody } from '../hold-body.ts';

/** Names and values. Each costs some microseconds, and nobody marks more at once. */
const mostPairs = 20_000;
/** From somebody who is not known yet. */
const mostPairsBeforeLogin = 2_000;

const known = new WeakMap<Request, Promise<URLSearchParams>>();

/** Of both, and each name as often as it was sent. */
export function readParameters(c: Context<ApiEnv>): Promise<URLSearchParams> {
  const before = known.get(c.req.raw);
  if (before) return before;
  const reading = read(c);
  known.set(c.req.raw, reading);
  return reading;
}

/** The same, to tell who is asking: by the parameter `name`. If the address has it, the body is not read for a stranger. */
export async function readLoginParameters(c: Context<ApiEnv>, name: string): Promise<URLSearchParams> {
  if (c.req.method === 'GET') return readParameters(c);
  const address = ofAddress(c);
  if (address.has(name)) return address;
  await holdAnonymousBody(c);
  return pairsIn(await c.req.text()) <= mostPairsBeforeLogin ? readParameters(c) : address;
}

async function read(c: Context<ApiEnv>): Promise<URLSearchParams> {
  const all = ofAddress(c);
  for (const [name, value] of await readForm(c)) all.append(name, value);
  return all;
}

/** Not the one of a URL, which would be written anew with each value that is added. */
function ofAddress(c: Context<ApiEnv>): URLSearchParams {
  return new URLSearchParams(new URL(c.req.url).search);
}

async function readForm(c: Context<ApiEnv>): Promise<Iterable<[string, string]>> {
  if (c.req.method === 'GET') return [];
  if (!/^multipart\/form-data/i.test(c.req.header('content-type') ?? '')) {
    const text = await c.req.text();
    if (pairsIn(text) > mostPairs) throw new Invalid(`the body has more than ${mostPairs} values`);
    return new URLSearchParams(text);
  }
  try {
    const fields = [...(await c.req.formData())];
    return fields.filter((field): field is [string, string] => typeof field[1] === 'string');
  } catch (cause) {
    throw new Invalid('the body is no form', { cause });
  }
}

function pairsIn(text: string): number {
  let pairs = 1;
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1)) pairs += 1;
  return pairs;
}

/** JSON, whatever it is called: newsboat calls it a form. */
export async function readJson(c: Context<ApiEnv>): Promise<unknown> {
  try {
    return JSON.parse(await c.req.text());
  } catch (cause) {
    throw new Invalid('body: expected JSON', { cause });
  }
}
