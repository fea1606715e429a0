// The API on a fresh store, and those who call it: visitors, browsers that are logged in, programs with a token.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { AccountDeps } from '../../src/accounts/deps.ts';
import type { Oidc } from '../../src/accounts/oidc.ts';
import { createPasswords } from '../../src/accounts/passwords.ts';
import { createToken } from '../../src/accounts/tokens.ts';
import { addUser } from '../../src/accounts/users.ts';
import { createApi } from '../../src/api/app.ts';
import type { ClientRules } from '../../src/api/client.ts';
import type { DeframerSettings } from '../../src/api/context.ts';
import { createMetrics } from '../../src/api/metrics.ts';
import { readWebApp } from '../../src/api/pages/web-app.ts';

import { searchSources } from '../../src/cli/search-sources.ts';

import type { FoundFeed } from '../../src/feeds/discover/describe-document.ts';
import type { Files } from '../../src/library/files/files.ts';
import { openFolderFiles } from '../../src/library/files/folder-files.ts';
import type { FolderStats } from '../../src/library/stats.ts';
import { openLog } from '../../src/log.ts';
import type { Secret } from '../../src/model/secret.ts';
import type { Scope, User } from '../../src/model/user.ts';
import type { OutageLog } from '../../src/outage-log.ts';
import { tasks } from '../../src/parsing/tasks.ts';
import type { Model } from '../../src/search/answer/ask-model.ts';
import type { Meaning } from '../../src/search/meaning/meaning.ts';
import type { AttemptLimits } from '../../src/store/login-attempt-store.ts';
import type { Store } from '../../src/store/store.ts';
import { type Engine, openEmptyStore, openFreshStore } from './engines.ts';
import { testFilesDeps } from './libraries.ts';
import { testPasswords } from './test-runtime.ts';

export const host = 'reader.example';
export const ownOrigin = `http://${host}`;
/** As `npm test` has built it before anything else. */
const webApp = readWebApp(fileURLToPath(new URL('../../web/dist', import.meta.url)));
export const foreignOrigin = 'https://evil.example';
/** Every user of a suite has it. */
export const password = 'correct horse battery';
export const usualLimits: AttemptLimits = { rateLimit: 10, windowMs: 60_000, blockMs: 300_000 };

export interface ApiOptions {
  oidc?: Oidc;
  trustedProxies?: ClientRules['trustedProxies'];
  publicUrl?: string;
  corsAllowedOrigins?: string[];
  loginLimits?: Partial<AttemptLimits>;
  /** In place of the real store, for a suite that wants a moment of it to last. */
  discoverFeeds?: (address: string) => Promise<readonly FoundFeed[]>;
  raindrop?: { readonly token: Secret | undefined; readonly apiUrl: string };
  measureLibrary?: () => Promise<readonly FolderStats[]>;
  files?: Pick<Files, 'read'>;
  deframer?: Partial<DeframerSettings>;
  meaning?: Meaning;
  askModel?: Model;
  askPerDay?: number;
  isStopping?: () => boolean;
  store?: Store;
}

type Opened = Awaited<ReturnType<typeof openFreshStore>> & { readonly files: Files; readonly folder: string };

export async function openApi(engine: Engine, options: ApiOptions = {}): Promise<TestApi> {
  const folder = await mkdtemp(join(tmpdir(), 'lectern-library-'));
  const files = await openFolderFiles(folder, testFilesDeps);
  const opened = await openFreshStore(engine);
  return new TestApi({ ...opened, files, folder }, options);
}

/** The API on the suite's shared database, without any rows: to call in `beforeEach`. Nothing needs to be closed. */
export async function openEmptyApi(engine: Engine, options: ApiOptions = {}): Promise<TestApi> {
  const folder = await mkdtemp(join(tmpdir(), 'lectern-library-'));
  const files = await openFolderFiles(folder, testFilesDeps);
  const api = new TestApi({ ...(await openEmptyStore(engine)), files, folder }, options);
  onTestFinished(async () => {
    api.endStreams();
    await rm(folder, { recursive: true, force: true });
  });
  return api;
}

export class TestApi {
  readonly opened: Opened;
  readonly app: ReturnType<typeof createApi>['app'];
  readonly entries: ReturnType<typeof createApi>['entries'];
  readonly endStreams: () => void;
  readonly accounts: AccountDeps;
  readonly logLines: string[] = [];
  readonly outages: OutageLog;

  constructor(opened: Opened, options: ApiOptions = {}) {
    this.opened = opened;
    const store = options.store ?? opened.store;
    const randomText = (bytes: number) => randomBytes(bytes).toString('base64url');
    this.accounts = {
      store,
      now: opened.clock.now,
      randomText,
      passwords: createPasswords(testPasswords),
      loginLimits: { ...usualLimits, ...options.loginLimits },
    };
    const { log, outages } = openLog({ level: 'debug', format: 'json', out: collect(this.logLines) });
    this.outages = outages;
    const { app, entries, endStreams } = createApi({
      store,
      accounts: this.accounts,
      oidc: options.oidc,
      client: { trustedProxies: options.trustedProxies ?? [], publicUrl: options.publicUrl },
      corsAllowedOrigins: options.corsAllowedOrigins ?? [],
      log,
      isUp: outages.isUp,
      metrics: createMetrics({ process: false }),
      randomText,
      version: '0.0.0-test',
      now: opened.clock.now,
      isStopping: options.isStopping ?? (() => false),
      webApp,
      parser: { parse: async (name, input) => tasks[name](input as never) as never },
      discoverFeeds: options.discoverFeeds ?? (async () => []),
      searchSources: searchSources(store, opened.files),
      meaning: options.meaning,
      embeddings: { kind: options.meaning ? 'local' : 'off' },
      askModel: options.askModel,
      askPerDay: options.askPerDay ?? 100,
      files: options.files ?? opened.files,
      ownFiles: { home: opened.folder, database: opened.target },
      raindrop: options.raindrop ?? { token: undefined, apiUrl: '' },
      measureLibrary: options.measureLibrary ?? (async () => []),
      deframer: {
        open: true,
        intervalMs: 1_800_000,
        items: 20,
        analyzer: { type: 'local', model: 'local/1' },
        ...options.deframer,
      },
    });
    this.app = app;
    this.entries = entries;
    this.endStreams = endStreams;
  }

  get clock() {
    return this.opened.clock;
  }

  /** Another process on the same index: after a restart, or with other settings. */
  again(options: ApiOptions = {}): TestApi {
    return new TestApi(this.opened, options);
  }

  /** The first one that is added is the owner. */
  addUser(username: string): Promise<User> {
    return addUser(this.accounts, { username, password });
  }

  /** Sends no Origin and has no cookie at first, as curl does. */
  visitor(): Client {
    return new Client(this.app, {});
  }

  /** Sends our own Origin with everything, as a page of ours does. */
  browser(): Client {
    return new Client(this.app, { Origin: ownOrigin });
  }

  async logIn(username: string): Promise<Client> {
    const browser = this.browser();
    const response = await browser.post('/api/sessions', { username, password });
    if (response.status !== 200) throw new Error(`${username} could not log in: ${await response.text()}`);
    return browser;
  }

  async program(username: string, scope: Scope): Promise<Client> {
    const user = await this.accounts.store.users.findByName(username);
    if (!user) throw new Error(`there is no user ${username}`);
    const { secret } = await createToken(this.accounts, user, { name: `${scope} for a test`, scope });
    return this.holding(secret);
  }

  holding(token: string): Client {
    return new Client(this.app, { Authorization: `Bearer ${token}` });
  }

  /** Every row of every table, to see that nothing changed or what is in it. */
  async rows(): Promise<Record<string, string[]>> {
    const { read } = this.opened.database;
    const found: Record<string, string[]> = {};
    for (const { name } of await read.introspection.getTables()) {
      const rows = await read
        .selectFrom(name as 'users')
        .selectAll()
        .execute();
      found[name] = rows.map((row) => JSON.stringify(row)).sort();
    }
    return found;
  }

  async close(): Promise<void> {
    await this.opened.store.close();
    await rm(this.opened.folder, { recursive: true, force: true });
  }
}

export interface Sent {
  readonly json?: unknown;
  readonly body?: RequestInit['body'];
  /** An undefined one is left out, even if this client usually sends it. */
  readonly headers?: Record<string, string | undefined>;
  /** The address that the socket comes from. */
  readonly from?: string;
}

export class Client {
  readonly cookies = new Map<string, string>();
  readonly #app: TestApi['app'];
  readonly #headers: Record<string, string>;

  constructor(app: TestApi['app'], headers: Record<string, string>) {
    this.#app = app;
    this.#headers = headers;
  }

  /** The same cookies and headers, at another process. */
  at(api: TestApi): Client {
    const moved = new Client(api.app, this.#headers);
    for (const [name, value] of this.cookies) moved.cookies.set(name, value);
    return moved;
  }

  get = (path: string, sent?: Sent) => this.send('GET', path, sent);
  delete = (path: string, sent?: Sent) => this.send('DELETE', path, sent);
  post = (path: string, json: unknown, sent?: Sent) => this.send('POST', path, { json, ...sent });
  put = (path: string, json: unknown, sent?: Sent) => this.send('PUT', path, { json, ...sent });
  patch = (path: string, json: unknown, sent?: Sent) => this.send('PATCH', path, { json, ...sent });

  async send(method: string, path: string, sent: Sent = {}): Promise<Response> {
    const hasJson = sent.json !== undefined;
    const headers = defined({
      Host: host,
      ...this.#headers,
      ...(this.cookies.size > 0 && { Cookie: [...this.cookies].map((pair) => pair.join('=')).join('; ') }),
      ...(hasJson && { 'Content-Type': 'application/json' }),
      ...sent.headers,
    });
    let body = hasJson ? JSON.stringify(sent.json) : sent.body;
    // HTTP clients declare the length of a body. A stream has none.
    if (body !== undefined && body !== null && !(body instanceof ReadableStream)) {
      const encoded = new Response(body);
      headers['Content-Type'] ??= encoded.headers.get('content-type') ?? 'application/octet-stream';
      body = new Uint8Array(await encoded.arrayBuffer());
      headers['Content-Length'] ??= String(body.length);
    }
    const init = { method, headers, ...(body !== undefined && { body, duplex: 'half' as const }) };
    const peer = { incoming: { socket: { remoteAddress: sent.from ?? '198.51.100.1' } } };
    const response = await this.#app.request(`http://${host}${path}`, init, peer as never);
    for (const line of response.headers.getSetCookie()) this.#keep(line);
    return response;
  }

  #keep(line: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (/;\s*max-age=0(;|$)/i.test(line)) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}

/** The answer's JSON, as the suite says that it is. */
export async function jsonOf<T = unknown>(response: Response): Promise<T> {
  return (await response.json()) as T;
}

/** What a client learns from an answer, to compare. */
export async function answerOf(response: Response): Promise<{ status: number; body: unknown }> {
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}

function defined(headers: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
}

function collect(lines: string[]): Writable {
  return new Writable({
    decodeStrings: false,
    write(line: string, _encoding, done) {
      lines.push(String(line));
      done();
    },
  });
}
