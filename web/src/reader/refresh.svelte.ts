// Watches feeds being fetched: those that somebody asked for here, in another tab, or before the page was loaded anew.
import { messageOf, post } from '../lib/api.ts';
import type { Feed } from '../lib/api-types.ts';
import { toast } from '../lib/toasts.svelte.ts';
import { subscriptions } from './subscriptions.svelte.ts';

interface Progress {
  total: number;
  done: number;
  failed: number;
  put_off: number;
  waiting: number;
  finished?: boolean;
}

class Refresh {
  progress = $state.raw<{ ended: number; total: number } | null>(null);
  /** Counts the times that something new was found. */
  news = $state(0);
  #source: EventSource | undefined;

  async start(): Promise<void> {
    this.progress ??= { ended: 0, total: 0 };
    try {
      await post('/api/feeds/refresh');
      this.watch(5);
    } catch (error) {
      this.progress = null;
      toast(messageOf(error), { bad: true });
    }
  }

  /** Until nothing is under way; also counts what ended within some seconds before. */
  watch(withinSeconds = 0): void {
    this.#source?.close();
    const source = new EventSource(`/api/feeds/refresh/events?within=${withinSeconds}`);
    this.#source = source;
    source.addEventListener('feed', ({ data }) => this.#onFeed(JSON.parse(data)));
    source.addEventListener('progress', ({ data }) => {
      const { total, done, failed, put_off, finished }: Progress = JSON.parse(data);
      this.progress = finished || total === 0 ? null : { ended: done + failed + put_off, total };
      if (finished) source.close();
    });
    source.onerror = () => {
      // The browser comes back by itself, unless the server will have none of it.
      if (source.readyState === EventSource.CLOSED) this.progress = null;
    };
  }

  #onFeed(feed: Pick<Feed, 'id' | 'icon' | 'unread_count' | 'item_count' | 'fetch_state'>): void {
    const before = subscriptions.byId.get(feed.id);
    if (!before) return;
    subscriptions.takeOver(feed);
    if (feed.item_count > before.item_count || feed.unread_count > before.unread_count) this.news += 1;
    if (before.fetch_state.last_success_at > 0) return;
    // The first fetch of a feed finds its name; the icon of its site comes a little later.
    subscriptions.loadSoon();
    subscriptions.loadLater();
  }
}

export const refresh = new Refresh();
