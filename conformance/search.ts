// How well the hundred written queries are answered over the fixed set of 2,000 documents, by words, by meaning, and by
// both, with the model that comes with Lectern. It needs no folder, and takes some minutes: every passage is embedded.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Secret } from '../src/model/secret.ts';
import { createEmbedFollower, embedEverything } from '../src/search/meaning/embed-pending.ts';
import type { Embedder } from '../src/search/meaning/embedder.ts';
import { createLocalEmbedder } from '../src/search/meaning/local-embedder.ts';
import { createMeaning } from '../src/search/meaning/meaning.ts';
import { type SearchMode, searchLibrary } from '../src/search/search-library.ts';
import { queryOf, tellingWords } from '../src/search/telling-words.ts';
import { openDatabase, type Target } from '../src/store/open.ts';
import { createStore } from '../src/store/store.ts';
import { startPostgres } from '../test/support/postgres-server.ts';
import { setNow } from '../test/support/quality/documents.ts';
import { placeDocuments } from '../test/support/quality/place-documents.ts';
import { queries } from '../test/support/quality/queries.ts';
import { questions } from '../test/support/quality/questions.ts';

type Print = (line: string) => void;

/** Over text alone, on the questions in other words. */
const goal = 1.15;
const shown = 10;

interface Asked {
  readonly q: string;
  readonly wanted: readonly string[];
}

interface Mean {
  /** The share of what is wanted that is among the first ten, of as many as ten have room for. */
  readonly recall: number;
  /** One over the place of the first that is wanted; 0 where none is among the first ten. */
  readonly mrr: number;
}

const inWords: readonly Asked[] = queries
  .filter(({ finds }) => finds.length > 0)
  .map(({ q, finds }) => ({ q, wanted: finds }));
const inOtherWords: readonly Asked[] = questions.map(({ q, answers }) => ({ q, wanted: answers }));
/** What is chosen in search is chosen by the first half, and believed by the second. */
const halves = [0, 1].map((half) => inOtherWords.filter((_, n) => n % 2 === half));

export async function checkSearch(print: Print): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-conformance-'));
  const postgres = await startPostgres();
  const embedder = rememberingEmbedder(createLocalEmbedder());
  try {
    await postgres.createDatabase('quality');
    const url = postgres.urlOf('quality');
    const targets: readonly Target[] = [
      { engine: 'sqlite', path: join(folder, 'index.db') },
      { engine: 'postgres', url: new Secret(url), shown: url },
    ];
    let isMet = true;
    for (const target of targets) isMet = (await checkEngine(target, embedder, print)) && isMet;
    return isMet ? 0 : 1;
  } finally {
    await embedder.close();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function checkEngine(target: Target, embedder: Embedder, print: Print): Promise<boolean> {
  const database = await openDatabase(target, { now: () => setNow, onIdleError: () => {} });
  const store = createStore(database, () => setNow);
  const meaning = createMeaning({ store, embedder: { ...embedder, close: async () => {} } });
  try {
    const { userId, sources, nameOf } = await placeDocuments(store, database);
    const follower = createEmbedFollower(
      { ...store, sources: Object.values(sources), embedder, alone: true },
      'conformance',
    );
    await embedEverything(follower, new AbortController().signal, ({ documents, pending }) =>
      print(`${target.engine}: ${documents - pending} of ${documents} documents are embedded`),
    );
    const deps = { store, sources, now: () => setNow, meaning };
    const find = async (q: string, mode: SearchMode) => {
      const { hits } = await searchLibrary(deps, { userId, q, mode, limit: shown });
      return hits.map(nameOf);
    };
    return await report(target.engine, find, print);
  } finally {
    await meaning.close();
    await store.close();
  }
}

async function report(
  engine: string,
  find: (q: string, mode: SearchMode) => Promise<string[]>,
  print: Print,
): Promise<boolean> {
  const ways = {
    text: (q: string) => find(q, 'text'),
    'text, any word': (q: string) => find(queryOf(tellingWords(q), 'any'), 'text'),
    semantic: (q: string) => find(q, 'semantic'),
    hybrid: (q: string) => find(q, 'hybrid'),
  };
  print(`\n${engine}: recall@${shown} and mean reciprocal rank`);
  print(row('', [`${inWords.length} in words`, `${inOtherWords.length} in others`, 'odd ones', 'even ones']));
  const recalls: Record<string, { words: number; others: number }> = {};
  for (const [name, way] of Object.entries(ways)) {
    const lists = new Map<Asked, readonly string[]>();
    for (const asked of [...inWords, ...inOtherWords]) lists.set(asked, await way(asked.q));
    const means = [inWords, inOtherWords, ...halves].map((some) => meanOf(some, lists));
    // The language of queries is lost on the way: it says nothing of those.
    const isBaseline = name === 'text, any word';
    print(
      row(
        name,
        means.map(({ recall, mrr }, n) => (isBaseline && n === 0 ? '' : `${two(recall)}  ${two(mrr)}`)),
      ),
    );
    recalls[name] = { words: means[0]?.recall ?? 0, others: means[1]?.recall ?? 0 };
    if (name === 'hybrid') printMissed(lists, print);
  }
  const of = (name: keyof typeof ways) => recalls[name] ?? { words: 0, others: 0 };
  const hybrid = of('hybrid');
  const met = [
    ...(['text', 'text, any word'] as const).map((name) => {
      const least = of(name).others * goal;
      return judge(
        `hybrid on the ${inOtherWords.length}, at least ${goal} times ${name}`,
        hybrid.others > 0 && hybrid.others >= least,
        `${two(hybrid.others)}, ${two(of(name).others)}`,
      );
    }),
    judge(
      `hybrid on the ${inWords.length}, no less than text`,
      hybrid.words >= of('text').words,
      `${two(hybrid.words)}, ${two(of('text').words)}`,
    ),
  ];
  return met.every(Boolean);

  function judge(what: string, isMet: boolean, figures: string): boolean {
    print(`goal: ${what}: ${figures} (${isMet ? 'met' : 'MISSED'})`);
    return isMet;
  }
}

function printMissed(lists: ReadonlyMap<Asked, readonly string[]>, print: Print): void {
  for (const [{ q, wanted }, list] of lists) {
    const missing = wanted.filter((name) => !list.includes(name));
    if (missing.length > 0 && wanted.length <= shown)
      print(`  not among ${shown}: ${missing.join(', ')} for "${q}"`);
  }
}

function meanOf(some: readonly Asked[], lists: ReadonlyMap<Asked, readonly string[]>): Mean {
  let [recall, mrr] = [0, 0];
  for (const asked of some) {
    const list = lists.get(asked) ?? [];
    const found = asked.wanted.filter((name) => list.includes(name)).length;
    recall += found / Math.min(shown, asked.wanted.length) / some.length;
    const place = list.findIndex((name) => asked.wanted.includes(name));
    mrr += place < 0 ? 0 : 1 / (place + 1) / some.length;
  }
  return { recall, mrr };
}

/** The second engine is given the same texts. */
function rememberingEmbedder(embedder: Embedder): Embedder {
  const known = new Map<string, Float32Array>();
  return {
    ...embedder,
    async embed(texts, signal) {
      const missing = [...new Set(texts.filter((text) => !known.has(text)))];
      const vectors = await embedder.embed(missing, signal);
      for (const [n, text] of missing.entries()) known.set(text, vectors[n] as Float32Array);
      return texts.map((text) => known.get(text) as Float32Array);
    },
  };
}

const two = (value: number) => value.toFixed(3);

function row(name: string, cells: readonly string[]): string {
  return `  ${name.padEnd(16)}${cells.map((cell) => cell.padEnd(16)).join('')}`.trimEnd();
}
