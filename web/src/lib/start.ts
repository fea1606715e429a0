// How every page begins: its words, its preferences, then the app in the place that the shell has for it.
import { type Component, mount } from 'svelte';
import { workOffline } from '../offline/register.ts';
import { applyTheme, isCopyKept, preferences, syncPreferences } from './preferences.svelte.ts';
import { currentLanguage, isLanguage, loadWords } from './words.ts';

/** Sooner than this after a load, another one would find the same. */
const reloadAfterMs = 10_000;

// The server has been upgraded since the page was loaded, and has no such part any more.
addEventListener('vite:preloadError', () => {
  if (performance.now() > reloadAfterMs) location.reload();
});

interface StartOptions {
  loggedIn?: boolean;
  /** What the page needs besides, once the language is known. */
  before?: () => Promise<unknown>;
}

export async function start(App: Component, { loggedIn = true, before }: StartOptions = {}): Promise<void> {
  // First, since lists wait to know which marks are still on their way.
  if (loggedIn) void workOffline();
  await loadWords(preferences.language || undefined);
  await before?.();
  applyTheme();
  const target = document.getElementById('app');
  if (!target) throw new Error('the page has no place for the app');
  target.replaceChildren();
  mount(App, { target });
  if (!loggedIn) return;
  await syncPreferences();
  if (isOtherLanguage(preferences.language)) location.reload();
}

/** Than the page is in; one that it could not be in after a reload either does not count. */
const isOtherLanguage = (wanted: string) =>
  isLanguage(wanted) && wanted !== currentLanguage() && isCopyKept('language');
