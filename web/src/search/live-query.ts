// What is asked for while somebody still types.
import { filtersIn, filterText, withoutUnfinished, wordsIn } from './query-text.ts';

/** Below this the server takes no prefix: too many words begin so. */
const shortestPrefix = 3;

/** As `settledQuery`, but a filter whose value may go on waits for its end. */
export const liveQuery = (typed: string): string => settledQuery(withoutUnfinished(typed));

/**
 * The last word may not be finished: it stands for all that begin so, until a space ends it. A phrase that is not
 * closed yet is closed, and an OR waits for what is to come after it.
 */
export function settledQuery(typed: string): string {
  const text = typed.trimStart().replace(/(\S)\s+OR\s*$/u, '$1 ');
  if (text.trim() === '') return '';
  if ((text.match(/"/g) ?? []).length % 2 === 1) return closePhrase(text);
  const last = /(?:^|\s)([^\s"]+)$/u.exec(text)?.[1];
  return last && mayGoOn(last) ? `${text}*` : text.trim();
}

function closePhrase(text: string): string {
  const opened = text.lastIndexOf('"');
  const inside = text.slice(opened + 1).trim();
  if (inside === '') return text.slice(0, opened).replace(/-$/, '').trim();
  const last = inside.split(/\s+/u).at(-1) ?? '';
  return `${text.trimEnd()}"${mayGoOn(last) && !/\s$/u.test(text) ? '*' : ''}`;
}

function mayGoOn(word: string): boolean {
  // Scripts that put no spaces between words are cut into pairs, which the server lets go on by itself.
  if (!/^[\p{L}\p{M}\p{N}]+$/u.test(word) || /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]/u.test(word))
    return false;
  const letters = word.normalize('NFD').replace(/\p{M}/gu, '');
  return word !== 'OR' && [...letters].length >= shortestPrefix;
}

/** Ways to find more where nothing was found, the nearest first. */
export function looserQueries(typed: string): string[] {
  const text = wordsIn(typed).trim().replace(/\s+/gu, ' ');
  const filters = filtersIn(typed).flatMap((filter) => filterText(filter) ?? []);
  const left = text.match(/(?<!\S)-(?:"[^"]*"|[^\s"]+)/gu) ?? [];
  const wanted = left
    .reduce((rest, one) => rest.replace(one, ' '), text)
    .split(/[\s"]+/u)
    .filter((word) => !['', 'OR', '-'].includes(word));
  const candidates = [
    // Without the order of the words.
    text.includes('"') && wanted.length > 1 ? [...wanted, ...left].join(' ') : '',
    // Without what is left out.
    left.length > 0 ? wanted.join(' ') : '',
    // Any of the words.
    wanted.length > 1 ? wanted.join(' OR ') : '',
    // Words that begin so.
    wanted
      .map((word) =>
        word.length > 5 && /^\p{L}+$/u.test(word) ? `${[...word].slice(0, -2).join('')}*` : word,
      )
      .join(' '),
  ];
  const looser = [...new Set(candidates)]
    .filter((query) => query !== '' && query !== text && query !== `${text}*`)
    .map((query) => [query, ...filters].join(' '));
  // Everywhere, before anything else.
  const everywhere = filters.length > 0 && wanted.length > 0 ? [text] : [];
  return [...everywhere, ...looser].slice(0, 3);
}
