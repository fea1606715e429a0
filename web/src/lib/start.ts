// How every page begins: its words, its preferences, then the app in the place that the shell has for it.
import { type Component, mount } from 'svelte';
import { workOffline } from '../offline/register.ts';
import { applyTheme, preferences, syncPreferences } from './preferences.svelte.ts';
import { currentLanguage, loadWords } from './words.ts';

export async function start(App: Component, { loggedIn = true } = {}): Promise<void> {
  // First, since lists wait to know which marks are still on their way.
  if (loggedIn) void workOffline();
  await loadWords(preferences.language || undefined);
  applyTheme();
  const target = document.getElementById('app');
  if (!target) throw new Error('the page has no place for the app');
  target.replaceChildren();
  mount(App, { target });
  if (!loggedIn) return;
  await syncPreferences();
  const wanted = preferences.language;
  if (wanted && wanted !== currentLanguage()) location.reload();
}
