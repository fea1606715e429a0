// Which headers go out, to whom, and what is read from those that come back.
import { acceptEncoding } from './decode.ts';
import type { OutboundRequest, Validators } from './outcome.ts';
import type { Target } from './target.ts';

type Headers = Record<string, string>;

/** Made by us or by the connection; a caller who sets them could smuggle a request or undo a limit. */
const ours =
  /^(host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|content-length|upgrade|expect|accept-encoding|if-none-match|if-modified-since)$/;

/** Headers that prove who is asking, by whatever way the caller has given them. */
const secret = /^(authorization|cookie|cookie2|x-api-key|api-key|x-auth-token|x-goog-api-key)$/;

export interface SplitHeaders {
  readonly open: Headers;
  readonly credentials: Headers;
}

/** What may go to every hop, and what only to the origin that was asked for. */
export function splitHeaders(input: OutboundRequest, target: Target): SplitHeaders {
  const open: Headers = {};
  const credentials: Headers = {};
  for (const [name, value] of lowerCased(input.headers)) {
    if (!ours.test(name)) (secret.test(name) ? credentials : open)[name] = value;
  }
  for (const [name, value] of lowerCased(input.credentials?.headers)) {
    if (!ours.test(name)) credentials[name] = value;
  }
  const login = input.credentials?.basic ?? target.login;
  if (login) {
    const text = `${login.username}:${login.password}`;
    credentials.authorization ??= `Basic ${Buffer.from(text).toString('base64')}`;
  }
  return { open, credentials };
}

export interface HopHeaders {
  readonly split: SplitHeaders;
  readonly userAgent: string;
  readonly url: string;
  readonly isOwnOrigin: boolean;
  readonly hasBody: boolean;
  readonly validators: Validators | undefined;
}

export function headersFor(hop: HopHeaders): Headers {
  const { split, validators } = hop;
  const isConditional = validators?.url === hop.url;
  const open = Object.entries(split.open).filter(([name]) => hop.hasBody || !name.startsWith('content-'));
  return {
    'user-agent': hop.userAgent,
    accept: '*/*',
    ...Object.fromEntries(open),
    'accept-encoding': acceptEncoding,
    ...(hop.isOwnOrigin && split.credentials),
    ...(isConditional && validators.etag !== undefined && { 'if-none-match': validators.etag }),
    ...(isConditional &&
      validators.lastModified !== undefined && { 'if-modified-since': validators.lastModified }),
  };
}

/** One value for each name, as RFC 9110 joins them. Cookies are not kept: nothing here sends any back. */
export function receivedHeaders(raw: Readonly<Record<string, string | string[] | undefined>>): Headers {
  const headers: Headers = {};
  for (const [name, value] of Object.entries(raw)) {
    if (value === undefined || /^set-cookie2?$/i.test(name)) continue;
    Object.defineProperty(headers, name.toLowerCase(), {
      value: Array.isArray(value) ? value.join(', ') : value,
      enumerable: true,
    });
  }
  return headers;
}

export function parseContentType(header: string | undefined): {
  mediaType: string | undefined;
  charset: string | undefined;
} {
  const [type = '', ...parameters] = (header ?? '').split(';');
  const mediaType = type.trim().toLowerCase();
  const charset = parameters
    .map((parameter) => /^\s*charset\s*=\s*"?([^"\s]+)"?\s*$/i.exec(parameter)?.[1])
    .find((value) => value !== undefined);
  return { mediaType: mediaType === '' ? undefined : mediaType, charset: charset?.toLowerCase() };
}

function lowerCased(headers: Readonly<Record<string, string>> | undefined): [string, string][] {
  return Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
}
