// The rules of the map, checked: one door each for SQL, the network and the environment, the clock and ids
// passed in, and imports that point one way.
import { globSync } from 'node:fs';
import { basename, matchesGlob } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readMigrations } from '../src/store/migrations.ts';
import { levels } from './levels.ts';
import { codeOf, importsOf, type SourceFile, sourceFiles } from './support/source-files.ts';

/** Not the tests, and not the few files that run in a person's browser. */
const production = sourceFiles('src').filter(
  ({ path }) => !path.endsWith('.test.ts') && !path.includes('/assets/'),
);

// Parse all files at load time, so that parsing does not count against a test's timeout.
for (const file of production) {
  importsOf(file);
  codeOf(file);
}

/** Rules about what a file may import. `found` is what breaks them, for one file. */
const rules: Record<string, (file: SourceFile) => string[]> = {
  'SQL is written in the store alone': (file) => {
    if (file.path.startsWith('src/store/')) return [];
    const drivers = importsOf(file).filter(({ target }) => /^(kysely|pg|node:sqlite)(\/|$)/.test(target));
    const statements = codeOf(file).strings.filter((text) =>
      /\b(select\b[^;]*\bfrom|insert\s+into|delete\s+from|update\s+\w+\s+set|create\s+(table|index)|alter\s+table)\b/i.test(
        text,
      ),
    );
    return [...drivers.map(({ target }) => target), ...statements];
  },

  'the outside world is reached through outbound/ alone': (file) => {
    if (file.path.startsWith('src/outbound/')) return [];
    const clients = importsOf(file).filter(
      ({ target, typeOnly }) =>
        !typeOnly &&
        /^(undici|axios|got|node-fetch|ws|socks|proxy-agent|https?-proxy-agent|(node:)?(https|http2|tls|dgram|dns|inspector)(\/promises)?)$/.test(
          target,
        ),
    );
    // These two are also the home of things that open nothing to the outside: how an address reads, a server and what it answers with.
    const sockets = [...file.text.matchAll(/import (?!type)([^;]*?) from '(?:node:)?(?:net|http)'/g)]
      .flatMap(([, names = '']) => names.replace(/[{}]/g, '').split(','))
      .map((name) => name.trim())
      .filter(
        (name) =>
          !/^(BlockList|isIP|isIPv4|isIPv6|IncomingMessage|ServerResponse|Server as \w+|type \w+|)$/.test(
            name,
          ),
      );
    // Any way of getting hold of them but the import above would hide which of their names are used.
    const hidden = [
      ...file.text.matchAll(
        /(?:import|require|getBuiltinModule)\s*\(\s*['"`](?:node:)?(?:net|http|https|tls|dns)\b/g,
      ),
      ...codeOf(file).code.matchAll(/\bcreateRequire\b/g),
      ...file.text.matchAll(/export [^;]*? from '(?:node:)?(?:net|http)'/g),
    ].map(([text]) => text);
    const { code } = codeOf(file);
    const called = code.match(/(?<!\. )\bfetch \(|globalThis \. fetch|new WebSocket|new EventSource/g) ?? [];
    // Handing fetch to somebody else is as good as calling it.
    const handed = fetchedElsewhere[file.path]
      ? []
      : (code.match(/(\?\?|=|\(|,|:|=>|return) fetch( [;,)}]|$)|\{ fetch \}(?! [=:])/g) ?? []);
    return [...clients.map(({ target }) => target), ...sockets, ...hidden, ...called, ...handed];
  },

  'the environment is read in config.ts alone': (file) =>
    file.path === 'src/config.ts'
      ? []
      : (codeOf(file).code.match(/process \. env|process \[|import \. meta \. env/g) ?? []),

  'the clock and randomness are made in main.ts alone': (file) =>
    file.path === 'src/main.ts'
      ? []
      : (codeOf(file).code.match(
          /Date \. now|new Date \( \)|Math \. random|randomUUID|randomBytes|getRandomValues|randomInt|hrtime/g,
        ) ?? []),

  'imports point one way': (file) =>
    importsOf(file)
      .filter(({ target }) => !mayImport(file.path, target))
      .map(({ target }) => target),

  'owned tables are reached through owned-rows.ts': (file) => {
    // Elsewhere there is no builder: the first rule sees to that.
    if (!file.path.startsWith('src/store/') || ownedElsewhere[file.path]) return [];
    const { code, strings } = codeOf(file);
    const builders = /\b(selectFrom|insertInto|updateTable|deleteFrom|(?<!sql \. )\w*[jJ]oin) \(/.test(code);
    return builders ? strings.filter((text) => ownedTables.includes(text.split(/[ .]/)[0] ?? '')) : [];
  },

  // Where a statement is written out, no builder adds the user to it.
  'SQL about owned tables names the user': (file) => {
    if (!file.path.startsWith('src/store/owned/')) return [];
    const mentions = new RegExp(`\\b(FROM|JOIN|INTO|UPDATE) (${ownedTables.join('|')})\\b`, 'g');
    return [...file.text.matchAll(mentions)]
      .filter(({ index }) => !/user_?id/i.test(file.text.slice(Math.max(0, index - 200), index + 300)))
      .map(([mention]) => mention);
  },

  // Sync deletes nothing, so every other query would meet what is gone.
  'highlights that were deleted are read in replicas.ts alone': (file) => {
    if (!file.path.startsWith('src/store/') || deletedHighlights[file.path]) return [];
    const tables = 'resources|annotations|comments|notes';
    const written = [...file.text.matchAll(new RegExp(`\\b(FROM|JOIN|UPDATE) (${tables})\\b[^\`]*`, 'g'))]
      .map(([statement]) => statement)
      .filter((statement) => !/deleted_at IS NULL/.test(statement));
    const built = file.text.match(
      new RegExp(`rowsOf\\([^)]*\\)\\s*\\.(select|update|delete)\\(\\s*(kind|child|'(${tables})')`, 'g'),
    );
    const read = importsOf(file).filter(({ target }) => target.endsWith('/highlights/any-rows.ts'));
    return [...written, ...(built ?? []), ...read.map(({ target }) => target)];
  },

  'nothing is longer than 500 lines': (file) => (file.text.split('\n').length > 500 ? [file.path] : []),
};

const fetchedElsewhere: Record<string, string> = {
  'src/library/files/s3-request.ts': "the library's own connection, to the bucket that the operator has set",
  'src/api/listen.ts': 'the name of the function by which Hono is handed a request; nothing goes out',
};

/** Every table with a user_id, as the migrations have them. */
const ownedTables = readMigrations('sqlite')
  .flatMap(({ sql }) => [...sql.matchAll(/CREATE TABLE (\w+) \(([^;]*)\)/g)])
  .filter(([, , columns = '']) => /^\s*user_id\b/m.test(columns))
  .map(([, name = '']) => name);

const ownedElsewhere: Record<string, string> = {
  'src/store/owned/owned-rows.ts': 'it is the door',
  'src/store/credential-store.ts': 'whose a session or token is, is what it finds out',
  'src/store/known-browser-store.ts': 'whose browser it is, is what it finds out before a login',
  'src/store/reader/put-entries.ts': 'a pull writes for every user who follows the address',
  'src/store/reader/prune-entries.ts': 'a pull writes for every user who follows the address',
  'src/store/reader/unread.ts': 'it follows the durable rows of whichever user, and each function names them',
  'src/store/user-store.ts': 'a new password ends the sessions of the user it names',
  'src/store/legacy/detect.ts': 'tables of another program, which have the same names',
  'src/store/legacy/source.ts': 'tables of another program, which have the same names',
  'src/store/legacy/source-sql.ts': 'tables of another program, which have the same names',
  'src/store/legacy/write-entries.ts': 'many rows in a statement, each with the user whose import it is',
  'src/store/search/doc-plan.ts': 'the indexer works for all users: whose a document is, its source says',
  'src/store/search/generation.ts': 'a rebuild makes the tables of search anew, and reads none of their rows',
  'src/store/search/search-index.ts': 'it writes what doc-plan.ts has planned',
  'src/store/search/chunk-index.ts': 'the embedder works for all users, as the indexer does',
  'src/store/search/twins.ts': 'it follows what the indexer writes, for one user after the other',
};

const deletedHighlights: Record<string, string> = {
  'src/store/owned/highlights/replicas.ts': 'it is the door',
  'src/store/owned/highlights/restore-replica.ts': 'the part of it that copies',
  'src/store/owned/highlights/any-rows.ts': 'what the two of them read by',
  'src/store/owned/highlights/live-rows.ts': 'it adds the filter',
  'src/store/research/read-research.ts': 'tables of another program, which have the same names',
};

const layers: Record<string, number> = {
  model: 0,
  store: 1,
  library: 1,
  outbound: 1,
  html: 1,
  parsing: 2.5,
  api: 3,
  cli: 3,
  jobs: 3,
};
const features = ['accounts', 'feeds', 'items', 'mirror', 'highlights', 'deframer', 'search', 'mcp'];
const sharedFeatures = ['items', 'search'];
/** errors.ts and log.ts serve everyone; config.ts is read where programs are put together. */
const commons = ['src/errors.ts', 'src/log.ts', 'src/outage-log.ts'];

function mayImport(from: string, target: string): boolean {
  if (!target.startsWith('src/')) return from !== 'src/model' && !(roomOf(from) === 'model');
  if (from === 'src/main.ts') return true;
  if (commons.includes(target)) return roomOf(from) !== 'model';
  const [here, there] = [roomOf(from), roomOf(target)];
  if (target === 'src/config.ts') return here === 'cli';
  if (here === there) return true;
  if (from === 'src/config.ts' || commons.includes(from)) return there === 'model';
  // The library keeps what the store says has changed; the store knows nothing of the library.
  if (here === 'library' && there === 'store') return true;
  // The command line starts the other two.
  if (here === 'cli' && (there === 'api' || there === 'jobs')) return true;
  if (features.includes(here) && features.includes(there)) return sharedFeatures.includes(there);
  return layerOf(here) > layerOf(there);
}

function roomOf(path: string): string {
  return path.split('/')[1] ?? '';
}

function layerOf(room: string): number {
  if (features.includes(room)) return 2;
  const layer = layers[room];
  if (layer === undefined)
    throw new Error(`src/${room} is not on the map: add it to design and to this test`);
  return layer;
}

describe('the source', () => {
  it.each(Object.keys(rules))('%s', (rule) => {
    const broken = production.flatMap((file) =>
      (rules[rule]?.(file) ?? []).map((found) => `${file.path}: ${found}`),
    );
    expect(broken).toEqual([]);
  });

  it('has a mirror that needs nothing but Web APIs, so that a Worker runs it too', () => {
    const byPath = new Map(production.map((file) => [file.path, file]));
    const reached = new Set<string>();
    const outside: string[] = [];
    const follow = (path: string) => {
      if (reached.has(path)) return;
      reached.add(path);
      for (const { target, typeOnly } of importsOf(byPath.get(path) as SourceFile)) {
        if (typeOnly) continue;
        if (target.startsWith('src/')) follow(target);
        else if (target !== 'entities') outside.push(`${path}: ${target}`);
      }
      if (/\b(process|Buffer)\b/.test(codeOf(byPath.get(path) as SourceFile).code))
        outside.push(`${path}: Node`);
    };
    for (const path of byPath.keys()) if (/^src\/mirror\/[^/]+$/.test(path)) follow(path);
    expect(reached.size).toBeGreaterThan(10);
    expect(outside).toEqual([]);
  });

  it('replaces no row and empties no table by a statement that no trigger sees', () => {
    const files = [
      ...production,
      ...['sqlite', 'postgres'].flatMap((engine) =>
        readMigrations(engine as 'sqlite').map(({ name, sql }) => ({ path: name, text: sql })),
      ),
    ];
    const found = files.filter(({ text }) =>
      /insert\s+or\s+replace|replace\s+into|\btruncate\s+(table\s+)?["\w]+\s*(;|`|'|")/i.test(text),
    );
    expect(found.map((file) => file.path)).toEqual([]);
  });

  it('opens an index in tests through engines.ts alone, so that none runs on one engine unseen', () => {
    const allowed = [
      'migrations.test.ts',
      'sqlite-locks.test.ts',
      'postgres-silence.test.ts',
      'postgres-restart.test.ts',
      'postgres-connections.test.ts',
      'prepared-query.test.ts',
    ];
    const found = sourceFiles('test')
      .filter(({ path }) => !path.startsWith('test/support/') && !allowed.some((name) => path.endsWith(name)))
      .filter(({ text }) => /store\/(open|dialect)/.test(text))
      .filter((file) =>
        importsOf(file).some(
          ({ target, typeOnly }) => !typeOnly && /^src\/store\/(open\.ts|dialect\/)/.test(target),
        ),
      );
    expect(found.map((file) => file.path)).toEqual([]);
  });

  it('has every test file in exactly one level', () => {
    const root = fileURLToPath(new URL('../', import.meta.url));
    const isForeign = (name: string) => name.startsWith('.') || name === 'node_modules' || name === 'dist';
    const tests = globSync('**/*.test.*', { cwd: root, exclude: (path) => isForeign(basename(path)) });
    expect(tests.length).toBeGreaterThan(300);
    const elsewhere = tests.filter((path) => levelsOf(path).length !== 1);
    expect(elsewhere).toEqual([]);
    expect(levelsOf('extension/a.test.ts')).toEqual([]);
    expect(levelsOf('test/e2e/web-reader.test.ts')).toEqual(['browser']);
  });
});

function levelsOf(path: string): string[] {
  const isIn = (globs: readonly string[] = []) => globs.some((glob) => matchesGlob(path, glob));
  return levels.filter(({ include, exclude }) => isIn(include) && !isIn(exclude)).map(({ name }) => name);
}

/** A rule that cannot fail is no rule: each is shown a file that breaks it. */
describe('a file that breaks a rule is found', () => {
  it.each<[rule: string, path: string, text: string]>([
    ['SQL is written in the store alone', 'src/feeds/a.ts', "import { sql } from 'kysely';"],
    ['SQL is written in the store alone', 'src/feeds/a.ts', "run('SELECT id FROM feeds')"],
    ['SQL is written in the store alone', 'src/feeds/a.ts', 'run(`delete from feeds`)'],
    ['the outside world is reached through outbound/ alone', 'src/feeds/a.ts', "await fetch('http://a/')"],
    [
      'the outside world is reached through outbound/ alone',
      'src/feeds/a.ts',
      "import { request } from 'undici';",
    ],
    [
      'the outside world is reached through outbound/ alone',
      'src/feeds/a.ts',
      "const h = await import('node:https');",
    ],
    [
      'the outside world is reached through outbound/ alone',
      'src/feeds/a.ts',
      "import { connect } from 'node:net';",
    ],
    [
      'the outside world is reached through outbound/ alone',
      'src/feeds/a.ts',
      "import { get, ServerResponse } from 'node:http';",
    ],
    ...[
      "import * as net from 'node:net';",
      "import net from 'net';",
      "const { connect } = await import('node:net');",
      "const net = process.getBuiltinModule('net');",
      "const http = createRequire(import.meta.url)('http');",
      "export { connect } from 'node:net';",
      "import { lookup } from 'node:dns/promises';",
      "import { connect } from 'node:tls';",
      'const client = new OpenAI({ fetch });',
      'discover(url, { fetch: fetch })',
      'const send = given ?? fetch;',
      "new WebSocket('ws://a/')",
    ].map((text): [string, string, string] => [
      'the outside world is reached through outbound/ alone',
      'src/feeds/a.ts',
      text,
    ]),
    ['the environment is read in config.ts alone', 'src/feeds/a.ts', 'const home = process.env.HOME;'],
    ['the environment is read in config.ts alone', 'src/feeds/a.ts', "const home = process['env'].HOME;"],
    ['the clock and randomness are made in main.ts alone', 'src/feeds/a.ts', 'const at = Date.now();'],
    ['the clock and randomness are made in main.ts alone', 'src/feeds/a.ts', 'const at = new Date();'],
    [
      'the clock and randomness are made in main.ts alone',
      'src/feeds/a.ts',
      "import { randomUUID } from 'node:crypto';",
    ],
    ['imports point one way', 'src/store/a.ts', "import { x } from '../feeds/b.ts';"],
    ['imports point one way', 'src/feeds/a.ts', "import { x } from '../api/app.ts';"],
    ['imports point one way', 'src/feeds/a.ts', "import { x } from '../mirror/b.ts';"],
    ['imports point one way', 'src/store/a.ts', "import type { Files } from '../library/files.ts';"],
    ['imports point one way', 'src/accounts/a.ts', "import { readConfig } from '../config.ts';"],
    ['imports point one way', 'src/model/a.ts', "import { join } from 'node:path';"],
    [
      'owned tables are reached through owned-rows.ts',
      'src/store/a.ts',
      "db.selectFrom('groups').selectAll()",
    ],
    [
      'owned tables are reached through owned-rows.ts',
      'src/store/a.ts',
      "q.innerJoin('tokens as t', 'a', 'b')",
    ],
    [
      'SQL about owned tables names the user',
      'src/store/owned/a.ts',
      'sql`SELECT id FROM entries WHERE id = 1`',
    ],
    ['nothing is longer than 500 lines', 'src/feeds/a.ts', '\n'.repeat(501)],
  ])('%s (%s: %s)', (rule, path, text) => {
    expect(rules[rule]?.({ path, text })).not.toEqual([]);
  });

  it('and one that keeps them is not', () => {
    const text =
      "import { save } from '../items/save-url.ts';\nimport { NotFound } from '../errors.ts';\n// process.env, fetch()";
    for (const rule of Object.values(rules)) expect(rule({ path: 'src/feeds/a.ts', text })).toEqual([]);
  });
});
