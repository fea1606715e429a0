// The levels of the suite, cheapest first. Each is a vitest project, and every test file belongs to exactly one
// (test/architecture.test.ts checks that). A test lives at the cheapest level at which it can fail.

export interface Level {
  readonly name: 'unit' | 'store' | 'http' | 'process' | 'browser' | 'deep';
  readonly include: readonly string[];
  readonly exclude?: readonly string[];
  /** Engines that `npm test` runs its suites on. `npm run test:deep` always runs both. */
  readonly engines: readonly ('sqlite' | 'postgres')[];
  /** True if each file needs a worker process of its own. */
  readonly isolate: boolean;
  readonly usesBrowser?: true;
  readonly timeoutMs: number;
}

const bothEngines = ['sqlite', 'postgres'] as const;
/**
 * Suites next to the code they test that are no unit tests: they use files, databases, servers or threads, or have a test that
 * takes half a second, for many megabytes or many random cases. On a busy machine that exceeds the limit of a unit test.
 */
const besideTheirSource = [
  'src/library/files/*.test.ts',
  'src/store/**/*.test.ts',
  'src/parsing/parser.test.ts',
  'src/deframer/local/local-analyzer.test.ts',
  'src/feeds/opml/parse-opml.test.ts',
  'src/highlights/import/{import-kinds,parse-kindle-clippings}.test.ts',
  'src/items/url-identity-properties.test.ts',
  'src/search/{cut-snippet,parse-query}.test.ts',
];

export const levels: readonly Level[] = [
  {
    // Pure code: no database, no process, no network.
    name: 'unit',
    include: ['src/**/*.test.ts', 'test/*.test.ts', 'test/web/**/*.test.ts'],
    exclude: [...besideTheirSource],
    engines: [],
    isolate: false,
    timeoutMs: 5_000,
  },
  {
    // Features in this process, on real indexes, files and loopback servers.
    name: 'store',
    include: [
      ...besideTheirSource,
      'test/{contract,deframer,feeds,highlights,items,legacy,library,mirror,outbound,search}/**/*.test.ts',
    ],
    engines: bothEngines,
    isolate: false,
    timeoutMs: 120_000,
  },
  {
    // Requests to the API, in this process.
    name: 'http',
    include: ['test/{api,mcp}/**/*.test.ts'],
    engines: ['sqlite'],
    isolate: false,
    timeoutMs: 120_000,
  },
  {
    // The program as a process, or several of them; workerd.
    name: 'process',
    include: ['test/e2e/**/*.test.ts', 'test/cloudflare/**/*.test.ts'],
    exclude: ['test/e2e/web-*.test.ts'],
    engines: ['sqlite'],
    isolate: true,
    timeoutMs: 120_000,
  },
  {
    // The main journeys through the web app, in a real browser.
    name: 'browser',
    include: ['test/e2e/web-*.test.ts'],
    engines: ['sqlite'],
    isolate: false,
    usesBrowser: true,
    timeoutMs: 120_000,
  },
  {
    // Only in `npm run test:deep`: attack corpora, large sizes, real clients, the other browser suites.
    name: 'deep',
    include: ['test/deep/**/*.test.ts'],
    engines: bothEngines,
    isolate: true,
    usesBrowser: true,
    timeoutMs: 120_000,
  },
];
