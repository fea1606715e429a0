// One raindrop: what is known of it, and below that its permanent copy or its text.
import { ask, askText, type WholeRaindrop } from './api.ts';
import { sayNumber, timeElement } from './dates.ts';
import { button, make } from './dom.ts';
import { createTabs } from './tabs.ts';

export interface ItemOptions {
  readonly onTag: (tag: string) => void;
  readonly onProblem: (error: unknown) => void;
}

export async function makeItem(id: number, options: ItemOptions): Promise<HTMLElement> {
  const item = await ask<WholeRaindrop>(`/api/raindrops/${id}`);
  const tabs = createTabs('What is kept', [
    { name: 'Permanent copy', fill: (panel) => fillCopy(panel, item) },
    { name: 'Plain text', fill: (panel) => fillText(panel, item, options) },
  ]);
  tabs.open(item.has_copy ? 0 : 1);
  return make('article', { class: 'item' }, headOf(item, options), tabs.element);
}

function headOf(item: WholeRaindrop, { onTag }: ItemOptions): HTMLElement {
  const title = item.title || item.link;
  return make(
    'header',
    { class: 'item-head' },
    make('h2', { class: 'item-title', dir: 'auto' }, title),
    make('p', { class: 'item-link' }, linkTo(item.link)),
    make(
      'p',
      { class: 'item-facts' },
      item.created_at !== null && make('span', {}, 'Saved ', timeElement(item.created_at)),
      item.updated_at !== null &&
        item.updated_at !== item.created_at &&
        make('span', {}, 'Changed ', timeElement(item.updated_at)),
      !!item.meta?.fetched_at && make('span', {}, 'Copied ', timeElement(item.meta.fetched_at)),
      typeof item.text?.word_count === 'number' &&
        make('span', {}, `${sayNumber(item.text.word_count)} words`),
    ),
    item.tags.length > 0 &&
      make(
        'p',
        { class: 'item-tags' },
        ...item.tags.map((tag) => {
          const chip = button(`#${tag}`, 'plain small', () => onTag(tag));
          chip.setAttribute('aria-label', `Show all with the tag ${tag}`);
          return chip;
        }),
      ),
  );
}

/** A raindrop can have any address; only one of the web is followed from here. */
function linkTo(link: string): HTMLElement {
  const isWeb = URL.canParse(link) && /^https?:$/.test(new URL(link).protocol);
  if (!isWeb) return make('span', {}, link);
  return make('a', { href: link, rel: 'noreferrer noopener', target: '_blank' }, link);
}

const whyNoCopy: Readonly<Record<string, string>> = {
  none: 'Raindrop has no permanent copy of this one. It makes them for Pro accounts.',
  pending: 'Raindrop is still making its permanent copy. It is asked for again.',
  refused: 'Raindrop could not make a permanent copy of this page.',
  failed: 'The permanent copy could not be downloaded. It is tried again.',
};

const sayWhyNoCopy = (state = 'none') => whyNoCopy[state] ?? `Raindrop says of its permanent copy: ${state}.`;

function fillCopy(panel: HTMLElement, item: WholeRaindrop): void {
  const address = `/api/raindrops/${item.id}/copy`;
  const type = item.meta?.content_type ?? 'text/html';
  if (!item.has_copy) {
    panel.append(noteOf('No copy', sayWhyNoCopy(item.meta?.copy)));
  } else if (/^(text\/|image\/|application\/xhtml)/i.test(type)) {
    // Locked twice: by this attribute, and by the policy that the copy comes with.
    panel.append(
      make('iframe', { class: 'copy', sandbox: '', src: address, title: `Permanent copy of ${item.title}` }),
    );
  } else {
    // Browsers show no PDF within such a lock.
    const name = /pdf/i.test(type) ? `raindrop-${item.id}.pdf` : `raindrop-${item.id}`;
    const link = make('a', { class: 'button primary', href: address, download: name }, 'Download the copy');
    panel.append(noteOf('A file', `The permanent copy is ${type}.`, link));
  }
}

async function fillText(panel: HTMLElement, item: WholeRaindrop, { onProblem }: ItemOptions): Promise<void> {
  try {
    const text = await askText(`/api/raindrops/${item.id}/text`);
    if (text.trim() === '') panel.append(noteOf('No text', 'No text could be read from the copy.'));
    else panel.append(make('div', { class: 'text', dir: 'auto', lang: '' }, text));
  } catch (error) {
    panel.append(noteOf('No text', error instanceof Error ? error.message : String(error)));
    onProblem(error);
  }
}

function noteOf(title: string, text: string, action?: HTMLElement): HTMLElement {
  return make('div', { class: 'empty' }, make('h3', {}, title), make('p', {}, text), action);
}
