// The sentences about scores. They come with the scores, so that a page without them does not load them.
import { currentLanguage } from '../lib/words.ts';
import { weighing as english } from '../words/en/weighing.ts';

export type WeighingWords = typeof english;

let chosen: WeighingWords = english;

export const weighingWords = (): WeighingWords => chosen;

export async function loadWeighingWords(): Promise<void> {
  if (currentLanguage() === 'de') chosen = (await import('../words/de/weighing.ts')).weighing;
}
