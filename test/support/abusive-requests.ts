// Requests that no honest client sends, made from a seed so that a run can be repeated. None of them asks for
// anything that could be granted: each must be refused, and refused politely.
import { randomFrom } from './random.ts';
import { head } from './raw-http.ts';

export interface AbusiveRequest {
  readonly kind: string;
  readonly pieces: readonly (string | Buffer)[];
  /** What is not HTTP, or too long to be read to its end, may be answered by closing the connection. */
  readonly mayBeCut: boolean;
}

type Headers = Readonly<Record<string, string>>;

/** Routes that take a body, each with a body that is right but for one field of the wrong type. */
const bodies: readonly { method: string; path: string; wrong: (value: unknown) => unknown }[] = [
  { method: 'POST', path: '/api/groups', wrong: (name) => ({ name }) },
  { method: 'PATCH', path: '/api/groups/1', wrong: (name) => ({ name }) },
  { method: 'POST', path: '/api/tokens', wrong: (scope) => ({ name: 'phone', scope }) },
  { method: 'POST', path: '/api/users', wrong: (username) => ({ username, password: 'long enough' }) },
  { method: 'PUT', path: '/api/me/password', wrong: (password) => ({ current_password: 'x', password }) },
  { method: 'POST', path: '/api/sessions', wrong: (password) => ({ password }) },
  { method: 'POST', path: '/api/setup', wrong: (token) => ({ token, password: 'long enough' }) },
];

const wrongValues: readonly unknown[] = [
  null,
  0,
  -1.5,
  1e308,
  true,
  [],
  ['x'],
  {},
  { $ne: null },
  { length: 5 },
];

const brokenJson = [
  '',
  '{',
  '}',
  '[1,',
  '{"name"',
  '{"name":}',
  '{name:"x"}',
  "{'name':'x'}",
  'NaN',
  '"',
  '{"a":1}}',
];

const inherited = [
  '{"__proto__":{"name":"x","password":"x","token":"x","scope":"read","username":"x"}}',
  '{"constructor":{"prototype":{"name":"x"}}}',
  '{"__proto__":null,"name":{"toString":"x"}}',
  '{"hasOwnProperty":1,"toString":1,"valueOf":1}',
];

const oddPaths = [
  '/%',
  '/%zz',
  '/%c0%ae%c0%ae/%c0%ae%c0%ae/etc/passwd',
  '/%ff%fe',
  '/%00',
  '/%u0041',
  '/api/groups/%',
  '/api/groups/%00',
  '/api/groups/1%00',
  '/api/groups/%F0%9F%92%A9',
  '/api/groups/%D9%A1',
  '/api/groups/1e3',
  '/api/groups/0x1',
  '/api/groups/-1',
  '/api/groups/99999999999999999999',
  "/api/groups/1'%20OR%20'1'='1",
  '/api/groups/1%3BDROP%20TABLE%20users',
  '/api/tokens/__proto__',
  '/assets/..%2f..%2f..%2fpackage.json',
  '/assets/....//....//package.json',
  '/assets/%2e%2e%5cpackage.json',
  '//evil.example/nosuch',
  '/nosuch?__proto__[x]=1&%zz=%ff',
  '/api/v1/constructor',
];

const oddCredentials: readonly Headers[] = [
  { Authorization: 'Bearer' },
  { Authorization: 'Bearer lectern_nosuch' },
  { Authorization: 'Bearer null' },
  { Authorization: `Bearer ${'A'.repeat(8000)}` },
  { Authorization: 'Basic b3duZXI6b3duZXI=' },
  { Authorization: 'Negotiate x' },
  { Cookie: 'session=' },
  { Cookie: 'session=%00%zz' },
  { Cookie: 'session=[object Object]' },
  { Cookie: `session=${'b'.repeat(8000)}` },
  { Cookie: 'session=a; session=b; __proto__=c' },
];

const notHttp: readonly (string | Buffer)[] = [
  '\r\n\r\n\r\nnonsense\r\n\r\n',
  'GET\r\n\r\n',
  'GET /nosuch\r\n\r\n',
  'GET /nosuch HTTP/9.9\r\n\r\n',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'GET /nosuch HTTP/1.1\r\nConnection: close\r\n\r\n',
  'GET /no\0such HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET /nosuch HTTP/1.1\r\nHost: a\r\nX-Odd: a\0b\r\n\r\n',
  'GET /nosuch HTTP/1.1\r\nHost: a\r\nNo colon\r\n\r\n',
  'GET /nosuch HTTP/1.1\nHost: a\n folded\n\n',
  'POST /api/groups HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'POST /api/groups HTTP/1.1\r\nHost: a\r\nContent-Length: many\r\n\r\n',
  'POST /api/groups HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}',
  'CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n',
  Buffer.from('GET /gr\u00f6\u00dfe HTTP/1.1\r\nHost: a\r\n\r\n', 'latin1'),
  Buffer.from('16030102000100', 'hex'),
];

const oddHosts = ['', 'a b', '[::1', 'user:password@host', 'host/path?query', '%00', '..', '\u2603'];
const oddMethods = ['TRACE', 'PROPFIND', 'PURGE', 'M-SEARCH', 'LINK'];

/** `count` requests. `login` holds the headers of a user who may write, so that the input itself is looked at. */
export function abusiveRequests(seed: number, count: number, login: Headers): AbusiveRequest[] {
  const random = randomFrom(seed);

  const send = (body: string | Buffer, headers: Headers = {}) => {
    const { method, path } = random.oneOf(bodies);
    const length = String(Buffer.byteLength(body));
    return [head(method, path, { ...json, ...login, 'Content-Length': length, ...headers }), body];
  };
  const sendChunked = (chunks: readonly Buffer[]) => {
    const { method, path } = random.oneOf(bodies);
    return [
      head(method, path, { ...json, ...login, 'Transfer-Encoding': 'chunked' }),
      ...chunks.flatMap(asChunk),
      '0\r\n\r\n',
    ];
  };
  const wrongBody = () => {
    const { method, path, wrong } = random.oneOf(bodies);
    const body = JSON.stringify(wrong(random.oneOf(wrongValues)));
    return [head(method, path, { ...json, ...login, 'Content-Length': String(body.length) }), body];
  };
  const nested = () => {
    const depth = 10 ** (1 + random.below(4)) * (1 + random.below(9));
    return random.below(2) === 0
      ? '['.repeat(depth) + ']'.repeat(depth)
      : `${'{"name":'.repeat(depth)}1${'}'.repeat(depth)}`;
  };
  const noise = () => Buffer.from(Array.from({ length: 1 + random.below(200) }, () => random.below(256)));

  const kinds: Record<string, () => (string | Buffer)[]> = {
    'broken JSON': () => send(random.oneOf(brokenJson)),
    'broken JSON in chunks': () =>
      sendChunked([Buffer.from('{"name":'), Buffer.from(random.oneOf(brokenJson) || ' ')]),
    'wrong type': wrongBody,
    'inherited field': () => send(random.oneOf(inherited)),
    'deep nesting': () => send(nested()),
    'random bytes': () => send(noise()),
    'UTF-16': () => send(Buffer.from('\ufeff{"name":"x"}', 'utf16le')),
    'invalid UTF-8': () =>
      send(Buffer.concat([Buffer.from('{"name":"'), random.oneOf(invalidUtf8), Buffer.from('"}')])),
    'odd media type': () => send('{"name":"x"}', random.oneOf(oddMediaTypes)),
    'odd path': () => [head('GET', random.oneOf(oddPaths), login)],
    'overlong path': () => [head('GET', `/api/groups/${'9'.repeat(500 * (1 + random.below(60)))}`, login)],
    'odd credentials': () => [head('GET', '/api/groups', random.oneOf(oddCredentials))],
    'odd host': () => [head('GET', '/nosuch', { Host: random.oneOf(oddHosts) })],
    'odd method': () => [head(random.oneOf(oddMethods), '/api/groups', login)],
    'not HTTP': () => [random.oneOf(notHttp)],
  };
  const hugeKinds: Record<string, () => (string | Buffer)[]> = {
    'huge body, declared': () => send(hugeChunk, { 'Content-Length': String(2 ** (21 + random.below(20))) }),
    'huge body, sent': () => send(Buffer.concat(Array(40).fill(hugeChunk))),
    'huge body in chunks': () => sendChunked(Array(40).fill(hugeChunk)),
  };

  const cut = new Set(['not HTTP', 'random bytes', ...Object.keys(hugeKinds)]);
  return Array.from({ length: count }, () => {
    const [kind, make] = random.oneOf(Object.entries(random.below(50) === 0 ? hugeKinds : kinds));
    return { kind, pieces: make(), mayBeCut: cut.has(kind) };
  });
}

const json = { 'Content-Type': 'application/json' };

const invalidUtf8 = ['ff', 'c0ae', 'eda080', 'f8888080', 'e282', '80'].map((hex) => Buffer.from(hex, 'hex'));

const oddMediaTypes: readonly Headers[] = [
  { 'Content-Type': 'text/plain' },
  { 'Content-Type': 'application/x-www-form-urlencoded' },
  { 'Content-Type': 'multipart/form-data; boundary=x' },
  { 'Content-Type': 'application/json; charset=utf-16' },
  { 'Content-Type': 'application/json; charset=iso-8859-1' },
  { 'Content-Type': '' },
  { 'Content-Encoding': 'gzip' },
  { 'Content-Encoding': 'br, gzip' },
];

const hugeChunk = Buffer.alloc(64 * 1024, 'a');

function asChunk(data: Buffer): (string | Buffer)[] {
  return [`${data.length.toString(16)}\r\n`, data, '\r\n'];
}
