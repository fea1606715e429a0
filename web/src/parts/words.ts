// The sentences of the page of parts, which no other page says.
import { currentLanguage } from '../lib/words.ts';
import { parts as english } from '../words/en/parts.ts';

export type PartsWords = typeof english;

let chosen: PartsWords = english;
export const partsWords = (): PartsWords => chosen;

export async function loadPartsWords(): Promise<void> {
  if (currentLanguage() === 'de') chosen = (await import('../words/de/parts.ts')).parts;
}
