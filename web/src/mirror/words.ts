// The sentences about the mirror, which no other page says.
import { currentLanguage } from '../lib/words.ts';
import { mirror as english } from '../words/en/mirror.ts';

export type MirrorWords = typeof english;

let chosen: MirrorWords = english;

export const mirrorWords = (): MirrorWords => chosen;

export async function loadMirrorWords(): Promise<void> {
  if (currentLanguage() === 'de') chosen = (await import('../words/de/mirror.ts')).mirror;
}
