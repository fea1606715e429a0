// Clients that write to all APIs of a cluster, try again what was refused, and keep a ledger of what was acknowledged.
import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '../random.ts';
import { type FactKind, Ledger, type Value } from './ledger.ts';

export interface ClientOptions {
  /** The addresses of the APIs that run. */
  readonly apis: () => readonly string[];
  readonly token: string;
  /** Where feeds and pages are. */
  readonly site: string;
  readonly random: Random;
  readonly requestsPerSecond: number;
}

/** What the clients saw since they were asked last. */
export interface Seen {
  acknowledged: number;
  /** Answers 429 and 503 with Retry-After, and requests without an answer. */
  refused: number;
  /** Answers that say that Lectern failed: 500, or 503 without Retry-After. */
  readonly failures: string[];
  /** Answers that make no sense after what was done before. */
  readonly unexpected: string[];
  slowestAnswerMs: number;
}

interface Change {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  /** An answer that means that an earlier attempt had succeeded, although it was not answered. */
  readonly doneBefore?: number;
}

interface Done {
  readonly body: unknown;
  /** True if the first attempt was acknowledged: no earlier one can still take effect. */
  readonly isSettled: boolean;
}

const clientCount = 6;
const maxAttemptMs = 20_000;
/** A client that is refused for longer gives up. What it wanted may or may not have happened. */
const maxRetryMs = 180_000;
const maxFeeds = 12;
const maxDeframerFeeds = 12;

export class LedgerClients {
  readonly ledger = new Ledger();
  readonly #options: ClientOptions;
  readonly #clients: LedgerClient[];
  #seen = nothingSeen();

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#clients = Array.from(
      { length: clientCount },
      (_, n) => new LedgerClient(n, this, options, clientCount / options.requestsPerSecond),
    );
  }

  get seen(): Seen {
    return this.#seen;
  }

  takeSeen(): Seen {
    const seen = this.#seen;
    this.#seen = nothingSeen();
    return seen;
  }

  start(): void {
    for (const client of this.#clients) client.start();
  }

  /** Resolves when every change that was begun is acknowledged or given up. */
  async pause(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.stop()));
  }

  /** Sends one request, and judges its answer. Undefined if there was none, or if it was a refusal. */
  async ask(
    api: string,
    { method, path, body }: Change,
  ): Promise<{ status: number; body: unknown } | undefined> {
    const began = performance.now();
    try {
      const answer = await fetch(api + path, {
        method,
        headers: { Authorization: `Bearer ${this.#options.token}`, 'Content-Type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(maxAttemptMs),
      });
      const text = await answer.text();
      const tookMs = performance.now() - began;
      this.#seen.slowestAnswerMs = Math.max(this.#seen.slowestAnswerMs, tookMs);
      if (answer.status < 500 && answer.status !== 429)
        return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
      const isRefusal = [429, 503, 504].includes(answer.status) && answer.headers.has('retry-after');
      if (!isRefusal) this.#seen.failures.push(`${method} ${path}: ${answer.status} ${text.slice(0, 200)}`);
    } catch {
      // No answer: the API was killed, or stands still.
    }
    this.#seen.refused += 1;
    return undefined;
  }
}

function nothingSeen(): Seen {
  return { acknowledged: 0, refused: 0, failures: [], unexpected: [], slowestAnswerMs: 0 };
}

class LedgerClient {
  readonly #number: number;
  readonly #all: LedgerClients;
  readonly #options: ClientOptions;
  readonly #gapMs: number;
  #running: Promise<void> | undefined;
  #isStopping = false;
  #made = 0;
  /** Things whose last change was acknowledged at once, so that the next change cannot be overtaken by it. */
  readonly #groups: { readonly id: number; readonly name: string }[] = [];
  readonly #items: { readonly id: string; readonly url: string; readonly tags: string[]; status: string }[] =
    [];
  readonly #stars: { readonly id: number; readonly entry: string }[] = [];
  readonly #feeds: { readonly id: number; readonly link: string }[] = [];
  readonly #deframerFeeds: { readonly id: string; readonly url: string }[] = [];
  readonly #unsettledEntries = new Set<number>();
  #entries: number[] = [];
  #preference = 0;
  #light: { source: string; texts: readonly string[] } | undefined;

  constructor(number: number, all: LedgerClients, options: ClientOptions, gapSeconds: number) {
    this.#number = number;
    this.#all = all;
    this.#options = options;
    this.#gapMs = gapSeconds * 1_000;
  }

  start(): void {
    this.#isStopping = false;
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#isStopping) {
      await this.#actOnce();
      await pause(this.#gapMs * (0.5 + this.#options.random.fraction()));
    }
  }

  #actOnce(): Promise<void> {
    const of = this.#options.random.fraction();
    if (of < 0.22) return this.#mark();
    if (of < 0.31) return this.#star();
    if (of < 0.35) return this.#unstar();
    if (of < 0.48) return this.#saveItem();
    if (of < 0.58) return this.#changeItem();
    if (of < 0.62) return this.#deleteItem();
    if (of < 0.66) return this.#renameTag();
    if (of < 0.76) return this.#setPreference();
    if (of < 0.86) return this.#syncHighlights();
    if (of < 0.91) return this.#addGroup();
    if (of < 0.93) return this.#deleteGroup();
    if (of < 0.95) return this.#addFeed();
    if (of < 0.96) return this.#deleteFeed();
    if (of < 0.98) return this.#addDeframerFeed();
    if (of < 0.985) return this.#deleteDeframerFeed();
    return this.#runFeeds();
  }

  /** A change of one thing. Undefined when it was given up. */
  async #change(kind: FactKind, key: string, value: Value, change: Change): Promise<Done | undefined> {
    this.#all.ledger.sent(kind, key, value);
    const done = await this.#send(change);
    if (done) this.#all.ledger.acknowledged(kind, key, value);
    return done;
  }

  async #send(change: Change): Promise<Done | undefined> {
    const { random, apis } = this.#options;
    const deadline = performance.now() + maxRetryMs;
    for (let attempt = 1; performance.now() < deadline; attempt++) {
      const answer = await this.#all.ask(random.oneOf(apis()), change);
      if (!answer) {
        await pause(200 + random.below(600));
        continue;
      }
      const { status, body } = answer;
      const isDone = status < 300 || (attempt > 1 && status === change.doneBefore);
      if (isDone) {
        this.#all.seen.acknowledged += 1;
        return { body, isSettled: attempt === 1 };
      }
      this.#all.seen.unexpected.push(
        `${change.method} ${change.path}, attempt ${attempt}: ${status} ${JSON.stringify(body)?.slice(0, 200)}`,
      );
      return undefined;
    }
    return undefined;
  }

  #newName(kind: string): string {
    this.#made += 1;
    return `${kind}-${this.#number}-${this.#made}`;
  }

  /** Takes one out of a list. */
  #take<T>(list: T[]): T | undefined {
    return list.splice(this.#options.random.below(Math.max(1, list.length)), 1)[0];
  }

  async #anEntry(): Promise<number | undefined> {
    if (this.#entries.length === 0 || this.#options.random.below(20) === 0) {
      const answer = await this.#all.ask(this.#options.random.oneOf(this.#options.apis()), {
        method: 'GET',
        path: '/api/items?limit=200&view=brief&order_by=created_at',
      });
      const { data = [] } = (answer?.body ?? {}) as { data?: { id: number; link: string }[] };
      // Entries of feeds that are deleted again are not marked. Each client has its own entries.
      this.#entries = data
        .filter(({ link }) => link.startsWith(`${this.#options.site}/entry/main-`))
        .map(({ id }) => id)
        .filter((id) => id % clientCount === this.#number && !this.#unsettledEntries.has(id));
    }
    return this.#entries.length > 0 ? this.#options.random.oneOf(this.#entries) : undefined;
  }

  #retire(entry: number): void {
    this.#unsettledEntries.add(entry);
    this.#entries = this.#entries.filter((id) => id !== entry);
  }

  async #mark(): Promise<void> {
    const entry = await this.#anEntry();
    if (entry === undefined) return;
    const word = this.#options.random.below(3) === 0 ? 'unread' : 'read';
    const done = await this.#change('mark', String(entry), word, {
      method: 'PATCH',
      path: `/api/items/-/${word}`,
      body: { ids: [entry] },
    });
    if (!done?.isSettled) this.#retire(entry);
  }

  async #star(): Promise<void> {
    const entry = await this.#anEntry();
    if (entry === undefined) return;
    const done = await this.#change('star', String(entry), 'there', {
      method: 'POST',
      path: '/api/bookmarks',
      body: { item_id: entry },
    });
    if (!done?.isSettled) this.#retire(entry);
    else this.#stars.push({ id: (done.body as { data: { id: number } }).data.id, entry: String(entry) });
  }

  async #unstar(): Promise<void> {
    const star = this.#take(this.#stars);
    if (!star) return;
    // It may have been starred twice.
    for (let at = this.#stars.length - 1; at >= 0; at--)
      if (this.#stars[at]?.entry === star.entry) this.#stars.splice(at, 1);
    const done = await this.#change('star', star.entry, undefined, {
      method: 'DELETE',
      path: `/api/bookmarks/${star.id}`,
      doneBefore: 404,
    });
    if (!done?.isSettled) this.#retire(Number(star.entry));
  }

  async #saveItem(): Promise<void> {
    const url = `${this.#options.site}/page/${this.#newName('item')}`;
    const tag = this.#newName('tag');
    this.#all.ledger.sent('tag', `${url} ${tag}`, 'there');
    const done = await this.#change('item', url, 'unread', {
      method: 'POST',
      path: '/api/v1/items',
      body: { url, tags: [tag] },
    });
    if (!done) return;
    this.#all.ledger.acknowledged('tag', `${url} ${tag}`, 'there');
    if (done.isSettled)
      this.#items.push({ id: (done.body as { id: string }).id, url, tags: [tag], status: 'unread' });
  }

  async #changeItem(): Promise<void> {
    const item = this.#take(this.#items);
    if (!item) return;
    const status = item.status === 'unread' ? 'archived' : 'unread';
    const done = await this.#change('item', item.url, status, {
      method: 'PATCH',
      path: `/api/v1/items/${item.id}`,
      body: { status },
    });
    if (done?.isSettled) this.#items.push({ ...item, status });
  }

  async #deleteItem(): Promise<void> {
    const item = this.#take(this.#items);
    if (!item) return;
    const tags = item.tags.map((tag) => `${item.url} ${tag}`);
    for (const key of tags) this.#all.ledger.sent('tag', key, undefined);
    const done = await this.#change('item', item.url, undefined, {
      method: 'DELETE',
      path: `/api/v1/items/${item.id}`,
      doneBefore: 404,
    });
    if (done) for (const key of tags) this.#all.ledger.acknowledged('tag', key, undefined);
  }

  async #renameTag(): Promise<void> {
    const item = this.#take(this.#items);
    const oldName = item?.tags[0];
    if (!item || oldName === undefined) return;
    const newName = this.#newName('renamed');
    this.#all.ledger.sent('tag', `${item.url} ${oldName}`, undefined);
    const done = await this.#change('tag', `${item.url} ${newName}`, 'there', {
      method: 'PATCH',
      path: `/api/v1/tags/${oldName}`,
      body: { newName },
      doneBefore: 404,
    });
    if (!done) return;
    this.#all.ledger.acknowledged('tag', `${item.url} ${oldName}`, undefined);
    if (done.isSettled) this.#items.push({ ...item, tags: [newName] });
  }

  async #setPreference(): Promise<void> {
    const name = `ledger.${this.#number}.${this.#preference}`;
    const value = this.#newName('value');
    const done = await this.#change('preference', name, JSON.stringify(value), {
      method: 'PATCH',
      path: '/api/me/preferences',
      body: { [name]: value },
    });
    // A user has room for a hundred: after the last, values are set that were set long ago.
    if (!done?.isSettled) this.#preference = (this.#preference + 1) % 12;
  }

  async #syncHighlights(): Promise<void> {
    const { random, site } = this.#options;
    const { source, texts: before } = this.#light ?? { source: this.#newName('light'), texts: [] };
    const kept = before.filter(() => random.below(5) > 0);
    const added = Array.from({ length: 1 + random.below(20) }, () => this.#newName('highlight'));
    const texts = [...kept, ...added].slice(-100);
    const all = new Set([...before, ...texts]);
    const valueAfter = (text: string) => (texts.includes(text) ? 'there' : undefined);
    for (const text of all) this.#all.ledger.sent('highlight', `${source} ${text}`, valueAfter(text));
    const page = `${site}/highlighted/${source}`;
    const done = await this.#send({
      method: 'POST',
      path: '/api/light/sync',
      body: {
        source,
        highlights: {
          [page]: texts.map((repr) => ({ groupID: Number(repr.split('-').at(-1)), repr })),
        },
      },
    });
    if (done)
      for (const text of all)
        this.#all.ledger.acknowledged('highlight', `${source} ${text}`, valueAfter(text));
    this.#light = done?.isSettled ? { source, texts } : undefined;
  }

  async #addGroup(): Promise<void> {
    const name = this.#newName('group');
    const done = await this.#change('group', name, 'there', {
      method: 'POST',
      path: '/api/groups',
      body: { name },
      doneBefore: 409,
    });
    if (done?.isSettled) this.#groups.push({ id: (done.body as { data: { id: number } }).data.id, name });
  }

  async #deleteGroup(): Promise<void> {
    const group = this.#take(this.#groups);
    if (!group) return;
    await this.#change('group', group.name, undefined, {
      method: 'DELETE',
      path: `/api/groups/${group.id}`,
      doneBefore: 404,
    });
  }

  async #addFeed(): Promise<void> {
    if (this.#feeds.length >= maxFeeds / clientCount) return;
    const link = `${this.#options.site}/feed/${this.#newName('extra')}`;
    const done = await this.#change('feed', link, 'there', {
      method: 'POST',
      path: '/api/feeds',
      body: { link },
      doneBefore: 409,
    });
    if (done?.isSettled) this.#feeds.push({ id: (done.body as { data: { id: number } }).data.id, link });
  }

  async #deleteFeed(): Promise<void> {
    const feed = this.#take(this.#feeds);
    if (!feed) return;
    await this.#change('feed', feed.link, undefined, {
      method: 'DELETE',
      path: `/api/feeds/${feed.id}`,
      doneBefore: 404,
    });
  }

  /** Adding is more than one transaction, so that a client has to finish what an attempt began. */
  async #addDeframerFeed(): Promise<void> {
    if (this.#deframerFeeds.length >= maxDeframerFeeds / clientCount) return;
    const url = `${this.#options.site}/news/${this.#newName('deframed')}`;
    this.#all.ledger.sent('deframer', url, 'off');
    this.#all.ledger.sent('deframer', url, 'polled');
    const added = await this.#send({
      method: 'POST',
      path: '/api/v1/deframer/feeds',
      body: { url, enabled: true, polling: true, sync: true, root_domain: null, enforce_feed_domain: false },
      doneBefore: 409,
    });
    const id = added && (added.isSettled ? idOf(added.body) : await this.#findDeframerFeed(url));
    if (id === undefined) return;
    if (!added?.isSettled) {
      const path = `/api/v1/deframer/feeds/${id}`;
      if (!(await this.#send({ method: 'PATCH', path, body: { enabled: true, polling: true } }))) return;
      if (!(await this.#send({ method: 'POST', path: `${path}/sync` }))) return;
    }
    this.#all.ledger.acknowledged('deframer', url, 'polled');
    if (added?.isSettled) this.#deframerFeeds.push({ id, url });
  }

  async #findDeframerFeed(url: string): Promise<string | undefined> {
    const listed = await this.#send({ method: 'GET', path: '/api/v1/deframer/feeds' });
    const { data = [] } = (listed?.body ?? {}) as { data?: { id: string; url: string }[] };
    return data.find((feed) => feed.url === url)?.id;
  }

  async #deleteDeframerFeed(): Promise<void> {
    const feed = this.#take(this.#deframerFeeds);
    if (!feed) return;
    await this.#change('deframer', feed.url, undefined, {
      method: 'DELETE',
      path: `/api/v1/deframer/feeds/${feed.id}`,
      doneBefore: 409,
    });
  }

  async #runFeeds(): Promise<void> {
    const [feed] = this.#deframerFeeds;
    if (feed) await this.#send({ method: 'POST', path: `/api/v1/deframer/feeds/${feed.id}/sync` });
    else await this.#send({ method: 'POST', path: '/api/feeds/refresh' });
  }
}

function idOf(body: unknown): string {
  return (body as { data: { id: string } }).data.id;
}
