// The sentences about the deframer, which no other page says.
import { currentLanguage } from '../lib/words.ts';
import { deframer as english } from '../words/en/deframer.ts';

export type DeframerWords = typeof english;

let chosen: DeframerWords = english;

export const deframerWords = (): DeframerWords => chosen;

export async function loadDeframerWords(): Promise<void> {
  if (currentLanguage() === 'de') chosen = (await import('../words/de/deframer.ts')).deframer;
}
