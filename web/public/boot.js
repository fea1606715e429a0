// Runs before the first paint, so that no page shows first in one theme and then in another. What is kept in this
// browser is a copy of the preferences of the account (src/lib/preferences.svelte.ts keeps it up to date).
(() => {
  let kept = {};
  try {
    kept = JSON.parse(localStorage.getItem('lectern.preferences') ?? '{}') ?? {};
  } catch {
    // Nothing usable is kept: the system decides.
  }
  const root = document.documentElement;
  const theme = ['light', 'dark', 'sepia'].includes(kept.theme) ? kept.theme : 'system';
  root.dataset.theme = theme;
  if (typeof kept.language === 'string') root.lang = kept.language;
  const dark = theme === 'dark' || (theme === 'system' && matchMedia('(prefers-color-scheme: dark)').matches);
  const colour = dark ? '#191612' : theme === 'sepia' ? '#f3e9d6' : '#fbf9f5';
  document.querySelector('meta[name="theme-color"]')?.setAttribute('content', colour);
})();
