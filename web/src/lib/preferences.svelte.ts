// How a person likes their pages. They are kept with the account; the copy in this browser is what boot.js paints by,
// and what serves while the server is out of reach.
import { knownUser } from '../offline/whose.ts';
import { get, patch } from './api.ts';

export interface Preferences {
  theme: 'system' | 'light' | 'dark' | 'sepia';
  language: string;
  font: 'serif' | 'sans' | 'system';
  /** Of the text of an article, in px. */
  size: number;
  /** In characters. */
  measure: number;
  line_height: number;
  justify: boolean;
  density: 'cosy' | 'compact';
  /** What the lists show, and in which order. */
  show: 'unread' | 'all';
  order: 'newest' | 'oldest';
  mark_on_scroll: boolean;
  /** In place of neutral ones, where the deframer has made one. */
  original_titles: boolean;
  feeds_width: number;
  list_width: number;
  hide_feeds: boolean;
  hide_list: boolean;
  /** Leaves out feeds and groups in which all is read. */
  hide_read_feeds: boolean;
  /** Groups that are folded, by id. */
  folded_groups: number[];
  library_view: 'grid' | 'list';
  hide_places: boolean;
  /** Collections that are folded, by id. */
  folded_collections: string[];
  /** The server looks now and then whether saved pages are still there. */
  check_links: boolean;
  /** By words, by meaning, or by both. */
  search_mode: 'text' | 'hybrid' | 'semantic';
}

const usual: Preferences = {
  theme: 'system',
  language: '',
  font: 'serif',
  size: 0,
  measure: 66,
  line_height: 1.6,
  justify: false,
  density: 'cosy',
  show: 'unread',
  order: 'newest',
  mark_on_scroll: false,
  original_titles: false,
  feeds_width: 264,
  list_width: 384,
  hide_feeds: false,
  hide_list: false,
  hide_read_feeds: false,
  folded_groups: [],
  library_view: 'grid',
  hide_places: false,
  folded_collections: [],
  check_links: false,
  search_mode: 'hybrid',
};

/** How articles and lists are set before anybody has chosen otherwise. */
export const usualReading = pick(
  'theme',
  'font',
  'size',
  'measure',
  'line_height',
  'justify',
  'density',
  'order',
  'mark_on_scroll',
  'original_titles',
);

function pick<K extends keyof Preferences>(...names: K[]): Pick<Preferences, K> {
  return Object.fromEntries(names.map((name) => [name, usual[name]])) as Pick<Preferences, K>;
}

const key = 'lectern.preferences';

function readCopy(): Partial<Preferences> {
  try {
    return JSON.parse(localStorage.getItem(key) ?? '{}') ?? {};
  } catch {
    return {};
  }
}

function keepCopy(): void {
  try {
    localStorage.setItem(key, JSON.stringify($state.snapshot(preferences)));
  } catch {
    // A browser that keeps nothing still shows everything.
  }
}

/** Whether the next page will know it from the start. */
export const isCopyKept = (name: keyof Preferences): boolean => readCopy()[name] === preferences[name];

const kindOf = (value: unknown) => (Array.isArray(value) ? 'list' : value === null ? 'null' : typeof value);

/** Only what has the type that it should have: another version of the app may have written it. */
function takeOver(values: Record<string, unknown>): void {
  for (const name of Object.keys(usual) as (keyof Preferences)[]) {
    if (kindOf(values[name]) === kindOf(usual[name])) Object.assign(preferences, { [name]: values[name] });
  }
}

export const preferences: Preferences = $state({ ...usual });
takeOver(readCopy());

const unsentKey = 'lectern.preferences.unsent';

/** What has not reached the server yet, also from before a reload; that of another user is not for this one. */
let unsent: Partial<Preferences> = readUnsent();

function readUnsent(): Partial<Preferences> {
  try {
    const { user, changes } = JSON.parse(localStorage.getItem(unsentKey) ?? '{}');
    return user !== undefined && user === knownUser()?.id ? changes : {};
  } catch {
    return {};
  }
}

function keepUnsent(): void {
  try {
    if (Object.keys(unsent).length === 0) localStorage.removeItem(unsentKey);
    else localStorage.setItem(unsentKey, JSON.stringify({ user: knownUser()?.id, changes: unsent }));
  } catch {
    // They go along with the next change, as long as the page is open.
  }
}

let timer: ReturnType<typeof setTimeout> | undefined;

export function prefer(changes: Partial<Preferences>): void {
  Object.assign(preferences, changes);
  keepCopy();
  applyTheme();
  unsent = { ...unsent, ...changes };
  keepUnsent();
  clearTimeout(timer);
  timer = setTimeout(sendPreferences, 400);
}

/** Sends at once what would be sent in a moment, for a page that is about to be left. */
export async function sendPreferences(): Promise<void> {
  clearTimeout(timer);
  const changes = unsent;
  unsent = {};
  try {
    await patch('/api/me/preferences', changes, { keepalive: true, quietly: true });
  } catch {
    // They hold in this browser, and go along with the next change or the next page.
    unsent = { ...changes, ...unsent };
  }
  keepUnsent();
}

/** Asks the account; before a login there is nothing to ask. */
export async function syncPreferences(): Promise<void> {
  try {
    const { data } = await get<{ data: Record<string, unknown> }>('/api/me/preferences', { quietly: true });
    takeOver({ ...data, ...unsent });
    keepCopy();
    applyTheme();
    if (Object.keys(unsent).length > 0) await sendPreferences();
  } catch {
    // Those of this browser serve.
  }
}

export function applyTheme(): void {
  document.documentElement.dataset.theme = preferences.theme;
  const paper = getComputedStyle(document.documentElement).getPropertyValue('--paper');
  document.querySelector('meta[name="theme-color"]')?.setAttribute('content', paper);
}
