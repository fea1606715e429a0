// Searching as somebody types: one question at a time, the newest counts, and what was found stays until there is
// something newer to show. A word that is still being typed is looked for as a word; what it means is asked once typing
// rests, since to find that out costs the server more than the search itself.
import { ApiError, get, messageOf, query } from '../lib/api.ts';
import type { Hit, SearchMode, SearchPage } from '../lib/api-types.ts';
import { prefer, preferences } from '../lib/preferences.svelte.ts';
import { liveQuery, settledQuery } from './live-query.ts';
import { parsePlace, placeHref } from './place.ts';
import { type QueryProblem, queryProblem } from './query-problem.ts';

const pauseMs = 120;
const restMs = 550;
const pageSize = 30;

export interface Found {
  /** What was asked for and how, and what was typed for it. */
  q: string;
  mode: SearchMode;
  typed: string;
  /** Whether this is the answer to all that was typed, in the mode that was chosen. */
  isSettled: boolean;
  hits: Hit[];
  found: number;
  atLeast: boolean;
  facets: SearchPage['facets'];
  notice: string | undefined;
  suggestion: string | undefined;
  next: string | null;
}

export class Finder {
  typed = $state('');
  mode = $state<SearchMode>(preferences.search_mode);
  found: Found | undefined = $state.raw();
  problem: QueryProblem | undefined = $state.raw();
  failure = $state('');
  busy = $state(false);
  #live: ReturnType<typeof setTimeout> | undefined;
  #rest: ReturnType<typeof setTimeout> | undefined;
  #asking: AbortController | undefined;
  /** Whether the entry of the history that we are at is of something that is still being typed. */
  #isDraft = false;

  constructor() {
    this.#takePlace();
  }

  /** Also when somebody goes back or forward. */
  goTo(): void {
    this.#takePlace();
    this.#isDraft = false;
    void this.ask();
  }

  #takePlace(): void {
    const { q, mode } = parsePlace(location.search);
    this.typed = q;
    this.mode = mode ?? preferences.search_mode;
  }

  /** Asks after a short pause, in which more may be typed. */
  type(text: string): void {
    // A letter is no step back; what was searched for before it is one.
    if (!this.#isDraft && this.typed.trim() !== '') history.pushState(null, '', this.#href());
    this.#isDraft = true;
    this.typed = text;
    history.replaceState(history.state, '', this.#href());
    this.#stopTimers();
    if (text.trim() === '') {
      this.#forget();
      return;
    }
    if (this.mode !== 'semantic') this.#live = setTimeout(() => this.#askAsTyped(), pauseMs);
    this.#rest = setTimeout(() => this.ask(), restMs);
  }

  /** Searches for this from now on: one step back leads to what was there before. */
  async search(text: string, mode = this.mode): Promise<void> {
    const before = this.#href();
    this.typed = text;
    this.mode = mode;
    if (this.#href() !== before) history.pushState(null, '', this.#href());
    this.#isDraft = false;
    await this.ask();
  }

  async choose(mode: SearchMode): Promise<void> {
    prefer({ search_mode: mode });
    await this.search(this.typed, mode);
  }

  #href(): string {
    return placeHref({ q: this.typed, mode: this.mode });
  }

  /** Asks for all that was typed, at once. */
  async ask(): Promise<void> {
    this.#stopTimers();
    const { typed, mode } = this;
    const q = settledQuery(typed);
    if (q === '') return this.#forget();
    await this.#find({ q, mode, typed, isSettled: true });
  }

  async #askAsTyped(): Promise<void> {
    const { typed } = this;
    const q = liveQuery(typed);
    if (q === '') return;
    const isSettled = this.mode === 'text' && q === settledQuery(typed);
    await this.#find({ q, mode: 'text', typed, isSettled });
  }

  /** What comes last stays: nobody who has gone into the list wants it to be another. */
  rest(): void {
    this.#stopTimers();
  }

  #stopTimers(): void {
    clearTimeout(this.#live);
    clearTimeout(this.#rest);
  }

  async #find(asked: Pick<Found, 'q' | 'mode' | 'typed' | 'isSettled'>): Promise<void> {
    const { found } = this;
    if (found?.q === asked.q && found.mode === asked.mode && !this.problem && !this.failure) {
      this.#asking?.abort();
      this.busy = false;
      this.found = { ...found, ...asked };
      return;
    }
    await this.#request(asked, {}, ({ data, found, at_least, facets, notice, suggestion, next_cursor }) => {
      this.found = {
        ...asked,
        ...{ hits: data, found, atLeast: at_least, facets, notice, suggestion, next: next_cursor },
      };
    });
  }

  /** The next page of what was found. */
  async more(): Promise<void> {
    const before = this.found;
    if (!before?.next || this.busy) return;
    await this.#request(before, { cursor: before.next }, ({ data, next_cursor }) => {
      this.found = { ...before, hits: [...before.hits, ...data], next: next_cursor };
    });
  }

  async #request(
    { q, mode, isSettled }: Pick<Found, 'q' | 'mode' | 'isSettled'>,
    more: { cursor?: string },
    take: (page: SearchPage) => void,
  ): Promise<void> {
    this.#asking?.abort();
    const asking = new AbortController();
    this.#asking = asking;
    this.busy = true;
    try {
      const page = await get<SearchPage>(`/api/v1/search${query({ q, mode, ...more, limit: pageSize })}`, {
        signal: asking.signal,
      });
      if (asking.signal.aborted) return;
      this.problem = undefined;
      this.failure = '';
      take(page);
    } catch (error) {
      if (asking.signal.aborted) return;
      const message = messageOf(error);
      const isRefused = error instanceof ApiError && error.status === 400;
      // What is half typed may well be wrong: it is said once typing rests.
      if (isRefused && !isSettled) return;
      this.problem = isRefused ? queryProblem(message) : undefined;
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
