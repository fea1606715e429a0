// One run of one feed, under its lease: fetch, find what is new, analyse it, build the feed, say how it went. Each
// article that was analysed is kept at once, so that whatever ends the run loses none that was paid for.
import type { Log } from '../log.ts';
import type { Clock, RandomText } from '../model/glossary.ts';
import type { AcquiredFeed, DeframeRunStore } from '../store/deframer/deframe-run-store.ts';
import { type Analyzer, AnalyzerFailure, analysisKey, noUsage } from './analyzer.ts';
import { buildFeed, type FeedHead } from './feed-xml.ts';
import { type FetchFeedDeps, fetchFeed } from './fetch-feed.ts';
import { type NewArticle, newArticles } from './new-articles.ts';
import { type ReadArticleDeps, readArticle } from './read-article.ts';
import { newUuid } from './uuid.ts';

export type RunFeedDeps = FetchFeedDeps &
  ReadArticleDeps & {
    readonly runs: DeframeRunStore;
    readonly analyzer: Analyzer;
    readonly settings: DeframeSettings;
    readonly randomText: RandomText;
    readonly now: Clock;
    readonly log: Log;
  };

export interface DeframeSettings {
  /** Between two runs of a feed that is polled. */
  readonly intervalMs: number;
  /** How many articles a feed has at most. */
  readonly items: number;
  readonly leaseMs: number;
}

export interface RunSignals {
  /** Ends what is under way. */
  readonly signal: AbortSignal;
  /** Begins nothing more: an article that is being analysed is paid for, and may come to its end. */
  readonly stopping: AbortSignal;
}

/** What became of the articles that were new. */
interface Tally {
  readonly found: number;
  analysed: number;
  readonly failures: { readonly article: NewArticle; readonly message: string }[];
}

/** Throws LeaseLost when the feed is somebody else's by now, and what a signal was aborted with. */
export async function runFeed(deps: RunFeedDeps, lease: AcquiredFeed, signals: RunSignals): Promise<void> {
  const { runs, settings, now } = deps;
  const { intervalMs } = settings;
  const fetched = await fetchFeed(deps, lease, signals.signal);
  switch (fetched.kind) {
    case 'put-off':
      return runs.postpone(lease, Math.max(0, fetched.until - now()));
    case 'failed':
      return runs.finish(lease, { error: fetched.sentence, intervalMs });
    case 'unchanged':
      return runs.finish(lease, { validators: fetched.validators, intervalMs });
    case 'feed': {
      const { articles, discarded } = newArticles(lease.feed, fetched.feed, now());
      const tally = await analyseNew(deps, lease, articles, signals);
      const error = failureOf(tally);
      return runs.finish(lease, {
        built: await build(deps, lease.feedId, fetched.head),
        error,
        note: discarded > 0 ? noteOf(discarded, articles.length) : undefined,
        // A document of which something is left is asked for again, whole.
        validators: error === undefined ? fetched.validators : undefined,
        intervalMs,
      });
    }
  }
}

async function analyseNew(
  deps: RunFeedDeps,
  lease: AcquiredFeed,
  articles: readonly NewArticle[],
  signals: RunSignals,
): Promise<Tally> {
  const known = await deps.runs.findKnown(
    lease.feedId,
    articles.map(({ hash }) => hash),
  );
  const left = articles.filter(({ hash }) => !known.has(hash));
  const tally: Tally = { found: left.length, analysed: 0, failures: [] };
  for (const article of left) {
    signals.stopping.throwIfAborted();
    // Before anything is paid for: somebody else may be at it by now, or the feed may be switched off.
    await deps.runs.renew(lease, deps.settings.leaseMs);
    try {
      await analyseOne(deps, lease, article, signals.signal);
      tally.analysed += 1;
    } catch (error) {
      if (!(error instanceof AnalyzerFailure)) throw error;
      deps.log.warn({ err: error, feed: lease.feed.url, url: article.url }, 'an article was not analysed');
      await deps.runs.noteUsage(lease.feedId, error.usage);
      tally.failures.push({ article, message: error.message });
      if (error.scope === 'service') break;
    }
  }
  return tally;
}

async function analyseOne(
  deps: RunFeedDeps,
  lease: AcquiredFeed,
  article: NewArticle,
  signal: AbortSignal,
): Promise<void> {
  const { runs, analyzer, settings, randomText } = deps;
  const request = { article: await readArticle(deps, article, signal), prompt: lease.feed.prompt };
  const key = analysisKey(analyzer, request);
  const known = await runs.findAnalysis(lease.feedId, key);
  const { analysis, usage } = known
    ? { analysis: known, usage: noUsage }
    : await analyzer.analyze(request, signal);
  const { hash, url, content, author, pubDate } = article;
  const item = { id: newUuid(randomText), hash, url, content, author, pubDate };
  try {
    await runs.putItem(lease, { ...item, analysis, analysisKey: key, usage }, settings.leaseMs);
  } catch (error) {
    // It was paid for, whoever has the feed now.
    await runs.noteUsage(lease.feedId, usage).catch(() => {});
    throw error;
  }
}

/** Undefined when nothing changed: readers who ask then are told so. */
async function build({ runs, settings, now }: RunFeedDeps, feedId: string, head: FeedHead) {
  const items = await runs.newestItems(feedId, settings.items);
  const before = await runs.findBuilt(feedId);
  if (before && buildFeed({ head, items, builtAt: before.updatedAt }).xmlContent === before.xmlContent)
    return undefined;
  // Readers are told of whole seconds, and two documents must not have one time.
  const second = Math.floor(now() / 1000) * 1000;
  const updatedAt = before ? Math.max(second, before.updatedAt + 1000) : second;
  return { ...buildFeed({ head, items, builtAt: updatedAt }), updatedAt };
}

function failureOf({ found, analysed, failures }: Tally): string | undefined {
  const [first] = failures;
  if (!first) return undefined;
  const left = found - analysed;
  const title = first.article.title.slice(0, 80) || first.article.url.slice(0, 80);
  return `${left} of ${found} new articles could not be analysed: ${first.message} (“${title}”)`;
}

function noteOf(discarded: number, kept: number): string {
  const all = discarded + kept;
  const hint = kept === 0 ? ' Switch off the check of the host to have them.' : '';
  return `${discarded} of ${all} articles are on another host than the feed and were left out.${hint}`;
}
