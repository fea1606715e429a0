// Raindrop's API as the mirror asks it: one request at a time, six to ten in a minute, and slower when it says so.
import type { MirroredCollection, MirrorHost } from './host.ts';
import { Postponed } from './postponed.ts';
import { collectionOf, isObject, isRaw, type RawRaindrop } from './raindrop.ts';

export const perPage = 50;

export type Sort = 'lastUpdate' | '-lastUpdate' | 'created';

export interface RaindropPage {
  readonly items: readonly RawRaindrop[];
  /** Of all pages. */
  readonly count: number;
  /** Nothing follows. A page may be short without being the last: not all that is counted is always shown. */
  readonly isLast: boolean;
}

export type CopyOutcome =
  | { readonly kind: 'copy'; readonly bytes: Uint8Array; readonly contentType: string }
  /** Raindrop has none, or not for this account. */
  | { readonly kind: 'none' }
  | { readonly kind: 'failed'; readonly what: string; readonly isForGood: boolean };

export interface RaindropApi {
  list(options: { collection: 0 | -99; page: number; sort: Sort }): Promise<RaindropPage>;
  /** Undefined when it is gone for good. */
  get(id: number): Promise<RawRaindrop | undefined>;
  collections(): Promise<MirroredCollection[]>;
  /** How many there are, and when anything about them changed last, if that is told. */
  stats(): Promise<{ readonly count: number; readonly changedMs: number | undefined }>;
  /** `size` is what Raindrop says that the copy takes up, compressed; 0 where it does not say. */
  copy(id: number, size: number): Promise<CopyOutcome>;
}

/** Between the starts of two requests: at most ten in a minute, and not in step. */
const leastGapMs = 6_200;
const jitterMs = 3_600;
const attempts = 3;
/** One copy that cannot be had is asked for again tomorrow; the others wait for their turn today. */
const attemptsForCopy = 2;
const firstBackoffMs = 10_000;
/** Longer than that is not waited for inside of a batch. */
const longestWaitMs = 2 * 60_000;
const usualWaitMs = 60_000;
/** Whatever a server says: a clock of its own may be wrong by years. */
const mostWaitMs = 24 * 3_600_000;
export const comeBackMs = 10 * 60_000;
const refusedMs = 60 * 60_000;
const defaultTimeoutMs = 60_000;
/** For a copy, which may have many megabytes. */
const copyTimeoutMs = 150_000;
/** The largest that is known of has 23 MB. */
export const mostCopyBytes = 48 * 1024 * 1024;
const mostRedirects = 4;
const refused = 'Raindrop refused the token. Make a new test token in its settings, and set it.';
const limited = 'Raindrop asks to be left alone for a while.';

export function raindropApi(host: MirrorHost): RaindropApi {
  const { api, now, pause, random } = host;
  const gap = createWait(now);
  const rateLimit = createWait(now);

  async function turn(): Promise<void> {
    const wait = gap.leftMs();
    if (wait > 0) await pause(wait);
    // The server's own wishes hold even where pauses are left out.
    const asked = rateLimit.leftMs();
    if (asked > longestWaitMs) throw new Postponed('limited', limited, asked);
    if (asked > 0) await pause(asked, true);
    gap.start(leastGapMs + random() * jitterMs);
  }

  async function ask(path: string): Promise<Response> {
    await turn();
    const response = await send(host, `${api.url}${path}`, { authorization: `Bearer ${api.token}` });
    if (response.headers.get('x-ratelimit-remaining') === '0' && response.status !== 429) {
      rateLimit.start(Math.max(rateLimit.leftMs(), resetIn(response) ?? 0));
    }
    return response;
  }

  /** Tries again what may be better the next time. What `read` makes nothing of is no answer. */
  async function patiently<T>(
    path: string,
    read: (response: Response) => Promise<T | undefined>,
    most = attempts,
  ): Promise<T> {
    let last = new Postponed('unreachable', '', comeBackMs);
    for (let attempt = 0; attempt < most; attempt++) {
      if (attempt > 0 && last.reason !== 'limited') await pause(firstBackoffMs * 2 ** (attempt - 1));
      let status: number | undefined;
      try {
        const response = await ask(path);
        status = response.status;
        if (status === 401) {
          await leave(response);
          throw new Postponed('refused', refused, refusedMs);
        }
        if (status === 429) {
          await waitAsAsked(response);
          last = new Postponed('limited', limited, comeBackMs);
          continue;
        }
        const result = await read(response);
        if (result !== undefined) return result;
        await leave(response);
        last = new Postponed('failing', `Raindrop answered with status ${status}.`, comeBackMs);
      } catch (error) {
        if (error instanceof Postponed) throw error;
        host.signal?.throwIfAborted();
        host.log?.('a request to Raindrop failed', { path, error: String(error) });
        last =
          status === undefined
            ? new Postponed('unreachable', 'Raindrop could not be reached.', comeBackMs)
            : new Postponed('failing', 'An answer of Raindrop broke off in the middle.', comeBackMs);
      }
    }
    throw last;
  }

  async function waitAsAsked(response: Response): Promise<void> {
    const wait = resetIn(response) ?? retryAfter(response) ?? usualWaitMs;
    await leave(response);
    if (wait > longestWaitMs) throw new Postponed('limited', limited, wait);
    await pause(Math.max(wait, 1_000), true);
  }

  /** To the whole second, and one more for clocks that differ. */
  function resetIn(response: Response): number | undefined {
    const seconds = Number(response.headers.get('x-ratelimit-reset') ?? Number.NaN);
    if (!Number.isFinite(seconds)) return undefined;
    return Math.min(mostWaitMs, Math.max(0, seconds * 1_000 - now()) + 1_000);
  }

  function retryAfter(response: Response): number | undefined {
    const value = response.headers.get('retry-after');
    if (value === null) return undefined;
    const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - now();
    return Number.isNaN(ms) ? undefined : Math.min(mostWaitMs, Math.max(0, ms));
  }

  /** An answer that lacks what was asked for is none: an empty list would say that everything is gone. */
  const list = (path: string) =>
    patiently(path, async (response) => {
      if (response.status !== 200) return undefined;
      const body: unknown = await response.json();
      if (!isObject(body) || body.result === false || !Array.isArray(body.items)) return undefined;
      return { ...body, items: body.items } as Record<string, unknown> & { items: readonly unknown[] };
    });

  return {
    async list({ collection, page, sort }) {
      const { items, count } = await list(
        `/raindrops/${collection}?perpage=${perPage}&page=${page}&sort=${sort}`,
      );
      if (typeof count !== 'number')
        throw new Postponed('failing', 'Raindrop does not say how many there are.', comeBackMs);
      const isLast = items.length === 0 || (items.length < perPage && (page + 1) * perPage >= count);
      return { items: items.filter(isRaw), count, isLast };
    },

    async get(id) {
      const found = await patiently(`/raindrop/${id}`, async (response) => {
        if (response.status === 404) {
          await leave(response);
          return { raw: undefined };
        }
        if (response.status !== 200) return undefined;
        const body: unknown = await response.json();
        return isObject(body) && isRaw(body.item) ? { raw: body.item } : undefined;
      });
      return found.raw;
    },

    async collections() {
      const roots = await list('/collections');
      const children = await list('/collections/childrens');
      return [...roots.items, ...children.items].flatMap(collectionOf);
    },

    async stats() {
      const { items, meta } = await list('/user/stats');
      const all = items.find((item) => isObject(item) && item._id === 0);
      if (!isObject(all) || typeof all.count !== 'number')
        throw new Postponed('failing', 'Raindrop does not say how many there are.', comeBackMs);
      const changed = isObject(meta) ? Date.parse(String(meta.changedBookmarksDate)) : Number.NaN;
      return { count: all.count, changedMs: Number.isNaN(changed) ? undefined : changed };
    },

    async copy(id, size) {
      try {
        return await patiently(
          `/raindrop/${id}/cache`,
          (response) => copyOf(host, response, size),
          attemptsForCopy,
        );
      } catch (error) {
        // That one copy cannot be had says nothing of the others; that nothing can be had does.
        if (!(error instanceof Postponed) || error.reason !== 'failing') throw error;
        return { kind: 'failed', what: error.message, isForGood: false };
      }
    },
  };
}

/** A wait of `ms` from its start. If the clock is set back meanwhile, `ms` is still the most that is left. */
function createWait(now: () => number) {
  let startedAt = 0;
  let waitMs = 0;
  return {
    start(ms: number): void {
      startedAt = now();
      waitMs = ms;
    },
    leftMs: (): number => Math.min(waitMs, startedAt + waitMs - now()),
  };
}

/** Undefined for what may be better the next time; throws for a body that breaks off. */
async function copyOf(host: MirrorHost, first: Response, size: number): Promise<CopyOutcome | undefined> {
  let response = first;
  for (let hops = 0; isRedirect(response); hops++) {
    const location = response.headers.get('location');
    await leave(response);
    const url = location === null ? null : URL.parse(location, host.api.url);
    if (!url || !/^https?:$/.test(url.protocol) || hops === mostRedirects)
      return { kind: 'failed', what: 'Raindrop led to no address of a copy.', isForGood: false };
    // A signed address: whoever has it may read. The token is for nobody but Raindrop.
    response = await send(host, url.href, {}, copyTimeoutMs);
  }
  const isOfRaindrop = response === first;
  if (isOfRaindrop && (response.status === 403 || response.status === 404)) {
    await leave(response);
    return { kind: 'none' };
  }
  if (response.status !== 200) {
    await leave(response);
    // An address that has run out: the next attempt asks for another.
    if (!isOfRaindrop) throw new Error(`the store of copies answered ${response.status}`);
    return undefined;
  }
  // A compressed stream that was cut is decoded as far as it goes, without a word. Its length tells.
  const sent = Number(response.headers.get('content-length') ?? Number.NaN);
  if (response.headers.get('content-encoding') === 'gzip' && sent < size) {
    await leave(response);
    throw new Error('the copy is shorter than Raindrop says');
  }
  const bytes = await readAtMost(response, mostCopyBytes);
  if (!bytes) return { kind: 'failed', what: 'The copy is larger than 48 MB.', isForGood: true };
  return { kind: 'copy', bytes, contentType: response.headers.get('content-type') ?? 'text/html' };
}

function isRedirect({ status }: Response): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

async function send(
  host: MirrorHost,
  url: string,
  headers: Readonly<Record<string, string>>,
  timeoutMs = defaultTimeoutMs,
): Promise<Response> {
  const signal = AbortSignal.timeout(host.timeoutMs ?? timeoutMs);
  return host.fetch(url, { headers, redirect: 'manual', signal });
}

/** Undefined when it is larger. Throws when fewer bytes come than were announced. */
async function readAtMost(response: Response, most: number): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = (response.body as ReadableStream<Uint8Array> | null)?.getReader();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done) break;
    length += value.length;
    if (length > most) {
      await reader?.cancel();
      return undefined;
    }
    chunks.push(value);
  }
  const announced = response.headers.get('content-length');
  const isPlain = response.headers.get('content-encoding') === null;
  if (isPlain && announced !== null && Number(announced) !== length)
    throw new Error('the copy broke off in the middle');
  if (chunks.length === 1 && chunks[0]) return chunks[0];
  const bytes = new Uint8Array(length);
  let at = 0;
  for (let chunk = chunks.shift(); chunk; chunk = chunks.shift()) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

async function leave(response: Response): Promise<void> {
  await response.body?.cancel().catch(() => {});
}
