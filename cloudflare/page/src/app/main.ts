// Puts the parts together: the address says where somebody is, and everything follows from it.
import { ask, post, SignedOut } from './api.ts';
import { button, byId, make } from './dom.ts';
import { makeItem } from './item.ts';
import { createList } from './list.ts';
import { makeMirror } from './mirror.ts';
import { type Place, readPlace, writePlace } from './place.ts';

const gate = byId('gate', HTMLElement);
const desk = byId('desk', HTMLDivElement);
const detail = byId('detail', HTMLElement);
const words = byId('search-words', HTMLInputElement);
const tag = byId('search-tag', HTMLInputElement);
const list = createList({ onProblem });

/** Long enough that a word is not asked for letter by letter, short enough to seem at once. */
const typingMs = 150;
let typing: ReturnType<typeof setTimeout> | undefined;
let place = readPlace(location.search);
/** What the detail shows, so that an answer for what was left meanwhile is dropped. */
let detailShows: string | undefined;

function go(to: Place, { replace = false } = {}): void {
  const address = writePlace(to);
  if (replace) history.replaceState(null, '', address);
  else history.pushState(null, '', address);
  void render();
}

async function render({ fromAddress = false } = {}): Promise<void> {
  place = readPlace(location.search);
  if (fromAddress) {
    words.value = place.q;
    tag.value = place.tag;
  }
  desk.dataset.shows = place.show === undefined ? 'list' : 'detail';
  await Promise.all([list.show(place), showDetail(place)]);
}

async function showDetail({ show }: Place): Promise<void> {
  const wanted = typeof show === 'object' ? String(show.id) : 'mirror';
  if (detailShows === wanted) return;
  detailShows = wanted;
  let content: HTMLElement;
  try {
    content = await (typeof show === 'object'
      ? makeItem(show.id, { onTag, onProblem })
      : makeMirror({ onProblem }));
  } catch (error) {
    if (error instanceof SignedOut) return onProblem(error);
    content = make('p', { class: 'empty', role: 'alert' }, messageOf(error));
  }
  if (detailShows !== wanted) return;
  const back = button('Back to the list', 'plain back', () => go({ ...place, show: undefined }));
  detail.replaceChildren(back, content);
  detail.scrollTop = 0;
  document.title = `${content.querySelector('h2')?.textContent ?? 'Mirror'} · Mirror`;
  if (show !== undefined) detail.focus({ preventScroll: true });
}

function onTag(name: string): void {
  tag.value = name;
  words.value = '';
  go({ q: '', tag: name, show: undefined });
}

function onProblem(error: unknown): void {
  if (error instanceof SignedOut) showGate();
  else byId('list-state', HTMLParagraphElement).textContent = messageOf(error);
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

function showGate(): void {
  list.forget();
  detailShows = undefined;
  detail.replaceChildren();
  desk.hidden = true;
  gate.hidden = false;
  byId('gate-token', HTMLInputElement).focus();
}

async function open(): Promise<void> {
  try {
    const { tags } = await ask<{ tags: { name: string; count: number }[] }>('/api/tags');
    const options = tags.map(({ name, count }) =>
      make('option', { value: name, label: `${name} (${count})` }),
    );
    byId('known-tags', HTMLDataListElement).replaceChildren(...options);
  } catch (error) {
    if (error instanceof SignedOut) return showGate();
    onProblem(error);
  }
  gate.hidden = true;
  desk.hidden = false;
  await render({ fromAddress: true });
}

function search(): void {
  clearTimeout(typing);
  const to = { q: words.value.trim(), tag: tag.value.trim(), show: place.show };
  if (to.q !== place.q || to.tag !== place.tag) go(to, { replace: true });
}

for (const field of [words, tag])
  field.addEventListener('input', () => {
    clearTimeout(typing);
    typing = setTimeout(search, typingMs);
  });

byId('search-form', HTMLFormElement).addEventListener('submit', (event) => {
  event.preventDefault();
  search();
});

byId('gate-form', HTMLFormElement).addEventListener('submit', async (event) => {
  event.preventDefault();
  const field = byId('gate-token', HTMLInputElement);
  const problem = byId('gate-problem', HTMLParagraphElement);
  problem.textContent = '';
  try {
    await post('/api/session', { token: field.value });
    field.value = '';
    await open();
  } catch (error) {
    problem.textContent = error instanceof SignedOut ? 'That is not the access token.' : messageOf(error);
    field.select();
  }
});

byId('show-mirror', HTMLButtonElement).addEventListener('click', () => {
  // Asked for again, it is told anew.
  detailShows = undefined;
  go({ ...place, show: 'mirror' });
});
byId('sign-out', HTMLButtonElement).addEventListener('click', async () => {
  await ask('/api/session', { method: 'DELETE' }).catch(onProblem);
  showGate();
});

byId('results', HTMLOListElement).addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (!link || event.metaKey || event.ctrlKey || event.shiftKey) return;
  event.preventDefault();
  // The words may have changed since the row was made.
  go({ ...place, show: { id: Number(link.dataset.id) } });
});

document.addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof HTMLInputElement;
  if (event.key === '/' && !isTyping) {
    event.preventDefault();
    words.focus();
    words.select();
  } else if (event.key === 'Escape' && place.show !== undefined && !isTyping) {
    go({ ...place, show: undefined });
  } else if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && isWithinList(event.target)) {
    const moved = list.step(event.key === 'ArrowDown' ? 1 : -1);
    if (!moved && event.key === 'ArrowUp') words.focus();
    event.preventDefault();
  }
});

const isWithinList = (target: EventTarget | null) =>
  target === words || (target instanceof Element && target.closest('#results') !== null);

addEventListener('popstate', () => void render({ fromAddress: true }));
void open();
