// The language of the page. English is always there; another one is loaded before the page is mounted, and a change
// of language loads the page anew.
import { en } from '../words/en.ts';

export type Words = typeof en;

export const languages = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof languages;

let chosen: Words = en;
let language: Language = 'en';

export const words = (): Words => chosen;
export const currentLanguage = (): Language => language;

const others: Record<Exclude<Language, 'en'>, () => Promise<Words>> = {
  de: async () => (await import('../words/de.ts')).de,
};

export const isLanguage = (tag: string): tag is Language => Object.hasOwn(languages, tag);

/** `wanted` as it is kept with the account; by default what the browser prefers. */
export async function loadWords(wanted: string | undefined): Promise<void> {
  const preferred = [wanted, ...navigator.languages.map((tag) => tag.split('-')[0])];
  const found = preferred.find((tag) => tag !== undefined && isLanguage(tag)) ?? 'en';
  if (found !== 'en') chosen = await others[found]();
  language = found;
  document.documentElement.lang = found;
}
