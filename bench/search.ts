// Search as the API asks for it (one user's documents, the newest matches of common words, the rows of the hits),
// compared with bare FTS5 on the same data in the same run: a table of its own, one statement, bm25 over every match.
// Both run on a reader thread, as anything must that may take long. All three sizes take a quarter of an hour;
// `npm run bench -- search 100000` has one.

import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { CompiledQuery } from 'kysely';
import type { SearchKind, SearchSources, SearchText } from '../src/model/search.ts';
import { createIndexer } from '../src/search/index-pending.ts';
import { createMeaning, type Meaning } from '../src/search/meaning/meaning.ts';
import { type SearchMode, searchLibrary } from '../src/search/search-library.ts';
import { findText, understand } from '../src/search/search-text.ts';
import type { Database } from '../src/store/database.ts';
import { openSqlite } from '../src/store/dialect/sqlite/connection.ts';
import { ReaderThread } from '../src/store/dialect/sqlite/reader-thread-client.ts';
import { openDatabase } from '../src/store/open.ts';
import { createStore, type Store } from '../src/store/store.ts';
import { percentile } from './load.ts';
import { createSyntheticEmbedder, fillChunks } from './synthetic-meaning.ts';

const usualSizes = [10_000, 100_000, 500_000];
const wordsPerDoc = 300;
const vocabulary = 30_000;
const shown = 20;
const rounds = 25;
/** Written in short transactions with pauses, as beside others: enough to tell how fast that is. */
const mostPolitely = 10_000;
/** Of bare FTS5: at most so many times its time, and at least this part of its rate. */
const goals = { ratio: 1.5, indexing: 0.5, slowestMs: 200 };

/** By rank: word n is used about as often as 1 / (n + 3), as in a language. */
const groups: Record<string, readonly (readonly number[])[]> = {
  rare: [[12_000], [16_000], [20_000], [24_000], [28_000]],
  middling: [[600], [800], [1_000], [1_500], [2_000]],
  common: [[0], [2], [10], [30], [60]],
  'two words': [
    [2, 600],
    [10, 60],
    [60, 1_500],
    [600, 800],
    [0, 2],
  ],
};

export async function run(args: readonly string[]): Promise<boolean> {
  const sizes = args.length > 0 ? args.map(Number) : usualSizes;
  let met = true;
  const p50s: Record<string, number[]> = {};
  for (const docs of sizes) {
    const { isMet, p50 } = await runSize(docs);
    met = isMet && met;
    for (const [group, time] of Object.entries(p50)) {
      p50s[group] ??= [];
      p50s[group].push(time);
    }
  }
  if (sizes.length > 1) {
    process.stdout.write(`\ngrowth of p50, ${sizes.join(' -> ')} documents\n`);
    for (const [group, times] of Object.entries(p50s))
      process.stdout.write(`  ${group.padEnd(12)}${times.map(ms).join(' -> ')}\n`);
  }
  return met;
}

async function runSize(docs: number) {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-bench-'));
  const path = join(folder, 'index.db');
  seed = 1;
  const database = await openDatabase({ engine: 'sqlite', path }, { now: Date.now, onIdleError: () => {} });
  const store = createStore(database, Date.now);
  const bare = await openBare(join(folder, 'bare.db'));
  const thread = new ReaderThread(join(folder, 'bare.db'));
  try {
    const user = await store.users.create({ username: 'owner', passwordHash: null, role: 'owner' });
    const writing = await fill({ store, database, bare, docs }, user.id);
    const rate = writing.alone / writing.bare;
    const size = (name: string) => `${(statSync(join(folder, name)).size / docs / 1024).toFixed(2)} KB`;
    const words = size('index.db');
    const vectors = await timed(() => fillChunks(path, { userId: user.id }));
    const meaning = createMeaning({ store, embedder: createSyntheticEmbedder() });
    const first = await timed(() => meaning.find({ userId: user.id, text: 'anything', limit: shown }));
    process.stdout.write(
      `\nsearch over ${docs} documents of ${wordsPerDoc} words\n` +
        `  indexing    ${writing.alone.toFixed(0)} documents/s, bare inserts ${writing.bare.toFixed(0)}/s: ` +
        `${rate.toFixed(2)} (goal: at least ${goals.indexing}, ${rate >= goals.indexing ? 'met' : 'MISSED'})\n` +
        `              ${writing.politely.toFixed(0)} documents/s beside others, in short transactions with pauses\n` +
        `  size        ${words} for a document, ${size('index.db')} with a vector of 512 bytes, bare ${size('bare.db')}\n` +
        `  memory      ${(process.memoryUsage.rss() / 2 ** 20).toFixed(0)} MB resident, ${docs} vectors among it; ` +
        `those are written in ${(vectors / 1_000).toFixed(1)} s and read by the first question in ${ms(first)}\n\n` +
        '  p50 (p95)     in documents                   bare                   text  ratio         text, facets                 hybrid  ratio\n',
    );
    let isMet = rate >= goals.indexing;
    const p50: Record<string, number> = {};
    for (const group of Object.keys(groups)) {
      const compared = await compare({ store, meaning, bare, thread, userId: user.id, docs }, group);
      isMet = compared.isMet && isMet;
      p50[group] = compared.p50;
      p50[`${group}, hybrid`] = compared.hybrid;
    }
    await meaning.close();
    isMet = (await showOthers(store, user.id, docs)) && isMet;
    return { isMet, p50 };
  } finally {
    await thread.close();
    bare.close();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Alternates between them, so that a machine that is busy for a moment disturbs all. */
async function compare({ store, meaning, bare, thread, userId, docs }: Contestants, group: string) {
  const count = bare.prepare('SELECT count(*) AS n FROM terms WHERE terms MATCH ?');
  const asked = (groups[group] ?? []).map((words) => words.map(wordOf));
  const all = { bare: new Times(), text: new Times(), facets: new Times(), hybrid: new Times() };
  let matches = 0;
  for (const words of asked) {
    const match = words.map((word) => `"${word}"`).join(' AND ');
    const q = words.join(' ');
    const statement = CompiledQuery.raw(bareSearch, [match]);
    for (const times of Object.values(all)) times.begin();
    for (let round = 0; round < rounds; round++) {
      await all.bare.add(() => thread.executeQuery(statement));
      await all.text.add(() => find(store, userId, q));
      await all.facets.add(() => firstPage({ store }, userId, q, 'text'));
      await all.hybrid.add(() => firstPage({ store, meaning }, userId, q, 'hybrid'));
    }
    matches += Number(count.get(match)?.n);
  }
  const ratio = all.text.p50 / all.bare.p50;
  const isMet = ratio <= goals.ratio;
  const share = `${((matches / asked.length / docs) * 100).toFixed(2)} %`;
  process.stdout.write(
    `  ${group.padEnd(12)}${share.padStart(14)}${all.bare}${all.text}${ratio.toFixed(2).padStart(7)}${all.facets}${all.hybrid}` +
      `${(all.hybrid.p50 / all.bare.p50).toFixed(2).padStart(7)}  (goal for text: at most ${goals.ratio}, ${isMet ? 'met' : 'MISSED'})\n`,
  );
  return { isMet, p50: all.text.p50, hybrid: all.hybrid.p50 };
}

/** Of several questions: p50 is the mean of theirs, p95 that of the slowest. */
class Times {
  readonly #ofQuestions: number[][] = [];

  begin(): void {
    this.#ofQuestions.push([]);
  }

  async add(work: () => Promise<unknown>): Promise<void> {
    this.#ofQuestions.at(-1)?.push(await timed(work));
  }

  get p50(): number {
    return (
      this.#ofQuestions.reduce((sum, times) => sum + percentile(times, 0.5), 0) / this.#ofQuestions.length
    );
  }

  get p95(): number {
    return Math.max(...this.#ofQuestions.map((times) => percentile(times, 0.95)));
  }

  toString(): string {
    return `${ms(this.p50)} (${ms(this.p95)})`.padStart(23);
  }
}

interface Contestants {
  readonly store: Store;
  readonly meaning: Meaning;
  readonly bare: DatabaseSync;
  readonly thread: ReaderThread;
  readonly userId: number;
  readonly docs: number;
}

const find = async (store: Store, userId: number, q: string) =>
  findText({ store }, await understand({ store }, { userId, q, at: benchNow }), { limit: shown });

/** As the API answers: with facets and snippets. The model's own time, which is not the index's, is not in it. */
const firstPage = (
  deps: { readonly store: Store; readonly meaning?: Meaning },
  userId: number,
  q: string,
  mode: SearchMode,
) =>
  searchLibrary({ ...deps, sources: shownSources, now: () => benchNow }, { userId, q, mode, limit: shown });

/** What is shown of a hit is a document like any other. */
const shownSources = new Proxy({} as SearchSources, {
  get: (_, kind: SearchKind) => ({
    kind,
    list: async () => [],
    read: async (refIds: readonly number[]) =>
      refIds.map((refId) => ({ ...shownDoc, refId, url: `https://example.org/${refId}` })),
  }),
});

/** What the other ways to ask take, the slow ones above all: p95 has a goal at the usual size. */
async function showOthers(store: Store, userId: number, docs: number): Promise<boolean> {
  const [a, b, c, rare] = [2, 10, 600, 20_000].map(wordOf);
  const common = Array.from({ length: 32 }, (_, n) => wordOf(n));
  const asked = {
    'a phrase of two common words': `"${a} ${b}"`,
    'a middling word without a common one': `${c} -${b}`,
    'a prefix of three letters': `${wordOf(20_000).slice(0, 3)}*`,
    '32 common words, any of them': common.join(' OR '),
    '32 common words, all of them': common.join(' '),
    'a rare word without 31 common ones': `${rare} ${common
      .slice(0, 31)
      .map((word) => `-${word}`)
      .join(' ')}`,
    'a common word, one kind': `${a} kind:entry`,
    'a common word, a tag of 1 %': `${a} tag:t7`,
    'a common word, a rare tag': `${a} tag:rare`,
    'a common word, a site': `${a} site:example.org`,
    'a common word, a feed by a part of its name': `${a} feed:3`,
    'a common word in titles': `${a} in:title`,
    'a common word, one old month': `${a} after:2020-10 before:2020-11`,
    'a common word, unread, which few are': `${a} is:unread`,
    'a common word, not unread': `${a} -is:unread`,
    'unread alone, which few are': 'is:unread',
    'all but a tag': '-tag:t7',
    'a tag alone': 'tag:t7',
    'all before a year': 'before:2021',
  };
  process.stdout.write('\n');
  let isMet = true;
  for (const [what, q] of Object.entries(asked)) {
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) times.push(await timed(() => find(store, userId, q)));
    const p95 = percentile(times, 0.95);
    const isSlow = docs <= 100_000 && p95 > goals.slowestMs;
    if (isSlow) isMet = false;
    process.stdout.write(
      `  ${what.padEnd(46)}p50 ${ms(percentile(times, 0.5))}, p95 ${ms(p95)}${isSlow ? ` (goal: at most ${goals.slowestMs} ms, MISSED)` : ''}\n`,
    );
  }
  return isMet;
}

const bareSearch = `
  SELECT docs.id, docs.title, hits.score
  FROM (SELECT rowid AS id, bm25(terms, 10.0, 1.0) AS score FROM terms WHERE terms MATCH ? ORDER BY score LIMIT ${shown}) AS hits
  JOIN docs ON docs.id = hits.id ORDER BY hits.score`;

async function openBare(path: string): Promise<DatabaseSync> {
  const db = await openSqlite(path, 'write');
  db.exec(`
    CREATE TABLE docs (id INTEGER PRIMARY KEY, title TEXT NOT NULL) STRICT;
    CREATE VIRTUAL TABLE terms USING fts5 (title, text, content = '', contentless_delete = 1, tokenize = 'ascii');`);
  return db;
}

async function fill(
  { store, database, bare, docs }: { store: Store; database: Database; bare: DatabaseSync; docs: number },
  userId: number,
) {
  const insertDoc = bare.prepare('INSERT INTO docs VALUES (?, ?)');
  const insertTerms = bare.prepare('INSERT INTO terms (rowid, title, text) VALUES (?, ?, ?)');
  const spent = { politely: 0, alone: 0, bare: 0 };
  const made = new Map<number, SearchText>();
  const source = {
    kind: 'entry',
    read: async (refIds: readonly number[]) => refIds.flatMap((id) => made.get(id) ?? []),
    list: async () => [],
  };
  const { searchIndex, leases } = store;
  const indexers = {
    politely: createIndexer({ searchIndex, leases, sources: [source] }, 'bench'),
    alone: createIndexer({ searchIndex, leases, sources: [source], alone: true }, 'bench'),
  };
  const perRound = Math.min(5_000, docs / 2);
  let politely = 0;
  for (let first = 1; first <= docs; first += perRound) {
    made.clear();
    for (let id = first; id < first + perRound; id++) made.set(id, makeDoc(id, userId));
    spent.bare += await timed(async () => {
      bare.exec('BEGIN');
      for (const { refId, title, text } of made.values()) {
        insertDoc.run(refId, title);
        insertTerms.run(refId, title, text);
      }
      bare.exec('COMMIT');
    });
    await searchIndex.note('entry', [...made.keys()]);
    const how = first <= Math.min(mostPolitely, docs / 2) ? 'politely' : 'alone';
    if (how === 'politely') politely += perRound;
    const isLast = first + perRound > docs;
    spent[how] += await timed(async () => {
      while (await indexers[how].look());
      if (isLast) await searchIndex.settle({ alone: true });
    });
    await store.tidy('light');
  }
  await fillReader(database, userId, docs);
  bare.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  await store.tidy('thorough');
  await pause(100);
  const rate = (count: number, took: number) => (count / took) * 1_000;
  return {
    politely: rate(politely, spent.politely),
    alone: rate(docs - politely, spent.alone),
    bare: rate(docs, spent.bare),
  };
}

/** Twenty feeds, and a few entries that are unread: the oldest and the newest, so that none are saved by their dates. */
async function fillReader(database: Database, userId: number, docs: number): Promise<void> {
  await database.write(async (trx) => {
    const group = await trx.selectFrom('groups').select('id').executeTakeFirstOrThrow();
    const none = { gone_at: null, moved_at: null, keep_entries: null, deleted_at: null };
    for (let id = 1; id <= 20; id++)
      await trx
        .insertInto('feeds')
        .values({
          id,
          user_id: userId,
          group_id: group.id,
          name: `Feed ${id}`,
          link: `https://example.org/${id}`,
          site_url: '',
          created_at: 0,
          updated_at: 0,
          ...none,
        })
        .execute();
    for (const n of Array.from({ length: 50 }, (_, at) => at + 1).flatMap((at) => [at, docs + 1 - at]))
      await trx
        .insertInto('unread_entries')
        .values({ user_id: userId, pub_date: publishedAt(n), entry_id: n, feed_id: 1, group_id: group.id })
        .execute();
  });
}

const publishedAt = (refId: number) => 1_600_000_000_000 + refId * 90_000;
const benchNow = 1_700_000_000_000;

const cumulated = new Float64Array(vocabulary);
for (let n = 0, sum = 0; n < vocabulary; n++) {
  sum += 1 / (n + 3);
  cumulated[n] = sum;
}
const wordOf = (n: number) => `w${n.toString(36)}`;
const words = Array.from({ length: vocabulary }, (_, n) => wordOf(n));
let seed = 1;

/** Always the same documents: what is compared from one day to the next should not depend on luck. */
function pickWord(): string {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  const wanted = (seed / 2 ** 32) * (cumulated[vocabulary - 1] as number);
  let [low, high] = [0, vocabulary - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((cumulated[middle] as number) < wanted) low = middle + 1;
    else high = middle;
  }
  return words[low] as string;
}

function makeDoc(refId: number, userId: number): SearchText {
  const text = Array.from({ length: wordsPerDoc }, pickWord).join(' ');
  const title = Array.from({ length: 6 }, pickWord).join(' ');
  return {
    userId,
    refId,
    title,
    text,
    url: `https://example.org/${refId}`,
    urlKey: `1:example.org/${refId}`,
    site: 'example.org',
    publishedAt: publishedAt(refId),
    facts: {
      tags: [`t${refId % 100}`, ...(refId % 5_000 === 0 ? ['rare'] : [])],
      author: `Author ${wordOf(refId % 500)}`,
      lang: refId % 3 === 0 ? 'de' : 'en',
      feedId: (refId % 20) + 1,
    },
  };
}

const shownDoc = makeDoc(1, 1);

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

const ms = (value: number) => `${value.toFixed(2)} ms`;
