// Feeds for the deframer as they look after some weeks: most of them well, one dead, one disabled, and articles that were
// weighed. Goes in by the store, before anything else works on it.
import { randomUUID } from 'node:crypto';
import { itemHash } from '../src/deframer/item-hash.ts';
import type { Analysis, Category, ScoreName } from '../src/model/deframer.ts';
import type { Store } from '../src/store/store.ts';

export interface DemoArticle {
  readonly url: string;
  readonly original: string;
  readonly neutral: string;
  readonly minutesAgo: number;
  readonly scores: Readonly<Record<ScoreName | 'overall', number>>;
  readonly category: Category;
  readonly why?: string;
}

export interface DemoDeframerFeed {
  readonly url: string;
  readonly rootDomain?: string;
  readonly disabled?: boolean;
  readonly once?: boolean;
  readonly neverRun?: boolean;
  readonly error?: string;
  readonly note?: string;
  readonly prompt?: string;
  readonly anyHost?: boolean;
  readonly running?: boolean;
  readonly nextMinutes?: number;
  readonly articles?: readonly DemoArticle[];
}

type Scores = DemoArticle['scores'];
const scores = (
  framing: number,
  clickbait: number,
  persuasive: number,
  hyper_stimulus: number,
  speculative: number,
  overall: number,
): Scores => ({ framing, clickbait, persuasive, hyper_stimulus, speculative, overall });

/** What a site calls its articles, and what became of that. `at` makes an address of a number. */
export const demoNews = (at: (n: number) => string): DemoArticle[] => [
  {
    url: at(1),
    original: 'You won’t BELIEVE what the harbour council did to its last ferry',
    neutral: 'Harbour council sells its last ferry to a museum',
    minutesAgo: 14,
    scores: scores(0.35, 0.95, 0.1, 0.8, 0.15, 0.82),
    category: 'politics',
    why: 'The title holds back the sale and plays on outrage; the text is a plain report.',
  },
  {
    url: at(2),
    original: 'Experts in shock: will this be the end of the orchard as we know it?',
    neutral: 'Study expects fewer frost-free nights for orchards in the valley by 2040',
    minutesAgo: 55,
    scores: scores(0.4, 0.6, 0.1, 0.65, 0.7, 0.61),
    category: 'environment',
    why: 'A forecast is told as a fact, and the number stands only in the last paragraph.',
  },
  {
    url: at(3),
    original: 'Library extends its evening hours from Monday',
    neutral: 'Library extends its evening hours from Monday',
    minutesAgo: 180,
    scores: scores(0.02, 0.0, 0.05, 0.0, 0.0, 0.02),
    category: 'culture',
    why: 'A sober report.',
  },
  {
    url: at(4),
    original: 'The one simple habit that doctors hope everybody will finally adopt this winter',
    neutral: 'Doctors’ association recommends airing rooms twice a day in winter',
    minutesAgo: 420,
    scores: scores(0.2, 0.7, 0.45, 0.2, 0.1, 0.41),
    category: 'health',
    why: 'The habit is named only in the text; otherwise it informs and recommends.',
  },
];

/** The feeds of the page. */
export const demoDeframerFeeds: readonly DemoDeframerFeed[] = [
  {
    url: 'https://www.morning-wire.example/rss/world.xml',
    nextMinutes: 25,
    articles: demoNews((n) => `https://www.morning-wire.example/world/${n}`),
  },
  {
    url: 'https://feeds.harbour-post.example/news/local/latest.rss?format=full&edition=evening',
    error:
      'The server answered 503 (Service Unavailable) three times within ten minutes, the last time after 30 seconds: https://feeds.harbour-post.example/news/local/latest.rss?format=full&edition=evening',
    articles: demoNews((n) => `https://harbour-post.example/local/${n}`).slice(1, 3),
  },
  {
    url: 'https://valley-courier.example/feed/',
    nextMinutes: 12,
    note: '3 of 20 articles were left out: they are on another host.',
    articles: demoNews((n) => `https://valley-courier.example/${n}`).slice(0, 3),
  },
  { url: 'https://www.the-quiet-observer.example/atom.xml', neverRun: true, anyHost: true },
  { url: 'https://markets.example/rss', disabled: true },
  {
    url: 'https://science-weekly.example/feed.xml',
    once: true,
    prompt: 'You weigh reports about science. A forecast with its range is no speculation.',
    articles: demoNews((n) => `https://science-weekly.example/${n}`).slice(2),
  },
];

/** The clock of the store is moved along: what was used belongs to its day. */
export async function fillDeframer(
  store: Store,
  clock: { now(): number; advance(millis: number): void },
  feeds: readonly DemoDeframerFeed[],
  { price = 0 }: { price?: number } = {},
): Promise<void> {
  const now = clock.now();
  const goTo = (at: number) => clock.advance(at - clock.now());
  const ids: string[] = [];
  for (const [n, feed] of feeds.entries()) {
    // One after the other: the page shows them in this order.
    goTo(now - (feeds.length - n) * 60_000);
    ids.push(await addDemoFeed(store, feed, now));
  }
  const [first] = ids;
  for (let days = 29; days >= 0 && first; days--) {
    goTo(now - days * 86_400_000);
    const tokensIn = Math.round(14_000 * (1 + Math.sin(days * 1.7) * 0.6) * (days % 7 === 2 ? 0.2 : 1));
    const tokensOut = Math.round(tokensIn / 6);
    const costMicros = price > 0 ? Math.round(price * (tokensIn + 4 * tokensOut)) : null;
    if (price > 0) await store.deframeRuns.noteUsage(first, { calls: 20, tokensIn, tokensOut, costMicros });
  }
  goTo(now);
}

async function addDemoFeed(store: Store, feed: DemoDeframerFeed, now: number): Promise<string> {
  const id = randomUUID();
  const { hostname } = new URL(feed.url);
  await store.deframerFeeds.add({
    id,
    url: feed.url,
    rootDomain: feed.rootDomain ?? hostname.split('.').slice(-2).join('.'),
    enforceFeedDomain: !feed.anyHost,
  });
  const polling = !feed.once;
  await store.deframerFeeds.change(id, { enabled: true, polling, prompt: feed.prompt ?? null });
  if (!feed.neverRun && !feed.disabled) await runOnce(store, id, feed, now);
  if (feed.disabled) await store.deframerFeeds.change(id, { enabled: false });
  return id;
}

const ttlMs = 600_000;

async function runOnce(store: Store, id: string, feed: DemoDeframerFeed, now: number): Promise<void> {
  await store.deframerFeeds.sync(id);
  const lease = await store.deframeRuns.acquire({ ttlMs });
  if (lease?.feedId !== id) throw new Error('somebody else works on the demo');
  for (const article of feed.articles ?? [])
    await store.deframeRuns.putItem(
      lease,
      {
        id: randomUUID(),
        hash: itemHash(article.url),
        url: article.url,
        analysis: analysisOf(article),
        analysisKey: article.url,
        content: '',
        author: '',
        pubDate: now - article.minutesAgo * 60_000,
        usage: { calls: 0, tokensIn: 0, tokensOut: 0, costMicros: 0 },
      },
      ttlMs,
    );
  if (feed.running) return;
  await store.deframeRuns.finish(lease, {
    error: feed.error,
    note: feed.note,
    intervalMs: (feed.nextMinutes ?? 30) * 60_000,
    ...(feed.error === undefined && {
      built: { xmlHeader: '', itemRefs: [], xmlContent: '<rss/>', updatedAt: now },
    }),
  });
}

function analysisOf({ original, neutral, scores, category, why = '' }: DemoArticle): Analysis {
  const say = (score: number, high: string, low: string) => (score >= 0.5 ? high : low);
  return {
    ...scores,
    framing_reason: say(scores.framing, 'One side stands in the foreground.', 'The sides are named alike.'),
    clickbait_reason: say(scores.clickbait, 'Holds back what happened.', 'Says what happened.'),
    persuasive_reason: say(scores.persuasive, 'Informs and recommends.', 'Asks for nothing.'),
    hyper_stimulus_reason: say(scores.hyper_stimulus, 'Capitals, and outrage ahead of the matter.', 'Calm.'),
    speculative_reason: say(
      scores.speculative,
      'A guess is told as if it were known.',
      'Facts with sources.',
    ),
    overall_reason: why,
    llm_model: 'lectern-headlines-1',
    title_original: original,
    description_original: '',
    title_corrected: neutral,
    title_correction_reason:
      neutral === original ? 'It was sober already.' : 'Says what the text says, without the teasing.',
    description_corrected:
      neutral === original ? '' : 'What the article reports, in one sentence and without an opinion.',
    description_correction_reason: '',
    category,
  };
}
