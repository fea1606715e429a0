// Feeds of every kind of behaviour, several of each, for a reader to live with.
import type { Answer, Page, ScoredFeed } from './scoring-site.ts';

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];

const entry = (name: string, n: number) =>
  `<item><title>${name} ${n}</title><guid isPermaLink="false">${name}-${n}</guid><link>https://example.org/${name}/${n}</link>
    <description>&lt;p&gt;Text ${n}&lt;/p&gt;</description></item>`;

/** The document of a feed that has published so many entries; it shows the last five. */
export function documentOf(name: string, published: number): string {
  const shown = Array.from({ length: Math.min(published, 5) }, (_, n) => entry(name, published - n));
  return `<?xml version="1.0"?><rss version="2.0"><channel><title>${name}</title><link>https://example.org/</link>${shown.join('')}</channel></rss>`;
}

export function weekOfFeeds(now: () => number): ScoredFeed[] {
  const began = now();
  /** One entry at the start, and one more each day. */
  const today = (name: string) => documentOf(name, 1 + Math.floor((now() - began) / day));
  const date = (afterMs: number) => new Date(Math.ceil((now() + afterMs) / 1000) * 1000).toUTCString();

  const feeds: ScoredFeed[] = [];
  const add = (name: string, subscribers: number, pages: Readonly<Record<string, Page>>) => {
    const [link = ''] = Object.keys(pages);
    feeds.push({ name, link, subscribers, pages });
  };
  /** The same behaviour on as many sites, every second of them followed by two. */
  const each = (times: number, name: string, page: (own: string) => Page) => {
    for (let n = 1; n <= times; n++) {
      const own = `${name}-${n}`;
      add(own, n % 2 === 0 ? 2 : 1, { [`http://${own}.example/feed`]: page(own) });
    }
  };
  /** As a site does that knows what it has: 304 for those who have it, too. */
  const known =
    (own: string, validators: (document: string) => Record<string, string>, onSame: Answer = {}): Page =>
    (_nth, headers) => {
      const body = today(own);
      const named = validators(body);
      const has = (header: string, name: string) =>
        headers[header] !== undefined && headers[header] === named[name];
      const isSame = has('if-none-match', 'etag') || has('if-modified-since', 'last-modified');
      return isSame ? { status: 304, ...onSame } : { headers: named, body };
    };
  const etagOf = (body: string) => `W/"${body.length} opaque, \\ bytes"`;

  each(2, 'both-validators', (own) =>
    known(own, (body) => ({ etag: etagOf(body), 'last-modified': `not a date, but ${body.length}` })),
  );
  each(2, 'etag-alone', (own) => known(own, (body) => ({ etag: etagOf(body) })));
  each(1, 'date-alone', (own) => known(own, (body) => ({ 'last-modified': `about ${body.length}` })));
  each(1, 'without-validators', (own) => () => ({ body: today(own) }));
  each(2, 'touched', (own) => (nth) => ({
    headers: { etag: `"${nth}"`, 'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT' },
    body: today(own),
  }));
  each(1, 'drops-one', (own) => (nth) => ({
    headers: { ...(nth % 3 > 0 && { etag: `"${nth}"` }), ...(nth % 2 > 0 && { 'last-modified': `${nth}` }) },
    body: today(own),
  }));
  each(
    2,
    'silent-304',
    (own) => (nth) =>
      nth % 12 === 1
        ? {
            headers: { etag: '"a"', 'last-modified': 'b', 'cache-control': 'max-age=14400' },
            body: today(own),
          }
        : { status: 304 },
  );
  each(
    1,
    'renewing-304',
    (own) => (nth) =>
      nth === 1
        ? { headers: { etag: '"1"' }, body: today(own) }
        : { status: 304, headers: { etag: `"${nth}"` } },
  );
  each(1, 'fresh-by-age', (own) => () => ({
    headers: { 'cache-control': 'public, max-age=21600' },
    body: today(own),
  }));
  each(1, 'fresh-by-date', (own) => () => ({ headers: { expires: date(5 * hour) }, body: today(own) }));
  each(1, 'fresh-for-years', (own) => () => ({
    headers: { 'cache-control': 'max-age=504576000' },
    body: today(own),
  }));

  /** Answers well but for every fifth time. */
  const sometimes =
    (bad: () => Answer) =>
    (own: string): Page =>
    (nth) =>
      nth % 5 === 3 ? bad() : { headers: { etag: `"${nth}"` }, body: today(own) };
  each(
    2,
    'limits-by-seconds',
    sometimes(() => ({ status: 429, headers: { 'retry-after': '23000' } })),
  );
  each(
    2,
    'limits-by-date',
    sometimes(() => ({ status: 429, headers: { 'retry-after': date(9 * hour) } })),
  );
  each(
    1,
    'limits-in-silence',
    sometimes(() => ({ status: 429 })),
  );
  each(
    1,
    'limits-for-a-month',
    (own) => (nth) =>
      nth === 2 ? { status: 429, headers: { 'retry-after': '2592000' } } : { body: today(own) },
  );
  each(
    2,
    'busy-by-seconds',
    sometimes(() => ({ status: 503, headers: { 'retry-after': '23456' } })),
  );
  each(
    1,
    'busy-by-date',
    sometimes(() => ({ status: 503, headers: { 'retry-after': date(11 * hour) } })),
  );
  each(
    2,
    'busy-in-silence',
    sometimes(() => ({ status: 503 })),
  );
  // One host: what one of its feeds is told holds for the others.
  add('shared-limited', 2, {
    'http://shared.example/limited': (nth) =>
      nth % 10 === 5
        ? { status: 429, headers: { 'retry-after': '21600' } }
        : { headers: { etag: `"${nth}"` }, body: today('shared-limited') },
  });
  for (const n of [1, 2, 3, 4])
    add(`shared-${n}`, 1, {
      [`http://shared.example/${n}`]: known(`shared-${n}`, (body) => ({ etag: etagOf(body) })),
    });

  each(2, 'broken', () => () => ({ status: 500 }));
  each(1, 'broken-by-seconds', () => () => ({ status: 500, headers: { 'retry-after': '86400' } }));
  each(1, 'missing', () => () => ({ status: 404 }));
  each(1, 'falters', (own) => (nth) => (nth % 6 < 3 ? { status: 502 } : { body: today(own) }));
  each(
    1,
    'no-feed-any-more',
    (own) => (nth) =>
      nth < 4
        ? { headers: { etag: '"feed"' }, body: today(own) }
        : { headers: { etag: '"page"' }, body: '<!doctype html><title>Sold</title>', isFeed: false },
  );
  each(2, 'gone', () => () => ({ status: 410 }));
  each(1, 'gone-later', (own) => (nth) => (nth < 30 ? { body: today(own) } : { status: 410 }));
  each(2, 'drips-headers', () => () => ({ endless: 'headers drip' }));
  each(2, 'drips-body', () => () => ({ endless: 'body drips' }));
  each(
    1,
    'drips-later',
    (own) => (nth) => (nth % 20 === 4 ? { endless: 'body drips' } : { body: today(own) }),
  );
  each(2, 'pours', () => () => ({ endless: 'body pours' }));

  const leads =
    (status: number, location: string): Page =>
    () => ({ status, headers: { location } });
  const arrives = (own: string) => known(own, (body) => ({ etag: etagOf(body) }));
  for (const n of [1, 2]) {
    const own = `moved-${n}`;
    add(own, n, {
      [`http://${own}.example/old`]: leads(301, '/between'),
      [`http://${own}.example/between`]: leads(308, `http://${own}-new.example/feed`),
      [`http://${own}-new.example/feed`]: arrives(own),
    });
    const mixed = `moved-for-now-${n}`;
    add(mixed, n, {
      [`http://${mixed}.example/old`]: leads(n === 1 ? 301 : 302, '/between'),
      [`http://${mixed}.example/between`]: leads(n === 1 ? 302 : 301, `http://${mixed}-new.example/feed`),
      [`http://${mixed}-new.example/feed`]: arrives(mixed),
    });
  }
  add('wavers', 2, {
    'http://wavers.example/old': (nth) => ({
      status: nth % 3 === 0 && nth < 10 ? 307 : 308,
      headers: { location: '/new' },
    }),
    'http://wavers.example/new': arrives('wavers'),
  });
  add('moved-and-gone', 1, {
    'http://moved-and-gone.example/old': leads(301, '/new'),
    'http://moved-and-gone.example/new': () => ({ status: 410 }),
  });
  add('circles', 1, {
    'http://circles.example/a': leads(302, '/b'),
    'http://circles.example/b': leads(302, '/a'),
  });
  return feeds;
}

export const weekMs = 7 * day;
export const tickMs = 20 * minute;
