// The first of a description, in about thirty words, set like a title.
import { neutralTitle, type Rewritten } from './neutral-title.ts';
import { tidy } from './words.ts';

const mostWords = 30;
const mostCharacters = 280;

export function neutralDescription(description: string, language = 'en'): Rewritten {
  const original = tidy(description.slice(0, 4000));
  const cut = shortened(original);
  const { text, notes } = neutralTitle(cut.text, language);
  const set = cut.isCut ? [...notes, 'shortened'] : notes;
  // A sentence keeps the stop that a headline goes without; what is broken off, its dots.
  const stop = /(?:[.!?…]|\.\.\.)$/.exec(cut.text)?.[0] ?? '';
  const lacksStop = stop !== '' && text !== '' && !/[.!?…]["”’)]?$/.test(text);
  return { text: lacksStop ? `${text}${stop === '!' ? '.' : stop}` : text, notes: set };
}

/** Whole sentences, if there is one that is short enough; else whole words; else, where no words are, characters. */
function shortened(text: string): { text: string; isCut: boolean } {
  const words = text.split(' ');
  const start = [...words.slice(0, mostWords).join(' ')].slice(0, mostCharacters).join('');
  if (start.length === text.length) return { text, isCut: false };
  const sentences = [...start.matchAll(/(?<=\p{L}{3}|[\d)"”’])[.!?。！？]+["”’)]?(?=\s|$)/gu)].at(-1);
  if (sentences && sentences.index > 30)
    return { text: start.slice(0, sentences.index + sentences[0].length), isCut: true };
  const atWord =
    text[start.length] === ' ' ? start : start.slice(0, Math.max(start.lastIndexOf(' '), 0)) || start;
  return { text: `${atWord.replace(/[\s,;:–—-]+$/u, '')}…`, isCut: true };
}
