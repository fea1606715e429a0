import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editDistance, readConfig } from './config.ts';
import { StartupError } from './errors.ts';

const read = (env: Record<string, string>) => readConfig(env).config;

describe('without any variable', () => {
  it('has the defaults of the design', () => {
    const config = read({});
    expect(config.home).toMatch(/\/data$/);
    expect(config.database).toEqual({ engine: 'sqlite', path: `${config.home}/index.db` });
    expect(config.library).toEqual({ kind: 'folder', path: `${config.home}/library` });
    expect(config).toMatchObject({
      host: '127.0.0.1',
      port: 8484,
      login: { rateLimit: 10, windowMs: 60_000, blockMs: 300_000 },
      allowPrivateNetworks: false,
      pull: { intervalMs: 1_800_000, concurrency: 10, timeoutMs: 30_000, maxBackoffMs: 172_800_000 },
      deframer: { open: true },
      embeddings: { kind: 'local' },
      ai: { type: 'local' },
      ask: { perDay: 100 },
      log: { level: 'info', format: 'auto' },
    });
  });

  it('is frozen all the way down', () => {
    const config = read({});
    expect(() => Object.assign(config.login, { rateLimit: 1 })).toThrow();
    expect(() => Object.assign(config, { port: 1 })).toThrow();
  });
});

describe('a value', () => {
  it.each(
    [
      [{ LECTERN_PORT: '9000' }, { port: 9000 }],
      [
        { LECTERN_HOME: '/srv/lectern' },
        { home: '/srv/lectern', database: { engine: 'sqlite', path: '/srv/lectern/index.db' } },
      ],
      [{ LECTERN_DATABASE_URL: 'sqlite:/tmp/a.db' }, { database: { engine: 'sqlite', path: '/tmp/a.db' } }],
      [{ LECTERN_DATABASE_URL: 'sqlite:///tmp/a.db' }, { database: { engine: 'sqlite', path: '/tmp/a.db' } }],
      [
        { LECTERN_DATABASE_URL: 'postgres://db/lectern' },
        { database: { engine: 'postgres', poolSizes: { read: 8, write: 6 } } },
      ],
      [
        {
          LECTERN_DATABASE_READ_CONNECTIONS: '20',
          LECTERN_DATABASE_WRITE_CONNECTIONS: '4',
          LECTERN_DATABASE_URL: 'postgres://db/lectern',
        },
        { database: { poolSizes: { read: 20, write: 4 } } },
      ],
      [{ LECTERN_LIBRARY_URL: 'file:/tmp/lib' }, { library: { kind: 'folder', path: '/tmp/lib' } }],
      [{ LECTERN_PUBLIC_URL: 'https://read.example.org/' }, { publicUrl: 'https://read.example.org' }],
      [{ LECTERN_LOGIN_WINDOW: '90' }, { login: { windowMs: 90_000 } }],
      [{ LECTERN_LOGIN_WINDOW: '2m' }, { login: { windowMs: 120_000 } }],
      [{ LECTERN_PULL_MAX_BACKOFF: '48h' }, { pull: { maxBackoffMs: 172_800_000 } }],
      [{ LECTERN_ALLOW_PRIVATE_NETWORKS: 'true' }, { allowPrivateNetworks: true }],
      [{ LECTERN_DEFRAMER_OPEN: 'false' }, { deframer: { open: false } }],
      [
        { LECTERN_CORS_ALLOWED_ORIGINS: 'https://a.example, http://b.example:81' },
        { corsAllowedOrigins: ['https://a.example', 'http://b.example:81'] },
      ],
      [
        { LECTERN_TRUSTED_PROXIES: '10.0.0.0/8,::1' },
        {
          trustedProxies: [
            { address: '10.0.0.0', prefix: 8, family: 'ipv4' },
            { address: '::1', prefix: 128, family: 'ipv6' },
          ],
        },
      ],
      [
        { LECTERN_EMBEDDINGS: 'openai:http://127.0.0.1:1234/v1' },
        { embeddings: { kind: 'openai', url: 'http://127.0.0.1:1234/v1', model: 'text-embedding-3-small' } },
      ],
      [
        { LECTERN_EMBEDDINGS: 'openai:http://ai.example/v1#nomic-embed-text', LECTERN_EMBEDDINGS_MODEL: 'x' },
        { embeddings: { kind: 'openai', url: 'http://ai.example/v1', model: 'nomic-embed-text' } },
      ],
      [
        { LECTERN_EMBEDDINGS_MODEL: 'x', LECTERN_EMBEDDINGS: 'openai:http://ai.example/v1' },
        { embeddings: { kind: 'openai', url: 'http://ai.example/v1', model: 'x' } },
      ],
      [{ LECTERN_BROWSER: process.execPath }, { enrich: { browser: process.execPath, concurrency: 6 } }],
      [{ LECTERN_ENRICH_CONCURRENCY: '2' }, { enrich: { concurrency: 2 } }],
      [{ LECTERN_ASK_PER_DAY: '0' }, { ask: { perDay: 0 } }],
      [{ LECTERN_PORT: '  ' }, { port: 8484 }],
    ].map(([env, expected]) => ({ given: JSON.stringify(env), env, expected })),
  )('$given is understood', ({ env, expected }) => {
    expect(read(env as Record<string, string>)).toMatchObject(expected as object);
  });

  it.each([
    ['LECTERN_PORT', 'http'],
    ['LECTERN_PORT', '65536'],
    ['LECTERN_PORT', '80.5'],
    ['LECTERN_DATABASE_URL', 'mysql://a/b'],
    ['LECTERN_DATABASE_READ_CONNECTIONS', '1'],
    ['LECTERN_DATABASE_WRITE_CONNECTIONS', 'many'],
    ['LECTERN_DATABASE_URL', 'sqlite:'],
    ['LECTERN_DATABASE_URL', 'sqlite::memory:'],
    ['LECTERN_LIBRARY_URL', 'ftp://a'],
    ['LECTERN_PUBLIC_URL', 'read.example.org'],
    ['LECTERN_PUBLIC_URL', 'javascript:alert(1)'],
    ['LECTERN_PUBLIC_URL', 'https://u:pw@read.example.org'],
    ['LECTERN_PUBLIC_URL', 'https://read.example.org/reader'],
    ['LECTERN_LOGIN_RATE_LIMIT', '0'],
    ['LECTERN_LOGIN_WINDOW', '1 hour'],
    ['LECTERN_DRAIN_PERIOD', '61'],
    ['LECTERN_CORS_ALLOWED_ORIGINS', '*'],
    ['LECTERN_CORS_ALLOWED_ORIGINS', 'https://a.example/path'],
    ['LECTERN_TRUSTED_PROXIES', '10.0.0.0/33'],
    ['LECTERN_TRUSTED_PROXIES', 'proxy.local'],
    ['LECTERN_TRUSTED_PROXIES', '10.0.0.0/8/8'],
    ['LECTERN_ALLOW_PRIVATE_NETWORKS', 'maybe'],
    ['LECTERN_ENRICH_CONCURRENCY', '0'],
    ['LECTERN_BROWSER', 'chromium'],
    ['LECTERN_BROWSER', '/no/such/program'],
    ['LECTERN_BROWSER', '/'],
    ['LECTERN_EMBEDDINGS', 'openai:'],
    ['LECTERN_LOG_LEVEL', 'loud'],
    ['LECTERN_LOG_FORMAT', 'xml'],
    ['LECTERN_OIDC_ISSUER', 'https://id.example'],
    ['LECTERN_OIDC_CLIENT_ID', 'lectern'],
  ])('of %s that is wrong (%s) stops the start with one line about that setting', (name, value) => {
    const attempt = () => read({ [name]: value });
    expect(attempt).toThrow(StartupError);
    expect(attempt).toThrow(/^LECTERN_[A-Z_]+: expected [^\n]+$/);
    expect(attempt).toThrow(name.startsWith('LECTERN_OIDC') ? 'LECTERN_OIDC_' : name);
  });

  it.each(['https://anna:hunter2@a.example', 'https://anna:hunter2/x@a.example', 'anna:hunter2@a.example'])(
    'of an origin with a password in it is not shown: %s',
    (LECTERN_CORS_ALLOWED_ORIGINS) => {
      const attempt = () => read({ LECTERN_CORS_ALLOWED_ORIGINS });
      expect(attempt).toThrow(/^LECTERN_CORS_ALLOWED_ORIGINS: expected origins such as (?!.*hunter2)/);
    },
  );

  it('for single sign-on is the name of a provider, over TLS unless it is in a network of ours', () => {
    const issuer = (text: string, more = {}) =>
      read({ LECTERN_OIDC_ISSUER: text, LECTERN_OIDC_CLIENT_ID: 'lectern', ...more }).oidc?.issuer;
    expect(issuer('https://id.example/')).toBe('https://id.example/');
    expect(() => issuer('http://id.example')).toThrow(/^LECTERN_OIDC_ISSUER: expected https; /);
    const home = { LECTERN_ALLOW_PRIVATE_NETWORKS: 'true' };
    expect(issuer('http://id.home.arpa', home)).toBe('http://id.home.arpa');
    const document = 'https://id.example/.well-known/openid-configuration';
    expect(() => issuer(document)).toThrow(/^LECTERN_OIDC_ISSUER: expected the address before /);
  });

  it('is never anything but understood or refused, whatever it is', () => {
    const names = [
      'LECTERN_PORT',
      'LECTERN_DATABASE_URL',
      'LECTERN_TRUSTED_PROXIES',
      'LECTERN_PUBLIC_URL',
      'LECTERN_PULL_INTERVAL',
    ];
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.string(), (name, value) => {
        try {
          read({ [name]: value });
        } catch (error) {
          expect(error).toBeInstanceOf(StartupError);
        }
      }),
    );
  });
});

describe('the model that analyses', () => {
  const ai = (env: Record<string, string>) => read(env).ai;
  const full = { AI_MODEL: 'm-1', AI_API_KEY: 'hunter22-ai' };

  it.each([
    ['openai', 'https://api.openai.com/v1'],
    ['anthropic', 'https://api.anthropic.com'],
    ['gemini', 'https://generativelanguage.googleapis.com'],
  ])('of the type %s is at the address of its maker, unless another is given', (type, address) => {
    const made = ai({ AI_TYPE: type, ...full });
    if (!('baseUrl' in made)) throw new Error('no address');
    expect(made).toMatchObject({ type, model: 'm-1', timeoutMs: 120_000, price: undefined });
    expect(made.apiKey?.reveal()).toBe('hunter22-ai');
    expect(made.baseUrl.reveal()).toBe(address);
    const other = ai({ AI_TYPE: type, ...full, AI_BASE_URL: 'http://10.0.0.5:11434/v1/' });
    expect('baseUrl' in other && other.baseUrl.reveal()).toBe('http://10.0.0.5:11434/v1');
  });

  it('is of a type that exists', () => {
    expect(() => ai({ AI_TYPE: 'dummy' })).toThrow(StartupError);
    expect(() => ai({ AI_TYPE: 'dummy' })).toThrow(
      'AI_TYPE: expected one of local, mock, openai, anthropic, gemini, got "dummy"',
    );
  });

  it.each(['openai', 'anthropic', 'gemini'])('of the type %s needs a name and a key', (AI_TYPE) => {
    expect(() => ai({ AI_TYPE, AI_API_KEY: 'k' })).toThrow(/^AI_MODEL: expected [^\n]+$/);
    expect(() => ai({ AI_TYPE, AI_MODEL: 'm' })).toThrow(/^AI_API_KEY: expected [^\n]+$/);
    const elsewhere = { AI_TYPE, AI_MODEL: 'm', AI_BASE_URL: 'http://127.0.0.1:11434/v1' };
    if (AI_TYPE === 'openai') expect(ai(elsewhere)).toMatchObject({ apiKey: undefined });
    else expect(() => ai(elsewhere)).toThrow(StartupError);
  });

  it('has a price, a time for each call, and as a mock a latency', () => {
    const costly = { AI_TYPE: 'openai', ...full, LECTERN_AI_PRICE: '0.15/0.60', LECTERN_AI_TIMEOUT: '5m' };
    expect(ai(costly)).toMatchObject({
      price: { microsPerTokenIn: 0.15, microsPerTokenOut: 0.6 },
      timeoutMs: 300_000,
    });
    expect(ai({ AI_TYPE: 'mock' })).toEqual({ type: 'mock', latencyMs: 100 });
    expect(ai({ AI_TYPE: 'mock', LECTERN_AI_MOCK_LATENCY: '0' })).toEqual({ type: 'mock', latencyMs: 0 });
  });

  it.each([
    ['LECTERN_AI_PRICE', '0.15'],
    ['LECTERN_AI_PRICE', '-1/2'],
    ['LECTERN_AI_PRICE', '1/2/3'],
    ['LECTERN_AI_PRICE', '1e9/2'],
    ['LECTERN_AI_TIMEOUT', '0'],
    ['LECTERN_AI_TIMEOUT', '2h'],
    ['LECTERN_AI_MOCK_LATENCY', '60001'],
    ['LECTERN_AI_MOCK_LATENCY', '-1'],
    ['AI_BASE_URL', 'ollama:11434'],
  ])('with a %s of %s stops the start, whichever it is', (name, value) => {
    const attempt = () => ai({ [name]: value });
    expect(attempt).toThrow(StartupError);
    expect(attempt).toThrow(new RegExp(`^${name}: expected [^\\n]+$`));
  });
});

describe('a secret', () => {
  const env = {
    LECTERN_PASSWORD: 'hunter22-password',
    LECTERN_DATABASE_URL: 'postgres://anna:hunter22-db@db.example/lectern',
    LECTERN_RAINDROP_TOKEN: 'hunter22-raindrop',
    AI_TYPE: 'openai',
    AI_MODEL: 'm-1',
    AI_API_KEY: 'hunter22-ai',
    AI_BASE_URL: 'https://anna:hunter22-url@ai.example/v1',
    LECTERN_LIBRARY_URL: 's3://key:hunter22-s3@bucket/prefix?secret=hunter22-q',
  };

  it('cannot be printed by accident', () => {
    const config = read(env);
    expect(inspect(config, { depth: 9 })).not.toContain('hunter22');
    expect(JSON.stringify(config)).not.toContain('hunter22');
    expect(`${config.password}`).toBe('[secret]');
  });

  it('is there for those who ask', () => {
    const config = read(env);
    expect(config.password?.reveal()).toBe('hunter22-password');
    expect(config.database.engine === 'postgres' && config.database.url.reveal()).toContain('hunter22-db');
  });

  it('is not repeated in the message about a value that is wrong', () => {
    const attempt = () => read({ LECTERN_DATABASE_URL: 'postgress://anna:hunter22@db/x' });
    expect(attempt).toThrow(expect.not.stringContaining('hunter22'));
  });

  it('keeps the spaces of a password', () => {
    expect(read({ LECTERN_PASSWORD: ' two words ' }).password?.reveal()).toBe(' two words ');
  });

  it('of the database may come by itself, in DB_PASSWORD', () => {
    const { database } = read({
      LECTERN_DATABASE_URL: 'postgres://anna@db.example/x',
      DB_PASSWORD: 'p@ss/word',
    });
    expect(database.engine === 'postgres' && new URL(database.url.reveal()).password).toBe('p%40ss%2Fword');
  });
});

describe('a name that is not ours', () => {
  it('warns with the nearest one that is', () => {
    expect(readConfig({ LECTERN_PROT: '1' }).warnings).toEqual([
      'LECTERN_PROT is not a setting of Lectern and has no effect; did you mean LECTERN_PORT?',
    ]);
    expect(readConfig({ LECTERN_PULL_INTERVALL: '1' }).warnings[0]).toContain(
      'did you mean LECTERN_PULL_INTERVAL?',
    );
  });

  it('warns without a guess when nothing is near, and not at all outside our prefix', () => {
    expect(readConfig({ LECTERN_SOMETHING_ELSE_ENTIRELY: '1', PATH: '/bin' }).warnings).toEqual([
      'LECTERN_SOMETHING_ELSE_ENTIRELY is not a setting of Lectern and has no effect',
    ]);
  });
});

describe('edit distance', () => {
  it.each([
    ['', '', 0],
    ['abc', 'abc', 0],
    ['abc', '', 3],
    ['kitten', 'sitting', 3],
  ])('of "%s" and "%s" is %i', (a, b, distance) => {
    expect(editDistance(a, b)).toBe(distance);
    expect(editDistance(b, a)).toBe(distance);
  });
});
