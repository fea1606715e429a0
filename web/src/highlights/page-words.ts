// The sentences of the page of all highlights, which no other page says.
import { currentLanguage } from '../lib/words.ts';
import { highlights as english } from '../words/en/highlights.ts';
import { loadHighlightingWords } from './words.ts';

export type HighlightsWords = typeof english;

let chosen: HighlightsWords = english;

export const highlightsWords = (): HighlightsWords => chosen;

export async function loadHighlightsWords(): Promise<void> {
  await loadHighlightingWords();
  if (currentLanguage() === 'de') chosen = (await import('../words/de/highlights.ts')).highlights;
}
