// The list: the newest raindrops, or what a search has found.
import { ask, type Found, type Snippet } from './api.ts';
import { timeElement } from './dates.ts';
import { byId, make } from './dom.ts';
import { type Place, writePlace } from './place.ts';

type Item = Found['items'][number];

export interface ListOptions {
  readonly onProblem: (error: unknown) => void;
}

export function createList({ onProblem }: ListOptions) {
  const results = byId('results', HTMLOListElement);
  const state = byId('list-state', HTMLParagraphElement);
  const more = byId('more', HTMLButtonElement);
  let shown: { place: Place; next: string | null; count: number } | undefined;
  let asking: AbortController | undefined;

  /** An answer that comes after a later question is dropped. */
  async function load(place: Place, cursor: string | undefined): Promise<void> {
    asking?.abort();
    const mine = new AbortController();
    asking = mine;
    results.setAttribute('aria-busy', 'true');
    try {
      const parameters = new URLSearchParams({ q: place.q, tag: place.tag, cursor: cursor ?? '' });
      const found = await ask<Found>(`/api/search?${parameters}`, { signal: mine.signal });
      if (asking === mine) put(place, found, cursor !== undefined);
    } catch (error) {
      if (asking === mine) onProblem(error);
    } finally {
      if (asking === mine) results.removeAttribute('aria-busy');
    }
  }

  function put(place: Place, { items, next }: Found, isMore: boolean): void {
    const rows = items.map((item) => rowOf(item, place));
    const focused = isMore ? rows[0]?.querySelector('a') : undefined;
    if (isMore) results.append(...rows);
    else results.replaceChildren(...rows);
    const count = (isMore ? (shown?.count ?? 0) : 0) + items.length;
    shown = { place, next, count };
    state.textContent = sayCount(place, count, next !== null);
    more.hidden = next === null;
    markCurrent(place);
    focused?.focus({ preventScroll: true });
  }

  function markCurrent({ show }: Place): void {
    for (const link of results.querySelectorAll('a')) {
      const isCurrent = typeof show === 'object' && link.dataset.id === String(show.id);
      if (isCurrent) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
    }
  }

  more.addEventListener('click', () => {
    if (shown?.next) void load(shown.place, shown.next);
  });

  return {
    async show(place: Place): Promise<void> {
      if (shown && shown.place.q === place.q && shown.place.tag === place.tag) return markCurrent(place);
      await load(place, undefined);
    },
    forget(): void {
      asking?.abort();
      shown = undefined;
      results.replaceChildren();
    },
    /** By arrow keys: to the row before or after the one that has the focus. */
    step(by: 1 | -1): boolean {
      const links = [...results.querySelectorAll('a')];
      const at = links.findIndex((link) => link.matches(':focus'));
      const target = links[at + by];
      target?.focus();
      return target !== undefined;
    },
  };
}

function sayCount({ q, tag }: Place, count: number, hasMore: boolean): string {
  const isAsked = q.trim() !== '' || tag !== '';
  if (count === 0)
    return isAsked ? 'Nothing has all of that. Fewer words find more.' : 'Nothing is stored yet.';
  const number = hasMore ? `The first ${count}` : String(count);
  return isAsked ? `${number} found` : `${number}, newest first`;
}

function rowOf(item: Item, place: Place): HTMLLIElement {
  const href = writePlace({ ...place, show: { id: item.id } });
  const said = item.snippet ? snippetOf(item.snippet) : item.excerpt ? [item.excerpt] : [];
  return make(
    'li',
    {},
    make(
      'a',
      { href, class: 'row', 'data-id': String(item.id) },
      make('span', { class: 'row-title', dir: 'auto' }, item.title || item.link),
      said.length > 0 && make('span', { class: 'row-text', dir: 'auto' }, ...said),
      make(
        'span',
        { class: 'row-facts' },
        make('span', { class: 'row-domain' }, item.domain ?? ''),
        item.updated_at !== null && timeElement(item.updated_at),
        item.tags.length > 0 &&
          make('span', { class: 'row-tags' }, item.tags.map((tag) => `#${tag}`).join(' ')),
      ),
    ),
  );
}

function snippetOf({ text, hits, cutBefore, cutAfter }: Snippet): (Node | string)[] {
  const parts: (Node | string)[] = cutBefore ? ['… '] : [];
  let at = 0;
  for (const [from, to] of hits) {
    parts.push(text.slice(at, from), make('mark', {}, text.slice(from, to)));
    at = to;
  }
  return [...parts, text.slice(at), ...(cutAfter ? [' …'] : [])];
}
