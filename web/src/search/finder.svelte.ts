// Searching as somebody types: one question at a time, the newest counts, and what was found stays until there is
// something newer to show.
import { ApiError, get, messageOf, query } from '../lib/api.ts';
import type { Hit, SearchPage } from '../lib/api-types.ts';
import { liveQuery } from './live-query.ts';
import { type QueryProblem, queryProblem } from './query-problem.ts';

const pauseMs = 120;
const pageSize = 30;

export interface Found {
  /** What was asked for, and what was typed for it. */
  q: string;
  typed: string;
  hits: Hit[];
  found: number;
  atLeast: boolean;
  next: string | null;
}

export class Finder {
  typed = $state('');
  found: Found | undefined = $state.raw();
  problem: QueryProblem | undefined = $state.raw();
  failure = $state('');
  busy = $state(false);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asking: AbortController | undefined;

  /** Asks after a short pause, in which more may be typed. */
  type(text: string): void {
    this.typed = text;
    clearTimeout(this.#timer);
    if (liveQuery(text) === '') this.#forget();
    else this.#timer = setTimeout(() => this.ask(), pauseMs);
  }

  /** Asks at once. */
  async ask(): Promise<void> {
    clearTimeout(this.#timer);
    const typed = this.typed;
    const q = liveQuery(typed);
    if (q === '') return this.#forget();
    if (q === this.found?.q && !this.problem && !this.failure) {
      this.#asking?.abort();
      this.busy = false;
      this.found = { ...this.found, typed };
      return;
    }
    await this.#request({ q }, (page) => {
      this.found = { q, typed, ...resultOf(page) };
    });
  }

  /** The next page of what was found. */
  async more(): Promise<void> {
    const before = this.found;
    if (!before?.next || this.busy) return;
    await this.#request({ q: before.q, cursor: before.next }, (page) => {
      const rest = resultOf(page);
      this.found = { ...before, hits: [...before.hits, ...rest.hits], next: rest.next };
    });
  }

  async #request(values: { q: string; cursor?: string }, take: (page: SearchPage) => void): Promise<void> {
    this.#asking?.abort();
    const asking = new AbortController();
    this.#asking = asking;
    this.busy = true;
    try {
      const page = await get<SearchPage>(`/api/v1/search${query({ ...values, limit: pageSize })}`, {
        signal: asking.signal,
      });
      if (asking.signal.aborted) return;
      this.problem = undefined;
      this.failure = '';
      take(page);
    } catch (error) {
      if (asking.signal.aborted) return;
      const message = messageOf(error);
      this.problem = error instanceof ApiError && error.status === 400 ? queryProblem(message) : undefined;
      this.failure = this.problem ? '' : message;
    } finally {
      if (this.#asking === asking) this.busy = false;
    }
  }

  #forget(): void {
    this.#asking?.abort();
    this.busy = false;
    this.found = undefined;
    this.problem = undefined;
    this.failure = '';
  }
}

function resultOf({ data, found, at_least, next_cursor }: SearchPage) {
  return { hits: data, found, atLeast: at_least, next: next_cursor };
}
