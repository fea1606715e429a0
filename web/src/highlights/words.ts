// The sentences about highlights. They come with the parts that say them, so that a page without highlights does not load
// them.
import { currentLanguage } from '../lib/words.ts';
import { highlighting as english } from '../words/en/highlighting.ts';

export type HighlightingWords = typeof english;

let chosen: HighlightingWords = english;

export const highlightingWords = (): HighlightingWords => chosen;

export async function loadHighlightingWords(): Promise<void> {
  if (currentLanguage() === 'de') chosen = (await import('../words/de/highlighting.ts')).highlighting;
}
