// GET /rss. Every reader asks for it all the time, and mostly for what it has already: so the index is asked whether
// the feed may be served and when it was built, which it knows by heart, and everything else is at hand.
import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { parseDeframerUrl } from '../deframer/feed-url.ts';
import {
  createServedDocuments,
  type Encoding,
  encodings,
  type ServedDocument,
} from '../deframer/served-documents.ts';
import { Forbidden, NotFound } from '../errors.ts';
import type { Millis } from '../model/glossary.ts';
import type { ApiDeps, ApiEnv } from './context.ts';
import { invalidInput } from './error-response.ts';
import { isFromSocket, sendDeframed, sharedHeaders } from './send-deframed.ts';

export const maxScore = z
  .string()
  .regex(/^(\d{1,20}(\.\d{0,20})?|\.\d{1,20})$/, 'expected a number from 0 to 1')
  .transform(Number)
  .refine((score) => score <= 1, 'expected a number from 0 to 1')
  .optional()
  .openapi({
    type: 'number',
    minimum: 0,
    maximum: 1,
    description: 'Only what has an overall score of so much at most',
  });

const FeedQuery = z.object({
  url: z
    .string('expected the address of a feed')
    .transform((text, context) => {
      const url = parseDeframerUrl(text);
      if (url === undefined) context.addIssue('expected the http(s) address of a feed');
      return url ?? z.NEVER;
    })
    .openapi({ example: 'https://example.com/feed.xml' }),
  max_score: maxScore,
});
type KnownQuery = z.infer<typeof FeedQuery> & { names?: Names };

/** For the description of the API. As `request`, their checks would cost as much as all the rest: see feedQueries. */
export const feedParameters = [
  {
    name: 'url',
    in: 'query',
    required: true,
    schema: { type: 'string' },
    example: 'https://example.com/feed.xml',
    description: 'The address that the feed was added by',
  },
  {
    name: 'max_score',
    in: 'query',
    schema: { type: 'number', minimum: 0, maximum: 1 },
    description: 'Only what has an overall score of so much at most',
  },
] as const;

export function serveFeed({ store, deframer }: Pick<ApiDeps, 'store' | 'deframer'>) {
  const documents = createServedDocuments({ findDocument: (id) => store.deframed.findDocument(id) });
  const findServed = (url: string) => store.deframed.findServed(url);
  const findServedOnce = oncePerTurn(findServed);
  const shared = sharedHeaders(deframer);
  const parse = feedQueries();

  return async (c: Context<ApiEnv>): Promise<Response> => {
    const query = parse(c.req.url);
    const feed = await (isFromSocket(c) ? findServedOnce : findServed)(query.url);
    if (!feed) throw new NotFound('feed');
    if (!feed.enabled) throw new Forbidden('the feed is disabled');
    const { id, builtAt } = feed;
    if (builtAt === undefined) throw new NotFound('feed');

    const wanted = c.req.header('if-none-match');
    const names = namesFor(query, id, builtAt, shared);
    // Only a document with articles was ever given this name, so that it need not be at hand.
    if (wanted?.includes(names.etag))
      return sendDeframed(c, deframer, { status: 304, headers: names.headers });

    const document = await documents.find({ id, builtAt }, query.max_score);
    if (!document || document.items === 0) throw new NotFound('feed');
    const { headers } = namesFor(query, id, document.builtAt, shared);
    const isKnown =
      wanted === undefined
        ? isUnmodified(c.req.header('if-modified-since'), document.builtAt)
        : wanted.trim() === '*';
    if (isKnown) return sendDeframed(c, deframer, { status: 304, headers });
    return sendDeframed(c, deframer, inEncoding(document, headers, c.req.header('accept-encoding')));
  };
}

/** What a document goes by. */
interface Names {
  readonly id: string;
  readonly builtAt: Millis;
  readonly etag: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Those of the last document that was asked for in this way are at hand: mostly it is the same. */
function namesFor(query: KnownQuery, id: string, builtAt: Millis, shared: Names['headers']): Names {
  const { names } = query;
  if (names?.id === id && names.builtAt === builtAt) return names;
  const etag = etagOf(id, builtAt, query.max_score);
  const headers = {
    // For it as it is and compressed: hence a weak one.
    etag: `W/${etag}`,
    'last-modified': new Date(builtAt).toUTCString(),
    vary: 'Accept-Encoding',
    ...shared,
  };
  query.names = { id, builtAt, etag, headers };
  return query.names;
}

/** With another score it is another document. */
function etagOf(id: string, builtAt: Millis, score: number | undefined): string {
  const name = `${id}-${builtAt.toString(36)}`;
  return score === undefined ? `"${name}"` : `"${name}-${score}"`;
}

/** HTTP has whole seconds. */
function isUnmodified(since: string | undefined, builtAt: number): boolean {
  return since !== undefined && Math.floor(builtAt / 1000) * 1000 <= Date.parse(since);
}

function inEncoding(document: ServedDocument, headers: Names['headers'], accepted: string | undefined) {
  const encoding = accepted ? encodings.find((one) => accepts[one].test(accepted)) : undefined;
  const encoded = encoding && document.encoded(encoding);
  const body = encoded ?? document.bytes;
  return {
    status: 200,
    body,
    headers: {
      'content-length': String(body.byteLength),
      'content-type': 'application/rss+xml; charset=utf-8',
      ...(encoded && { 'content-encoding': encoding }),
      ...headers,
    },
  } as const;
}

/** `q=0` is a refusal. */
const accepts: Readonly<Record<Encoding, RegExp>> = {
  br: /(?:^|,)\s*br\s*(?:;\s*q=(?:1|0?\.0*[1-9])[\d.]*\s*)?(?:,|$)/i,
  gzip: /(?:^|,)\s*(?:x-)?gzip\s*(?:;\s*q=(?:1|0?\.0*[1-9])[\d.]*\s*)?(?:,|$)/i,
};

/**
 * Whoever asks in the same turn of the event loop is told the same: even to see that nothing was committed costs as much as
 * half of a short answer. What was committed before a request was sent is seen, since a socket brings it in a later turn.
 */
function oncePerTurn<T>(ask: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const asked = new Map<string, Promise<T>>();
  return (key) => {
    const known = asked.get(key);
    if (known) return known;
    if (asked.size === 0) setImmediate(() => asked.clear());
    const answer = ask(key);
    asked.set(key, answer);
    return answer;
  };
}

const rememberedQueries = 1_000;
const longestRemembered = 3_000;

/** A reader asks for the same as long as it lives: what it means is found out once. */
function feedQueries(): (address: string) => KnownQuery {
  const known = new Map<string, KnownQuery>();
  return (address) => {
    const start = address.indexOf('?');
    const query = start < 0 ? '' : address.slice(start);
    const remembered = known.get(query);
    if (remembered) return remembered;
    const parsed = FeedQuery.safeParse(valuesOf(new URLSearchParams(query)));
    if (!parsed.success) throw invalidInput(parsed.error);
    if (known.size >= rememberedQueries) known.clear();
    if (query.length <= longestRemembered) known.set(query, parsed.data);
    return parsed.data;
  };
}

/** One that is given twice is a list, and no text. */
function valuesOf(query: URLSearchParams): Record<string, string | string[] | undefined> {
  const values = (name: string) => {
    const all = query.getAll(name);
    return all.length > 1 ? all : all[0];
  };
  return { url: values('url'), max_score: values('max_score') };
}
