// A feed of the deframer, the site that it is on, and a worker that runs it when it is told to.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { addFeed } from '../../src/deframer/add-feed.ts';
import {
  type AnalysisRequest,
  type Analyzed,
  type Analyzer,
  AnalyzerFailure,
} from '../../src/deframer/analyzer.ts';
import { FeedsInHand, type TakeFeedDeps, takeFeed } from '../../src/deframer/take-feed.ts';
import { parseFeed } from '../../src/feeds/parse/parse-feed.ts';
import type { Analysis, Usage } from '../../src/model/deframer.ts';
import { createHostTurns } from '../../src/outbound/host-turns.ts';
import type { Database } from '../../src/store/database.ts';
import type { Store } from '../../src/store/store.ts';
import { type TestClock, tieClocks } from './clock.ts';
import { quiet, simpleReader } from './enriching.ts';
import { randomText } from './library.ts';
import type { World } from './outbound.ts';

export const leaseMs = 600_000;
export const intervalMs = 1_800_000;
export const usage: Usage = { calls: 1, tokensIn: 100, tokensOut: 20, costMicros: 7 };

export function analysisOf(title: string, over: Partial<Analysis> = {}): Analysis {
  const reasons = { framing_reason: '', clickbait_reason: '', persuasive_reason: '' };
  return {
    llm_model: 'test',
    title_original: title,
    description_original: '',
    title_corrected: `Sober: ${title}`,
    title_correction_reason: 'for a test',
    description_corrected: '',
    description_correction_reason: '',
    ...{ framing: 0, clickbait: 0.5, persuasive: 0, hyper_stimulus: 0, speculative: 0, overall: 0.5 },
    ...{ ...reasons, hyper_stimulus_reason: '', speculative_reason: '', overall_reason: '' },
    category: 'other',
    ...over,
  };
}

/** Says of each article what it is told to, and remembers what it was asked. */
export function scriptedAnalyzer() {
  const asked: AnalysisRequest[] = [];
  const answers = new Map<string, (signal: AbortSignal) => Promise<Partial<Analysis>>>();
  const analyzer: Analyzer = {
    model: 'test',
    instructions: ({ prompt }) => prompt ?? 'the usual',
    async analyze(request, signal, beforeCall): Promise<Analyzed> {
      await beforeCall?.();
      asked.push(request);
      const { title } = request.article;
      return { analysis: analysisOf(title, await answers.get(title)?.(signal)), usage };
    },
  };
  return {
    analyzer,
    asked,
    titles: () => asked.map(({ article }) => article.title),
    answer(title: string, answer: (signal: AbortSignal) => Promise<Partial<Analysis>>): void {
      answers.set(title, answer);
    },
    fail(title: string, scope: 'article' | 'service', message = 'The model would not.'): void {
      answers.set(title, async () => {
        throw new AnalyzerFailure(message, { scope, usage });
      });
    },
    heal: () => answers.clear(),
  };
}

export interface PublishedArticle {
  readonly title: string;
  /** A path at the site, or a whole address. */
  readonly link: string;
  readonly at?: number;
  readonly content?: string;
}

export function rssOf(articles: readonly PublishedArticle[], origin: string): string {
  const items = articles.map(
    ({ title, link, at = 0, content = `<p>About ${title}.</p>` }) =>
      `<item><title>${escaped(title)}</title><link>${escaped(new URL(link, origin).href)}</link>
       <pubDate>${new Date(Date.UTC(2025, 0, 1) + at * 60_000).toUTCString()}</pubDate>
       <description>${escaped(content)}</description></item>`,
  );
  return `<?xml version="1.0"?><rss version="2.0"><channel><title>The Loud Times</title>
    <link>${origin}/</link><description>Loud.</description><language>en-GB</language>${items.join('')}</channel></rss>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/** A site with one feed at /feed and pages behind it. */
export function newsSite() {
  let articles: readonly PublishedArticle[] = [];
  const asked: { path: string; headers: IncomingMessage['headers'] }[] = [];
  const overrides = new Map<string, (response: ServerResponse) => void>();
  return {
    asked,
    asksFor: (path: string) => asked.filter((one) => one.path === path).length,
    publish(...published: readonly PublishedArticle[]): void {
      articles = published;
    },
    /** What a path answers in place of the usual; nothing gives that back. */
    override(path: string, answer?: (response: ServerResponse) => void): void {
      if (answer) overrides.set(path, answer);
      else overrides.delete(path);
    },
    listener: (request: IncomingMessage, response: ServerResponse): void => {
      const path = request.url ?? '';
      asked.push({ path, headers: request.headers });
      const override = overrides.get(path);
      if (override) {
        override(response);
      } else if (path === '/feed') {
        const body = rssOf(articles, `http://${request.headers.host}`);
        response.writeHead(200, { 'content-type': 'application/rss+xml' }).end(body);
      } else {
        response
          .writeHead(200, { 'content-type': 'text/html' })
          .end(`<html><head><title>Page</title></head><body><p>Text of ${path}</p>`);
      }
    },
  };
}

export type Deframing = ReturnType<typeof createDeframing>;

export function createDeframing(
  { store, database, clock }: { store: Store; database: Database; clock: TestClock },
  world: World,
  over: Partial<TakeFeedDeps> = {},
) {
  tieClocks(database, clock);
  const scripted = scriptedAnalyzer();
  const deps: TakeFeedDeps = {
    runs: store.deframeRuns,
    analyzer: scripted.analyzer,
    outbound: world.outbound,
    parse: async (document) => parseFeed(document),
    page: simpleReader,
    turns: createHostTurns(clock.now),
    timeoutMs: 30_000,
    settings: { intervalMs, items: 20, leaseMs },
    now: clock.now,
    randomText,
    log: quiet,
    holder: 'worker-1',
    feedsInHand: new FeedsInHand(),
    ...over,
  };
  return {
    ...scripted,
    deps,
    /** One look of a worker. */
    look: ({ stopping = new AbortController(), ending = new AbortController() } = {}) =>
      takeFeed(deps, { stopping: stopping.signal, signal: ending.signal }),
    /** Added, enabled and due. */
    async addFeed(url: string, { polling = false, enforceFeedDomain = true } = {}): Promise<string> {
      const { id } = await addFeed(
        { deframerFeeds: store.deframerFeeds, randomText },
        { url, withRootDomain: true, enforceFeedDomain },
      );
      await store.deframerFeeds.change(id, { enabled: true, polling });
      await store.deframerFeeds.sync(id);
      return id;
    },
    document: async (url: string) => {
      const served = await store.deframed.findServed(url);
      return served && (await store.deframed.findDocument(served.id))?.xml;
    },
  };
}
