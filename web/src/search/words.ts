// The sentences of the search page, which no other page says.
import { currentLanguage } from '../lib/words.ts';
import { search as english } from '../words/en/search.ts';

export type SearchWords = typeof english;

let chosen: SearchWords = english;
export const searchWords = (): SearchWords => chosen;

export async function loadSearchWords(): Promise<void> {
  if (currentLanguage() === 'de') chosen = (await import('../words/de/search.ts')).search;
}
