// Raindrop on the loopback: its API, and the store to which it leads for permanent copies. It goes by the clock of the test.
import { createHash } from 'node:crypto';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { createRaindropAccount, type RaindropAccount } from './raindrop-account.ts';
import { type Answer, createRaindropApi, failure, json, text } from './raindrop-api.ts';
import { createFaults, type Fault, type Faults, type Target } from './raindrop-faults.ts';
import { createRaindropStore } from './raindrop-store.ts';
import { type RaindropSwitches, switchesWith } from './raindrop-switches.ts';

export { switchPositions } from './raindrop-switches.ts';

export interface RecordedRequest extends Target {
  /** By the clock of the test. */
  readonly at: number;
  readonly headers: IncomingHttpHeaders;
  /** Null until it is answered, and for good if it never is. */
  status: number | null;
}

export interface RaindropServer {
  readonly apiUrl: string;
  readonly storeUrl: string;
  readonly account: RaindropAccount;
  /** In the order in which they came. */
  readonly requests: RecordedRequest[] & { clear(): void };
  /** May be turned at any time. */
  readonly switches: RaindropSwitches;
  readonly faults: Faults;
  close(): Promise<void>;
}

const apiRoot = '/rest/v1';

export async function startRaindropServer({
  now,
  ...chosen
}: { now: () => number } & Partial<RaindropSwitches>): Promise<RaindropServer> {
  const switches = switchesWith(chosen);
  const account = createRaindropAccount(now, switches);
  const requests = clearable<RecordedRequest>();
  const faults = createFaults();
  const limiter = createLimiter(now, switches);
  const store = createRaindropStore(now, account);
  let storeUrl = '';
  const api = createRaindropApi(account, switches, (id) => storeUrl + store.sign(id));

  function answerApi({ method, path, query, headers }: RecordedRequest): Answer {
    if (headers.authorization !== `Bearer ${switches.token}`) return text(401, 'Unauthorized');
    if (!limiter.take()) return failure(429, 'rate_limit', 'Too many requests');
    if (method !== 'GET') return failure(404, 'not_found', 'Nothing is written here');
    return api(path, query);
  }

  function serve(host: Target['host']) {
    return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const asked = recordOf(host, request, now());
      requests.push(asked);
      try {
        await faults.runHooks(asked);
      } catch (error) {
        // It fails the run; the client is not to wait for it.
        request.socket.destroy();
        throw error;
      }
      const fault = faults.take(asked);
      // Made even if a fault is sent instead: the request counts for the limit.
      const answer = host === 'api' ? answerApi(asked) : store.answer(asked);
      const date = new Date(now()).toUTCString();
      const common = { date, ...(host === 'api' && { ...limiter.headers(), ...commonHeaders(answer) }) };
      const encode = host === 'api' ? encoderOf(asked, switches) : asItIs;
      asked.status = send(request, response, { answer, common, encode, fault });
    };
  }

  const apiServer = createServer(serve('api'));
  const storeServer = createServer(serve('store'));
  const apiUrl = (await listen(apiServer)) + apiRoot;
  storeUrl = await listen(storeServer);

  return {
    apiUrl,
    storeUrl,
    account,
    requests,
    switches,
    faults,
    async close() {
      await Promise.all([apiServer, storeServer].map(stop));
    },
  };
}

function clearable<T>(): T[] & { clear(): void } {
  const list: T[] = [];
  const clear = () => {
    list.length = 0;
  };
  // Not enumerable, so that the list equals any other with the same members.
  return Object.defineProperty(list, 'clear', { value: clear }) as T[] & { clear(): void };
}

function recordOf(host: Target['host'], request: IncomingMessage, at: number): RecordedRequest {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://here.invalid');
  const isUnderRoot = host === 'api' && pathname.startsWith(`${apiRoot}/`);
  return {
    at,
    host,
    method: request.method ?? '',
    path: isUnderRoot ? pathname.slice(apiRoot.length) : pathname,
    query: Object.fromEntries(searchParams),
    headers: request.headers,
    status: null,
  };
}

/** Windows of a minute, each of which begins with a request and ends at the second that is announced. */
function createLimiter(now: () => number, switches: RaindropSwitches) {
  let used = 0;
  let endsAt = 0;
  const renew = () => {
    if (now() < endsAt) return;
    used = 0;
    endsAt = Math.ceil(now() / 1000) * 1000 + 60_000;
  };
  return {
    take(): boolean {
      renew();
      used += 1;
      return used <= switches.rateLimit;
    },
    headers(): Record<string, string> {
      renew();
      return {
        'x-ratelimit-limit': String(switches.rateLimit),
        'x-ratelimit-remaining': String(Math.max(0, switches.rateLimit - used)),
        'x-ratelimit-reset': String(endsAt / 1000),
      };
    },
  };
}

function commonHeaders({ body }: Answer): Record<string, string> {
  const hash = createHash('sha1').update(body).digest('base64').slice(0, 27);
  return {
    'cache-control': 'private',
    vary: 'accept-encoding',
    etag: `W/"${body.length.toString(16)}-${hash}"`,
  };
}

type Encode = (answer: Answer) => Answer;

const asItIs: Encode = (answer) => answer;

/** Who does not take Brotli is given gzip, as by most servers. */
function encoderOf({ headers }: RecordedRequest, { bodies }: RaindropSwitches): Encode {
  const accepts = (name: string) =>
    new RegExp(`(^|[\\s,])${name}(?!\\s*;\\s*q=0(\\.0*)?\\s*(,|$))\\s*(;|,|$)`).test(
      String(headers['accept-encoding'] ?? ''),
    );
  if (bodies === 'br' && accepts('br')) return brotli;
  if (bodies !== 'plain' && accepts('gzip')) return gzipped;
  return asItIs;
}

const brotli: Encode = (answer) => ({
  ...answer,
  headers: { ...answer.headers, 'content-encoding': 'br' },
  body: brotliCompressSync(answer.body, { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } }),
});

const gzipped: Encode = (answer) =>
  answer.headers['content-encoding'] === 'gzip'
    ? answer
    : {
        ...answer,
        headers: { ...answer.headers, 'content-encoding': 'gzip' },
        body: gzipSync(answer.body),
      };

/** The status that was sent, if any was. */
function send(
  { socket }: IncomingMessage,
  response: ServerResponse,
  {
    answer,
    common,
    encode,
    fault,
  }: { answer: Answer; common: Record<string, string>; encode: Encode; fault: Fault | undefined },
): number | null {
  if (fault === 'hang') return null;
  if (fault === 'reset') {
    socket.destroy();
    return null;
  }
  const { status, headers, body } = outcomeOf(answer, fault, encode);
  response.writeHead(status, { ...common, ...headers, 'content-length': String(body.length) });
  if (fault === 'truncate') response.write(half(body), () => socket.destroy());
  else response.end(body);
  return status;
}

function outcomeOf(answer: Answer, fault: Fault | undefined, encode: Encode): Answer {
  if (typeof fault === 'object') return encode(ordered(fault));
  if (fault === 'garbage') return encode(garbage);
  if (fault === 'truncate-gzip') {
    const whole = gzipped(answer);
    return { ...whole, body: half(whole.body) };
  }
  return encode(answer);
}

const garbage: Answer = {
  status: 200,
  headers: { 'content-type': 'text/html' },
  body: Buffer.from('<!doctype html><title>Raindrop.io</title><p>We will be back soon.</p>'),
};

function ordered({ status, body, headers = {} }: Extract<Fault, object>): Answer {
  const made =
    typeof body === 'string'
      ? text(status, body)
      : json(status, body ?? { result: false, error: `error_${status}`, errorMessage: 'As ordered' });
  return { ...made, headers: { ...made.headers, ...lowerCased(headers) } };
}

function lowerCased(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

const half = (bytes: Buffer) => bytes.subarray(0, Math.floor(bytes.length / 2));

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Those that hang are let go of too. */
async function stop(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}
