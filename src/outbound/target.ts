// The URLs that may be asked for, and what a redirect makes of them.
import { isUtf8 } from 'node:buffer';
import { Failure } from './failure.ts';

const maxUrlLength = 8 * 1024;

export interface Target {
  /** Without credentials and fragment. */
  readonly url: URL;
  readonly login: { readonly username: string; readonly password: string } | undefined;
}

/** The URL as it will be connected to: WHATWG's parser has already seen through 0x7f.1, ①②⑦.1 and a\@b. */
export function parseTarget(text: string): Target {
  return targetOf(text, undefined, 'bad-url');
}

/** The header as it came. Credentials that a server puts into it are dropped: they are no one's but its own. */
export function parseLocation(location: string, from: URL): URL {
  return targetOf(asWritten(location), from, 'bad-redirect').url;
}

/** Headers come as Latin-1, a character for each byte, while servers that do not escape write UTF-8, as browsers read it. */
function asWritten(header: string): string {
  const bytes = Buffer.from(header, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : header;
}

function targetOf(text: string, base: URL | undefined, reason: 'bad-url' | 'bad-redirect'): Target {
  if (text.length > maxUrlLength || !URL.canParse(text, base?.href)) throw new Failure(reason);
  const url = new URL(text, base);
  if ((url.protocol !== 'http:' && url.protocol !== 'https:') || url.hostname === '')
    throw new Failure(reason);
  const { username, password } = url;
  url.username = '';
  url.password = '';
  url.hash = '';
  const login = username === '' && password === '' ? undefined : { username, password };
  return { url, login: login && { username: decoded(login.username), password: decoded(login.password) } };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

export function isPermanent(status: number): boolean {
  return status === 301 || status === 308;
}

/** As browsers do: 303 always becomes a GET, 301 and 302 do so for a POST. */
export function methodAfter(status: number, method: string): string {
  if (method === 'HEAD') return 'HEAD';
  if (status === 303 || ((status === 301 || status === 302) && method === 'POST')) return 'GET';
  return method;
}
