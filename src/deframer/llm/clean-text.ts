// What a model wrote, as plain text of one line: it may have been told by an article to write something else.
import { plainText } from '../../html/plain-text.ts';

/** Nothing that is cut to a few hundred characters needs more to be read. */
const maxSource = 20_000;
const maxRounds = 5;

/** Those that are no white space; those that turn the direction of what follows; those that nobody sees. */
const unseen = /[^\P{Cc}\s]|[\u202a-\u202e\u2066-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/gu;
const links = /(?:\b[a-z][a-z0-9+.-]*:\/\/|\bwww\.)\S+/gi;

/** `known` is what the article says itself: a link that stands there is the article's, any other is not wanted. */
export function cleanText(source: string, maxCharacters: number, known: string): string {
  let text = source.slice(0, maxSource).toWellFormed();
  for (let round = 0; ; round++) {
    const cleaner = withoutMarkup(text);
    if (cleaner === text) break;
    // What is still changing has been wrapped on purpose, again and again.
    text = round < maxRounds ? cleaner : cleaner.replace(/[<>&]/g, '');
  }
  const unlinked = text.replace(links, (link) => (known.includes(link) ? link : ''));
  return cut(unlinked.replace(/\s+/g, ' ').trim(), maxCharacters);
}

function withoutMarkup(text: string): string {
  return plainText(text.replace(unseen, '')).replace(/\s+/g, ' ').trim();
}

function cut(text: string, maxCharacters: number): string {
  return text.length <= maxCharacters ? text : `${cutPlainly(text, maxCharacters - 1).trimEnd()}…`;
}

/** Never through the middle of a character. */
export function cutPlainly(text: string, maxCharacters: number): string {
  return text.length <= maxCharacters ? text : text.slice(0, maxCharacters).replace(/[\ud800-\udbff]$/, '');
}
