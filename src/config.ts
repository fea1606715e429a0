// The only reader of the environment: every variable is parsed and checked once, here, into one frozen Config.
import { accessSync, constants, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { isAbsolute, join, resolve } from 'node:path';
import { StartupError } from './errors.ts';
import { defaultPoolSizes, type PoolSizes } from './model/pool-sizes.ts';
import { Secret } from './model/secret.ts';
import { maxDrainMs } from './model/stop-limits.ts';

export type Env = Readonly<Record<string, string | undefined>>;

export type DatabaseConfig =
  | { readonly engine: 'sqlite'; readonly path: string }
  | {
      readonly engine: 'postgres';
      readonly url: Secret;
      readonly shown: string;
      readonly poolSizes: PoolSizes;
    };

export type LibraryConfig =
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 's3'; readonly url: Secret; readonly shown: string };

export interface Cidr {
  readonly address: string;
  readonly prefix: number;
  readonly family: 'ipv4' | 'ipv6';
}

export type Config = ReturnType<typeof parse>;

/** Reads the environment. A bad value throws one line that names its variable; a name that is not ours is a warning. */
export function readConfig(env: Env = process.env): { config: Config; warnings: string[] } {
  const reader = new EnvReader(env);
  const config = deepFreeze(parse(reader));
  return { config, warnings: reader.unknownNames().map((name) => unknownVariable(name, reader.names())) };
}

function parse(env: EnvReader) {
  const home = resolve(env.text('LECTERN_HOME', './data'));
  return {
    home,
    database: database(env, home),
    library: library(env, home),
    host: env.text('LECTERN_HOST', '127.0.0.1'),
    port: env.integer('LECTERN_PORT', 8484, { min: 0, max: 65_535 }),
    publicUrl: env.origin('LECTERN_PUBLIC_URL'),
    /** The default depends on the role. */
    drainPeriodMs: env.seconds('LECTERN_DRAIN_PERIOD', undefined, { min: 0, max: maxDrainMs / 1000 }),
    password: env.password('LECTERN_PASSWORD'),
    oidc: oidc(env),
    login: {
      rateLimit: env.integer('LECTERN_LOGIN_RATE_LIMIT', 10, { min: 1, max: 10_000 }),
      windowMs: env.seconds('LECTERN_LOGIN_WINDOW', 60, { min: 1 }),
      blockMs: env.seconds('LECTERN_LOGIN_BLOCK', 300, { min: 1 }),
    },
    corsAllowedOrigins: env.origins('LECTERN_CORS_ALLOWED_ORIGINS'),
    trustedProxies: env.cidrs('LECTERN_TRUSTED_PROXIES'),
    allowPrivateNetworks: env.flag('LECTERN_ALLOW_PRIVATE_NETWORKS', false),
    pull: {
      intervalMs: env.seconds('LECTERN_PULL_INTERVAL', 1800, { min: 60 }),
      concurrency: env.integer('LECTERN_PULL_CONCURRENCY', 10, { min: 1, max: 200 }),
      timeoutMs: env.seconds('LECTERN_PULL_TIMEOUT', 30, { min: 1, max: 600 }),
      maxBackoffMs: env.seconds('LECTERN_PULL_MAX_BACKOFF', 172_800, { min: 60 }),
    },
    worker: {
      concurrency: env.integer('LECTERN_WORKER_CONCURRENCY', 8, { min: 1, max: 200 }),
      memoryBytes: env.integer('LECTERN_WORKER_MEMORY_MB', 1024, { min: 128, max: 1_000_000 }) * 1024 * 1024,
    },
    enrich: {
      concurrency: env.integer('LECTERN_ENRICH_CONCURRENCY', 6, { min: 1, max: 200 }),
      browser: env.program('LECTERN_BROWSER'),
    },
    raindrop: {
      token: env.secret('LECTERN_RAINDROP_TOKEN'),
      apiUrl: env.url('LECTERN_RAINDROP_API_URL', 'https://api.raindrop.io/rest/v1'),
    },
    deframer: {
      open: env.flag('LECTERN_DEFRAMER_OPEN', true),
      intervalMs: env.seconds('LECTERN_DEFRAMER_INTERVAL', 1800, { min: 60 }),
      items: env.integer('LECTERN_DEFRAMER_ITEMS', 20, { min: 1, max: 1000 }),
    },
    embeddings: embeddings(env),
    ai: ai(env),
    ask: { perDay: env.integer('LECTERN_ASK_PER_DAY', 100, { min: 0, max: 1_000_000 }) },
    log: {
      level: env.choice('LECTERN_LOG_LEVEL', ['trace', 'debug', 'info', 'warn', 'error', 'silent'], 'info'),
      format: env.choice('LECTERN_LOG_FORMAT', ['auto', 'text', 'json'], 'auto'),
    },
  } as const;
}

function database(env: EnvReader, home: string): DatabaseConfig {
  const name = 'LECTERN_DATABASE_URL';
  const text = env.text(name, `sqlite:${join(home, 'index.db')}`);
  const password = env.secret('DB_PASSWORD');
  const poolSizes = {
    read: env.integer('LECTERN_DATABASE_READ_CONNECTIONS', defaultPoolSizes.read, { min: 2, max: 1000 }),
    write: env.integer('LECTERN_DATABASE_WRITE_CONNECTIONS', defaultPoolSizes.write, { min: 1, max: 1000 }),
  };
  if (text.startsWith('sqlite:')) {
    const path = text.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, '');
    if (path === '' || path.startsWith('//') || path === ':memory:') {
      throw bad(name, 'sqlite:PATH with the path of a file', text);
    }
    return { engine: 'sqlite', path: isAbsolute(path) ? path : resolve(path) };
  }
  if (/^postgres(ql)?:\/\//.test(text)) {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (!url) throw bad(name, 'postgres://USER@HOST/DATABASE');
    if (password && url.password === '') url.password = password.reveal();
    return { engine: 'postgres', url: new Secret(url.href), shown: withoutCredentials(url), poolSizes };
  }
  throw bad(name, 'sqlite:PATH or postgres://USER@HOST/DATABASE');
}

function library(env: EnvReader, home: string): LibraryConfig {
  const name = 'LECTERN_LIBRARY_URL';
  const text = env.text(name, `file:${join(home, 'library')}`);
  if (text.startsWith('file:')) {
    const path = text.slice('file:'.length).replace(/^\/\/(?=\/)/, '');
    if (path === '' || path.startsWith('//')) throw bad(name, 'file:FOLDER', text);
    return { kind: 'folder', path: isAbsolute(path) ? path : resolve(path) };
  }
  if (text.startsWith('s3://') && URL.canParse(text)) {
    return { kind: 's3', url: new Secret(text), shown: withoutCredentials(new URL(text)) };
  }
  throw bad(name, 'file:FOLDER or s3://BUCKET/PREFIX?endpoint=URL');
}

function oidc(env: EnvReader) {
  const issuer = env.url('LECTERN_OIDC_ISSUER', undefined, { exact: true });
  const clientId = env.text('LECTERN_OIDC_CLIENT_ID');
  const clientSecret = env.secret('LECTERN_OIDC_CLIENT_SECRET');
  const redirectUri = env.url('LECTERN_OIDC_REDIRECT_URI');
  const allowedUsers = env.list('LECTERN_OIDC_ALLOWED_USERS');
  if (issuer === undefined) {
    if (clientId !== undefined)
      throw bad('LECTERN_OIDC_ISSUER', 'the address of the provider, since a client id is set');
    return undefined;
  }
  if (clientId === undefined)
    throw bad('LECTERN_OIDC_CLIENT_ID', 'a client id, since LECTERN_OIDC_ISSUER is set');
  if (issuer.includes('/.well-known/'))
    throw bad(
      'LECTERN_OIDC_ISSUER',
      'the address before /.well-known/, which is what the provider calls itself',
    );
  if (issuer.startsWith('http:') && !env.flag('LECTERN_ALLOW_PRIVATE_NETWORKS', false))
    throw bad('LECTERN_OIDC_ISSUER', 'https; http only together with LECTERN_ALLOW_PRIVATE_NETWORKS', issuer);
  return { issuer, clientId, clientSecret, redirectUri, allowedUsers };
}

function embeddings(env: EnvReader) {
  const name = 'LECTERN_EMBEDDINGS';
  const text = env.text(name, 'local');
  const model = env.text('LECTERN_EMBEDDINGS_MODEL', 'text-embedding-3-small');
  const apiKey = env.secret('AI_API_KEY');
  if (text === 'local' || text === 'off') return { kind: text } as const;
  const [url = '', named] = text.startsWith('openai:') ? text.slice('openai:'.length).split('#') : [];
  if (!isHttpUrl(url)) throw bad(name, 'local, off or openai:URL', text);
  return { kind: 'openai', url, model: named || model, apiKey } as const;
}

const aiBaseUrls = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com',
  gemini: 'https://generativelanguage.googleapis.com',
} as const;

function ai(env: EnvReader) {
  const type = env.choice('AI_TYPE', ['local', 'mock', 'openai', 'anthropic', 'gemini'], 'local');
  const apiKey = env.secret('AI_API_KEY');
  const givenUrl = env.url('AI_BASE_URL');
  const model = env.text('AI_MODEL');
  const timeoutMs = env.seconds('LECTERN_AI_TIMEOUT', 120, { min: 1, max: 3600 });
  const price = aiPrice(env);
  const latencyMs = env.integer('LECTERN_AI_MOCK_LATENCY', 100, { min: 0, max: 60_000 });
  if (type === 'local') return { type } as const;
  if (type === 'mock') return { type, latencyMs } as const;
  if (model === undefined) throw bad('AI_MODEL', `the name of a model, since AI_TYPE is ${type}`);
  // Models on one's own machine ask for no key.
  if (apiKey === undefined && !(type === 'openai' && givenUrl !== undefined))
    throw bad('AI_API_KEY', `the key of the account, since AI_TYPE is ${type}`);
  // It may have a user and password in it.
  const baseUrl = new Secret(givenUrl ?? aiBaseUrls[type]);
  return { type, model, apiKey, baseUrl, timeoutMs, price } as const;
}

/** What a million tokens cost, which is how many millionths one costs. */
function aiPrice(env: EnvReader) {
  const name = 'LECTERN_AI_PRICE';
  const text = env.text(name);
  if (text === undefined) return undefined;
  const [, tokenIn, tokenOut] = /^(\d{1,6}(?:\.\d{1,6})?)\/(\d{1,6}(?:\.\d{1,6})?)$/.exec(text) ?? [];
  if (tokenIn === undefined || tokenOut === undefined)
    throw bad(name, 'IN/OUT, the prices of a million tokens, such as 0.15/0.60', text);
  return { microsPerTokenIn: Number(tokenIn), microsPerTokenOut: Number(tokenOut) };
}

const secondsIn: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** Remembers which names were asked for: whatever else starts with LECTERN_ is a mistake worth a warning. */
class EnvReader {
  readonly #env: Env;
  readonly #names = new Set<string>();

  constructor(env: Env) {
    this.#env = env;
  }

  names(): string[] {
    return [...this.#names];
  }

  unknownNames(): string[] {
    return Object.keys(this.#env).filter((name) => name.startsWith('LECTERN_') && !this.#names.has(name));
  }

  text(name: string): string | undefined;
  text(name: string, otherwise: string): string;
  text(name: string, otherwise?: string): string | undefined {
    this.#names.add(name);
    const value = this.#env[name]?.trim();
    return value === undefined || value === '' ? otherwise : value;
  }

  secret(name: string): Secret | undefined {
    const value = this.text(name);
    return value === undefined ? undefined : new Secret(value);
  }

  /** Not trimmed: a space may be part of a password. */
  password(name: string): Secret | undefined {
    this.#names.add(name);
    const value = this.#env[name];
    return value === undefined || value === '' ? undefined : new Secret(value);
  }

  integer(name: string, otherwise: number, range: { min: number; max?: number }): number {
    const text = this.text(name);
    if (text === undefined) return otherwise;
    const value = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
    const max = range.max ?? 1_000_000_000;
    if (!(value >= range.min && value <= max))
      throw bad(name, `a whole number from ${range.min} to ${max}`, text);
    return value;
  }

  /** A number of seconds, or with a unit: 90s, 30m, 48h, 7d. Returned as milliseconds. */
  seconds(name: string, otherwise: number, range: { min: number; max?: number }): number;
  seconds(name: string, otherwise: undefined, range: { min: number; max?: number }): number | undefined;
  seconds(name: string, otherwise: number | undefined, range: { min: number; max?: number }) {
    const text = this.text(name);
    if (text === undefined) return otherwise === undefined ? undefined : otherwise * 1000;
    const [, digits, unit] = /^(\d+)(s|m|h|d)?$/.exec(text) ?? [];
    const value = Number(digits) * (secondsIn[unit ?? 's'] ?? Number.NaN);
    const max = range.max ?? 31_536_000;
    if (!(value >= range.min && value <= max)) {
      throw bad(name, `seconds from ${range.min} to ${max}, or a time such as 90s, 30m, 48h`, text);
    }
    return value * 1000;
  }

  /** The path of something that can be run. */
  program(name: string): string | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    if (!isAbsolute(text) || !isProgram(text)) throw bad(name, 'the full path of a program', text);
    return text;
  }

  flag(name: string, otherwise: boolean): boolean {
    const text = this.text(name)?.toLowerCase();
    if (text === undefined) return otherwise;
    if (['true', '1', 'yes', 'on'].includes(text)) return true;
    if (['false', '0', 'no', 'off'].includes(text)) return false;
    throw bad(name, 'true or false', text);
  }

  choice<const T extends string>(name: string, allowed: readonly T[], otherwise: T): T {
    const text = this.text(name)?.toLowerCase();
    if (text === undefined) return otherwise;
    const found = allowed.find((value) => value === text);
    if (found === undefined) throw bad(name, `one of ${allowed.join(', ')}`, text);
    return found;
  }

  list(name: string): string[] {
    return (this.text(name) ?? '')
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '');
  }

  url(name: string, otherwise?: undefined, options?: { exact: boolean }): string | undefined;
  url(name: string, otherwise: string): string;
  url(name: string, otherwise?: string, { exact } = { exact: false }): string | undefined {
    const text = this.text(name);
    if (text === undefined) return otherwise;
    if (!isHttpUrl(text)) throw bad(name, 'an http(s) address such as https://api.example.org/v1');
    return exact ? text : text.replace(/\/+$/, '');
  }

  /** The address of a site, without a path: Lectern is served at the root of one. */
  origin(name: string): string | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    if (!isOrigin(text))
      throw bad(name, 'the address of a site such as https://read.example.org, without a path');
    return new URL(text).origin;
  }

  origins(name: string): string[] {
    return this.list(name).map((text) => {
      if (!isOrigin(text)) {
        const mayHavePassword = text.includes('@');
        throw bad(
          name,
          'origins such as https://app.example.org, separated by commas',
          mayHavePassword ? undefined : text,
        );
      }
      return new URL(text).origin;
    });
  }

  cidrs(name: string): Cidr[] {
    return this.list(name).map((text) => {
      const [address = '', bits, ...rest] = text.split('/');
      const version = isIP(address);
      const width = version === 4 ? 32 : 128;
      const prefix = bits === undefined ? width : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN;
      if (version === 0 || rest.length > 0 || !(prefix <= width)) {
        throw bad(name, 'addresses or ranges such as 10.0.0.0/8, separated by commas', text);
      }
      return { address, prefix, family: version === 4 ? 'ipv4' : 'ipv6' };
    });
  }
}

function bad(name: string, expected: string, got?: string): StartupError {
  return new StartupError(`${name}: expected ${expected}${got === undefined ? '' : `, got "${got}"`}`);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

function isOrigin(text: string): boolean {
  return isHttpUrl(text) && new URL(text).origin === text.replace(/\/$/, '').toLowerCase();
}

function withoutCredentials(url: URL): string {
  const shown = new URL(url);
  shown.password = '';
  shown.search = '';
  return shown.href;
}

function unknownVariable(name: string, known: string[]): string {
  const nearest = known
    .map((candidate) => ({ candidate, distance: editDistance(name, candidate) }))
    .sort((a, b) => a.distance - b.distance)[0];
  const hint = nearest && nearest.distance <= 6 ? `; did you mean ${nearest.candidate}?` : '';
  return `${name} is not a setting of Lectern and has no effect${hint}`;
}

export function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitute = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min((previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, substitute));
    }
    previous = row;
  }
  return previous[b.length] ?? 0;
}

function deepFreeze<T>(value: T): T {
  if (value instanceof Secret || typeof value !== 'object' || value === null) return value;
  for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}
