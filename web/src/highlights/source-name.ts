// What people call the source of a highlight.
import { highlightingWords } from './words.ts';

const names: Record<string, string> = {
  light: 'Light',
  research: 'Research',
  kindle: 'Kindle',
  readwise: 'Readwise',
  hypothesis: 'Hypothesis',
  koreader: 'KOReader',
};
/** What Light calls itself where nobody has given it a name. */
const unnamedLight = /^light_[0-9a-f-]{32,36}$/i;

export function sourceName(source: string): string {
  const { sources } = highlightingWords();
  if (source === 'lectern') return sources.lectern;
  if (source === 'restored') return sources.restored;
  return names[source] ?? (unnamedLight.test(source) ? 'Light' : source);
}
