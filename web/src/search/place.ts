// What is searched for and how, and the address that says so: /search?q=heron&mode=text.
import type { SearchMode } from '../lib/api-types.ts';

export interface Place {
  readonly q: string;
  /** As it was last chosen, where the address does not say. */
  readonly mode: SearchMode | undefined;
}

/** In the order of the switch: from words to meaning. */
export const searchModes = ['text', 'hybrid', 'semantic'] as const satisfies readonly SearchMode[];

export function parsePlace(search: string): Place {
  const values = new URLSearchParams(search);
  const mode = values.get('mode');
  return { q: values.get('q') ?? '', mode: searchModes.find((one) => one === mode) };
}

export function placeHref({ q, mode }: Place): string {
  if (q.trim() === '') return '/search';
  return `/search?${new URLSearchParams({ q, ...(mode && { mode }) })}`;
}
