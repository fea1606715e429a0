// Sites that publish feeds and score whoever fetches them. What may be asked when, and with which headers, is worked out
// here from the answers that were given, by the rules and not by the code that is to follow them.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';

const [second, minute] = [1_000, 60_000];

/** How an answer goes on when it does not end: whoever asked has to end it. */
export type Endless = 'headers drip' | 'body drips' | 'body pours';

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Not for what is no feed, although it is answered with 200. */
  readonly isFeed?: boolean;
  readonly endless?: Endless;
}

/** What an address answers; `nth` counts from 1. */
export type Page = (nth: number, headers: IncomingHttpHeaders) => Answer;

export interface ScoredFeed {
  readonly name: string;
  readonly link: string;
  readonly subscribers: number;
  readonly pages: Readonly<Record<string, Page>>;
}

export interface ScoreRules {
  readonly intervalMs: number;
  readonly maxBackoffMs: number;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** How long after it is due a feed may be asked for. */
  readonly latenessMs: number;
  /** So many polls may begin in one second, of all sites together. */
  readonly mostPerSecond: number;
}

interface Poll {
  readonly at: number;
  readonly visited: string[];
  isPermanent: boolean;
}

/** What a polite reader knows of a feed by now. */
export interface Standing {
  readonly feed: ScoredFeed;
  link: string;
  isGone: boolean;
  failures: number;
  due: number;
  excusedUntil: number;
  validators: { url: string; etag: string; lastModified: string };
  cacheControl: string;
  expiresAt: number;
  movedTo: string;
  movedSeen: number;
  polls: number;
  /** How often the document was another than the last time. */
  documents: number;
  lastBody: string;
  readonly guids: Set<string>;
  poll: Poll | undefined;
}

const mostAtOnceOfHost = 2;
const movesToBelieve = 3;
const hourMs = 60 * minute;
const hangUpMs = 5 * second;
/** What the sockets of both sides may hold beyond what was read. */
const inTransitBytes = 8 * 1024 * 1024;

export function scoringSites(now: () => number, feeds: readonly ScoredFeed[], rules: ScoreRules) {
  const violations: string[] = [];
  const pauses = new Map<string, { from: number; until: number }>();
  const openOfHost = new Map<string, number>();
  const asked = new Map<string, number>();
  const begun: number[] = [];
  let hanging = 0;
  const standings = feeds.map(
    (feed): Standing => ({
      feed,
      link: feed.link,
      isGone: false,
      failures: 0,
      due: now(),
      excusedUntil: 0,
      validators: { url: '', etag: '', lastModified: '' },
      cacheControl: '',
      expiresAt: 0,
      movedTo: '',
      movedSeen: 0,
      polls: 0,
      documents: 0,
      lastBody: '',
      guids: new Set(),
      poll: undefined,
    }),
  );
  const blame = (feed: string, sentence: string) =>
    violations.push(`${new Date(now()).toISOString()} ${feed}: ${sentence}`);
  const hostOf = (url: string) => new URL(url).hostname;
  const pauseOf = (url: string) => pauses.get(hostOf(url)) ?? { from: 0, until: 0 };

  function beginPoll(standing: Standing, { headers }: IncomingMessage): void {
    const { feed, due, excusedUntil, link } = standing;
    const pause = pauseOf(link);
    const late = now() - Math.max(due, pause.until, excusedUntil) - rules.latenessMs;
    if (standing.isGone) blame(feed.name, 'was asked for although it is gone');
    if (now() < due) blame(feed.name, `was asked for ${(due - now()) / second} s too early`);
    if (late > 0) blame(feed.name, `was asked for ${late / second} s too late`);
    // What was sent before the answer came could not know of it.
    if (now() > pause.from && now() < pause.until)
      blame(feed.name, 'was asked for in the pause that its host had asked for');
    const readers = `${feed.subscribers} subscriber${feed.subscribers === 1 ? '' : 's'}`;
    if (!headers['user-agent']?.includes(`; ${readers})`))
      blame(feed.name, `was asked by ${headers['user-agent']} and not for ${readers}`);
    standing.poll = { at: now(), visited: [], isPermanent: true };
    standing.polls += 1;
    begun.push(now());
    const together = begun.filter((at) => at > now() - second).length;
    if (together > rules.mostPerSecond) blame(feed.name, `was one of ${together} polls in one second`);
  }

  function checkHeaders({ feed, validators }: Standing, url: string, request: IncomingMessage): void {
    const { headers, method } = request;
    const expected = validators.url === url ? validators : { etag: '', lastModified: '' };
    const sent = [headers['if-none-match'] ?? '', headers['if-modified-since'] ?? ''];
    if (sent[0] !== expected.etag || sent[1] !== expected.lastModified)
      blame(feed.name, `sent ${sent} in place of ${expected.etag},${expected.lastModified} to ${url}`);
    if (method !== 'GET') blame(feed.name, `was asked by ${method}`);
    if (!headers['accept-encoding']?.includes('gzip')) blame(feed.name, 'does not accept gzip');
    for (const name of ['cookie', 'referer', 'authorization'])
      if (headers[name] !== undefined) blame(feed.name, `sent the header ${name}`);
  }

  const dueAfter = (least: number, retryAfterMs: number) =>
    now() + Math.min(Math.max(rules.intervalMs, retryAfterMs, least), rules.maxBackoffMs);

  function failed(standing: Standing, retryAfterMs = 0): void {
    standing.failures += 1;
    standing.due = dueAfter(Math.round(rules.intervalMs * 1.8 ** standing.failures), retryAfterMs);
    standing.poll = undefined;
  }

  function succeeded(standing: Standing, url: string, poll: Poll, { status = 200, headers = {} }: Answer) {
    const isNew = status === 200;
    const { validators: kept } = standing;
    standing.validators = {
      url,
      etag: headers.etag ?? (isNew ? '' : kept.etag),
      lastModified: headers['last-modified'] ?? (isNew ? '' : kept.lastModified),
    };
    standing.cacheControl = headers['cache-control'] ?? (isNew ? '' : standing.cacheControl);
    standing.expiresAt =
      headers.expires === undefined ? (isNew ? 0 : standing.expiresAt) : Date.parse(headers.expires);
    const maxAge = Number(/max-age=(\d+)/.exec(standing.cacheControl)?.[1] ?? 0) * second;
    standing.failures = 0;
    standing.due = dueAfter(Math.max(maxAge, standing.expiresAt - now()), retryAfterMs(headers) ?? 0);
    const isMoved = poll.visited.length > 1 && poll.isPermanent;
    standing.movedSeen = !isMoved ? 0 : url === standing.movedTo ? standing.movedSeen + 1 : 1;
    standing.movedTo = isMoved ? url : '';
    if (standing.movedSeen >= movesToBelieve) {
      standing.link = url;
      standing.movedTo = '';
      standing.movedSeen = 0;
    }
    standing.poll = undefined;
  }

  const retryAfterMs = ({ 'retry-after': named }: Readonly<Record<string, string>>) =>
    named === undefined
      ? undefined
      : /^\d+$/.test(named)
        ? Number(named) * second
        : Date.parse(named) - now();

  /** What a polite reader makes of an answer. */
  function conclude(standing: Standing, poll: Poll, url: string, answer: Answer): void {
    const { status = 200, headers = {}, body = '', isFeed = true } = answer;
    const { location } = headers;
    if (status >= 301 && status <= 308 && status !== 304 && location !== undefined) {
      const to = new URL(location, url).href;
      poll.isPermanent &&= status === 301 || status === 308;
      if (poll.visited.includes(to)) failed(standing);
      return;
    }
    const named = retryAfterMs(headers);
    if (status === 429 || (status === 503 && named !== undefined)) {
      const pause = Math.min(named ?? hourMs, 24 * hourMs);
      pauses.set(hostOf(url), { from: now(), until: now() + pause });
    }
    if (status === 410) standing.isGone = true;
    if (status === 304 || (status === 200 && isFeed)) {
      if (status === 200 && body !== standing.lastBody) standing.documents += 1;
      if (status === 200) standing.lastBody = body;
      for (const [, guid = ''] of body.matchAll(/<guid[^>]*>([^<]*)/g)) standing.guids.add(guid);
      succeeded(standing, url, poll, answer);
    } else failed(standing, named ?? (status === 429 || status === 503 ? hourMs : 0));
  }

  function goOnForEver(standing: Standing, { at }: Poll, endless: Endless, response: ServerResponse): void {
    const { socket } = response;
    const { name } = standing.feed;
    let bytes = 0;
    let drip: NodeJS.Timeout | undefined;
    if (endless === 'body pours') {
      response.writeHead(200, { 'content-type': 'application/rss+xml' });
      const piece = Buffer.alloc(64 * 1024, '<item>');
      const pour = () => {
        while (!response.destroyed) {
          bytes += piece.length;
          if (!response.write(piece)) return response.once('drain', pour);
        }
      };
      pour();
    } else {
      hanging += 1;
      if (endless === 'headers drip') socket?.write('HTTP/1.1 200 OK\r\nx-slow: ');
      else response.writeHead(200, { 'content-type': 'application/rss+xml' }).write('<rss>');
      drip = setInterval(() => (endless === 'headers drip' ? socket : response)?.write('x'), 5);
    }
    response.once('close', () => {
      if (endless !== 'body pours') hanging -= 1;
      clearInterval(drip);
      const tookMs = now() - at;
      if (tookMs > rules.timeoutMs) blame(name, `was read for ${tookMs / second} s`);
      if (bytes > rules.maxBytes + inTransitBytes) blame(name, `was read up to ${bytes} bytes`);
      failed(standing);
      // Whoever hangs up knows it a moment before us.
      standing.due -= hangUpMs;
    });
  }

  function listener(request: IncomingMessage, response: ServerResponse): void {
    const url = `http://${request.headers.host}${request.url}`;
    const standing =
      standings.find(({ poll, feed }) => poll !== undefined && url in feed.pages) ??
      standings.find(({ link }) => link === url);
    const page = standing?.feed.pages[url];
    if (!standing || !page) {
      blame(url, 'was asked for, and nobody follows that');
      response.writeHead(404).end();
      return;
    }
    const host = hostOf(url);
    openOfHost.set(host, (openOfHost.get(host) ?? 0) + 1);
    response.once('close', () => openOfHost.set(host, (openOfHost.get(host) ?? 0) - 1));
    if ((openOfHost.get(host) ?? 0) > mostAtOnceOfHost) blame(standing.feed.name, 'crowds its host');
    if (standing.poll === undefined) beginPoll(standing, request);
    else if (standing.poll.visited.includes(url)) blame(standing.feed.name, 'was asked for twice at once');
    const { poll } = standing;
    if (!poll) return;
    poll.visited.push(url);
    checkHeaders(standing, url, request);
    asked.set(url, (asked.get(url) ?? 0) + 1);
    const answer = page(asked.get(url) ?? 0, request.headers);
    if (answer.endless) {
      goOnForEver(standing, poll, answer.endless, response);
      return;
    }
    conclude(standing, poll, url, answer);
    response.writeHead(answer.status ?? 200, { 'content-type': 'application/rss+xml', ...answer.headers });
    response.end(answer.body);
  }

  return {
    listener,
    violations,
    standings,
    hosts: [...new Set(feeds.flatMap(({ pages }) => Object.keys(pages).map(hostOf)))],
    timesAsked: (url: string) => asked.get(url) ?? 0,
    /** Requests that will not end by themselves. */
    get hanging() {
      return hanging;
    },
    /** Nobody can ask while it does not run. */
    excuse(): void {
      for (const standing of standings) standing.excusedUntil = now();
    },
    /** At the end: whoever was due and was not asked for has been forgotten. */
    closeBooks(): void {
      for (const { feed, due, excusedUntil, link, isGone } of standings) {
        const late = now() - Math.max(due, pauseOf(link).until, excusedUntil) - rules.latenessMs;
        if (!isGone && late > 0) blame(feed.name, `was due ${late / second} s ago and was not asked for`);
      }
    },
  };
}
