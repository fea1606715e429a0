// The feeds of the deframer as the page knows them: asked after for as long as somebody looks, more often while something
// happens. A change shows at once, and is taken back if the server says no.
import { get, messageOf, patch, post, remove } from '../lib/api.ts';
import type { Deframer, DeframerFeed } from '../lib/api-types.ts';
import { toast } from '../lib/toasts.svelte.ts';
import { words } from '../lib/words.ts';
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
  #timer: ReturnType<typeof setTimeout> | undefined;
  #looking: Promise<void> | undefined;
  #told = false;
  #isWatched = false;
  /** How many changes were begun: what was asked for before one of them is of before. */
  #changes = 0;
  #underWay = 0;

  /** Returns how to stop. */
  watch(): () => void {
    const onLook = () => {
      clearTimeout(this.#timer);
      if (!document.hidden) void this.look();
    };
    this.#isWatched = true;
    document.addEventListener('visibilitychange', onLook);
    onLook();
    return () => {
      this.#isWatched = false;
      document.removeEventListener('visibilitychange', onLook);
      clearTimeout(this.#timer);
    };
  }

  /** One question at a time. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
      this.#lookLater();
    });
    return this.#looking;
  }

  async add(feed: NewFeed): Promise<void> {
    const { data } = await this.#changing(() => post<{ data: DeframerFeed }>(`${path}/feeds`, feed));
    this.feeds = [...(this.feeds ?? []).filter(({ id }) => id !== data.id), data];
    this.#lookLater();
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
    void this.look();
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
      this.#lookLater();
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

  async #look(): Promise<void> {
    clearTimeout(this.#timer);
    const changes = this.#changes;
    try {
      const [deframer, feeds] = await Promise.all([
        get<{ data: Deframer }>(path),
        get<{ data: DeframerFeed[] }>(`${path}/feeds`),
      ]);
      this.deframer = deframer.data;
      if (this.feeds === undefined || (changes === this.#changes && this.#underWay === 0))
        this.feeds = feeds.data;
      this.#told = false;
    } catch (error) {
      // Once, not every half minute.
      if (!this.#told)
        toast(messageOf(error), {
          bad: true,
          action: { label: words().actions.retry, run: () => this.look() },
        });
      this.#told = true;
    }
  }

  #lookLater(): void {
    clearTimeout(this.#timer);
    if (!this.#isWatched || document.hidden || this.#looking) return;
    this.#timer = setTimeout(() => this.look(), lookAgainMs(this.feeds, Date.now()));
  }
}
