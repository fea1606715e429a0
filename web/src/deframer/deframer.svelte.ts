// The feeds of the deframer as the page knows them: asked after for as long as somebody looks, more often while something
// happens. A change shows at once, and is taken back if the server says no.
import { get, patch, post, remove } from '../lib/api.ts';
import type { Deframer, DeframerFeed } from '../lib/api-types.ts';
import { Looking } from '../lib/looking.ts';
import { lookAgainMs, withChange, withSync } from './standing.ts';

const path = '/api/v1/deframer';
const feedPath = (id: string) => `${path}/feeds/${id}`;

export interface NewFeed {
  url: string;
  enforce_feed_domain: boolean;
  enabled: boolean;
  polling: boolean;
  sync: boolean;
}

export class DeframerWatch {
  deframer: Deframer | undefined = $state.raw();
  feeds: DeframerFeed[] | undefined = $state.raw();
  /** What a screen reader is told. */
  announcement = $state('');
  readonly #looking = new Looking({
    ask: () => this.#ask(),
    againInMs: () => lookAgainMs(this.feeds, Date.now()),
  });
  /** How many changes were begun: what was asked for before one of them is of before. */
  #changes = 0;
  #underWay = 0;

  /** Returns how to stop. */
  watch = () => this.#looking.watch();

  async add(feed: NewFeed): Promise<void> {
    const { data } = await this.#changing(() => post<{ data: DeframerFeed }>(`${path}/feeds`, feed));
    this.feeds = [...(this.feeds ?? []).filter(({ id }) => id !== data.id), data];
    this.#looking.lookLater();
  }

  /** Throws what the server says, for a form that shows it. */
  async change(feed: DeframerFeed, change: Parameters<typeof withChange>[1]): Promise<void> {
    await this.#attempt(feed, withChange(feed, change), () =>
      patch<{ data: DeframerFeed }>(feedPath(feed.id), change),
    );
  }

  async sync(feed: DeframerFeed): Promise<void> {
    await this.#attempt(feed, withSync(feed, Date.now()), () =>
      post<{ data: DeframerFeed }>(`${feedPath(feed.id)}/sync`),
    );
  }

  async remove({ id }: DeframerFeed): Promise<void> {
    await this.#changing(() => remove(feedPath(id)));
    this.feeds = this.feeds?.filter((one) => one.id !== id);
    void this.#looking.look();
  }

  async #attempt(
    before: DeframerFeed,
    expected: DeframerFeed,
    send: () => Promise<{ data: DeframerFeed }>,
  ): Promise<void> {
    this.#put(expected);
    try {
      const { data } = await this.#changing(send);
      this.#put(data);
    } catch (error) {
      this.#put(before);
      throw error;
    } finally {
      this.#looking.lookLater();
    }
  }

  async #changing<T>(send: () => Promise<T>): Promise<T> {
    this.#changes += 1;
    this.#underWay += 1;
    try {
      return await send();
    } finally {
      this.#underWay -= 1;
    }
  }

  #put(feed: DeframerFeed): void {
    this.feeds = this.feeds?.map((one) => (one.id === feed.id ? feed : one));
  }

  async #ask(): Promise<void> {
    const changes = this.#changes;
    const [deframer, feeds] = await Promise.all([
      get<{ data: Deframer }>(path),
      get<{ data: DeframerFeed[] }>(`${path}/feeds`),
    ]);
    this.deframer = deframer.data;
    if (this.feeds === undefined || (changes === this.#changes && this.#underWay === 0))
      this.feeds = feeds.data;
  }
}
