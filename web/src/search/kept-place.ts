// Who comes back from an article finds the list as it was, and where it was.
import type { Found } from './finder.svelte.ts';

interface Place {
  found: Found;
  scrolled: number;
}

const key = 'lectern.search';

export function keepPlace(found: Found | undefined, scrolled: number): void {
  try {
    if (found) sessionStorage.setItem(key, JSON.stringify({ found, scrolled } satisfies Place));
    else sessionStorage.removeItem(key);
  } catch {
    // Then the search is made again.
  }
}

/** Only for who comes back: who comes anew wants what is found now. */
export function keptPlace(): Place | undefined {
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  if (navigation?.type !== 'back_forward') return undefined;
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}
