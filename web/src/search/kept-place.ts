// Who comes back from an article finds the list as it was, and where it was, and the answer above it.
import type { Answered } from './asker.svelte.ts';
import type { Found } from './finder.svelte.ts';

interface Place {
  found: Found | undefined;
  answered: Answered | undefined;
  scrolled: number;
}

const key = 'lectern.search';

export function keepPlace(place: Place): void {
  try {
    if (place.found ?? place.answered) sessionStorage.setItem(key, JSON.stringify(place));
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
