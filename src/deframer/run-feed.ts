// One run of one feed, under its lease: fetch, find what is new, analyse it, build the feed, say how it went. Each
// article that was analysed is kept at once, so that whatever ends the run loses none that was paid for.
import { sanitiseHtml } from '../html/sanitise-html.ts';
import type { Log } from '../log.ts';
import type { DeframedItem } from '../model/deframer.ts';
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

export interface RunControl extends RunSignals {
  /** Renews the lease. Throws LeaseLost when another worker holds it or the feed was disabled. */
  ensureLease(): Promise<void>;
}

/**
 * A feed that has thousands of articles, or makes up new ones, must not keep the worker for hours or empty an account
 * before anybody has seen what it does.
 */
const mostInOneRun = 100;
/** What is longer is cut: whoever wants all of it has the page. */
const mostContent = 200_000;
/** Of all articles of a feed together; those behind it have only a description. */
const mostContentOfFeed = 2_000_000;

/** What became of the articles that were new. */
interface Tally {
  /** How many this run has taken on, and how many it leaves to the next. */
  readonly found: number;
  readonly left: number;
  analysed: number;
  readonly failures: { readonly article: NewArticle; readonly message: string }[];
}

/** Throws LeaseLost when the feed is somebody else's by now, and what a signal was aborted with. */
export async function runFeed(deps: RunFeedDeps, lease: AcquiredFeed, control: RunControl): Promise<void> {
  const { runs, settings, now } = deps;
  const { intervalMs } = settings;
  const fetched = await fetchFeed(deps, lease, control.signal);
  switch (fetched.kind) {
    case 'put-off': {
      const note = 'Its host has asked to be left alone for a while: the run waits until then.';
      return runs.postpone(lease, { delayMs: Math.max(0, fetched.until - now()), note });
    }
    case 'failed':
      return runs.finish(lease, { error: fetched.sentence, intervalMs });
    case 'unchanged':
      return runs.finish(lease, { validators: fetched.validators, intervalMs });
    case 'feed': {
      const { articles, discarded } = newArticles(lease.feed, fetched.feed, now());
      const tally = await analyseNew(deps, lease, articles, control);
      const error = failureOf(tally);
      const isWhole = error === undefined && tally.left === 0;
      return runs.finish(lease, {
        built: await build(deps, lease.feedId, fetched.head),
        error,
        note: noteOf({ discarded, all: discarded + articles.length, left: tally.left }),
        // A document of which something is left is asked for again, whole.
        validators: isWhole ? fetched.validators : undefined,
        intervalMs,
      });
    }
  }
}

async function analyseNew(
  deps: RunFeedDeps,
  lease: AcquiredFeed,
  articles: readonly NewArticle[],
  control: RunControl,
): Promise<Tally> {
  const known = await deps.runs.findKnown(
    lease.feedId,
    articles.map(({ hash }) => hash),
  );
  const unknown = articles.filter(({ hash }) => !known.has(hash));
  const taken = unknown.slice(0, Math.max(mostInOneRun, deps.settings.items));
  const left = unknown.length - taken.length;
  const tally: Tally = { found: taken.length, left, analysed: 0, failures: [] };
  for (const article of taken) {
    control.stopping.throwIfAborted();
    await control.ensureLease();
    try {
      await analyseOne(deps, lease, article, control);
      tally.analysed += 1;
    } catch (error) {
      if (!(error instanceof AnalyzerFailure)) throw error;
      await deps.runs.noteUsage(lease.feedId, error.usage);
      if (control.signal.aborted) throw control.signal.reason;
      if (error.scope === 'interrupted') throw error.cause;
      deps.log.warn({ err: error, feed: lease.feed.url, url: article.url }, 'an article was not analysed');
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
  { signal, ensureLease }: RunControl,
): Promise<void> {
  const { runs, analyzer, settings, randomText } = deps;
  const request = { article: await readArticle(deps, article, signal), prompt: lease.feed.prompt };
  const key = analysisKey(analyzer, request);
  const known = await runs.findAnalysis(lease.feedId, key);
  const { analysis, usage } = known
    ? { analysis: known, usage: noUsage }
    : await analyzer.analyze(request, signal, ensureLease);
  const { hash, url, author, pubDate } = article;
  const content =
    article.content.length <= mostContent
      ? article.content
      : sanitiseHtml(article.content.slice(0, mostContent), { baseUrl: url });
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
  const items = withinBounds(await runs.newestItems(feedId, settings.items));
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

function withinBounds(items: readonly DeframedItem[]): DeframedItem[] {
  let length = 0;
  return items.map((item) => {
    length += item.content.length;
    return length <= mostContentOfFeed ? item : { ...item, content: '' };
  });
}

function noteOf({ discarded, all, left }: { discarded: number; all: number; left: number }): string | null {
  const notes = [
    ...(discarded === 0
      ? []
      : [`${discarded} of ${all} articles are on another host than the feed and were left out.`]),
    ...(discarded > 0 && discarded === all ? ['Switch off the check of the host to have them.'] : []),
    ...(left === 0 ? [] : [`${left} more articles are left to the next run.`]),
  ];
  return notes.length === 0 ? null : notes.join(' ');
}
