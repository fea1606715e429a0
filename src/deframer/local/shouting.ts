// WORDS that shout, in a normal voice again; acronyms as they are.

import { isKnownWord } from './headline-model.ts';
import { quotedRanges } from './keep-facts.ts';
import { ordinaryWords } from './ordinary-words.ts';
import { isAllCapitals, letterCaseOf, type Word, wordsIn } from './words.ts';

/** In capitals these are somebody, though there are such words. */
const acronyms = new Set(
  `aids sars isis ira nice care star start salt time act sat gap fed us it who may pet cat sad rice lets dare cop moms dream
  swat snap west last bond hope plan save pact cost ring mars`.split(/\s+/),
);
/** What is shouted among words that are not. A channel, a league or a charity may be called anything else. */
const shoutedWords = new Set(
  `not all are the and you now new big why how out off bad no has was can his her our too him she god had did its for from with
  but my we your actually absolutely again always amazing another any anyone awesome awful bad banned before believe best
  better biggest bombshell breaking can't cannot chaos confirmed crazy dead deadly destroyed destroys didn't disaster disgusting
  doesn't don't ever every everyone everything exactly exclusive explained exposed extremely fail fake finally fire free
  freaking fucking furious gone great greatest hate hilarious horrific horrifying huge incredible insane instantly isn't just
  killed killer literally live love major massive mega million millions more most must need needs never nightmare nobody nothing
  officially only outrage outrageous panic perfect please quit really revealed right ruined same scandal scary secret
  serious seriously shame shock shocked shocking shocks should shut slammed slams so-called still stop stunned stunning stupid
  super terrible terrifying terror that these they this those totally tragedy tragic truth ugly ultimate unbelievable urgent
  very video viral want warning wasn't watch were what when where which will without won't worse worst wow wrong yours yourself`.split(
    /\s+/,
  ),
);
/** Where all is in capitals, these too are no acronyms. */
const grammarWords = new Set(
  'a an as at be by do get he hot i if in is it last may me of old on one or plan cost so time to top up who yes'.split(
    ' ',
  ),
);
const shortNames = new Set('iran iraq cuba mali chad peru oman fiji laos asia'.split(' '));
const longAcronyms = new Set(
  'unesco unicef unhcr nafta covid ebitda nasdaq asean opec nascar interpol'.split(' '),
);

export function quietened(text: string): string {
  const words = wordsIn(text);
  const letterCase = letterCaseOf(words);
  const quoted = quotedRanges(text);
  let result = '';
  let from = 0;
  for (const [index, word] of words.entries()) {
    if (!isAllCapitals(word.text) && !(letterCase === 'capitals' && word.text === 'A')) continue;
    if (quoted.some(([start, end]) => start <= word.start && word.end <= end)) continue;
    const quiet = letterCase === 'capitals' ? amongCapitals(word) : amongWords(word, letterCase === 'title');
    result +=
      text.slice(from, word.start) + (index === 0 || isAfterStop(text, word) ? capitalised(quiet) : quiet);
    from = word.end;
  }
  return result + text.slice(from);
}

function amongWords({ text, key }: Word, isTitle: boolean): string {
  if (!shoutedWords.has(key)) return text;
  return isTitle ? capitalised(text.toLowerCase()) : text.toLowerCase();
}

/** A word that is not known is a name, or an acronym if it is short. */
function amongCapitals({ text, key }: Word): string {
  if (shoutedWords.has(key) || grammarWords.has(key)) return text.toLowerCase();
  if (key.length > 3 && !acronyms.has(key) && isOrdinary(key)) return text.toLowerCase();
  const isName = (key.length > 4 && !longAcronyms.has(key) && !text.includes('.')) || shortNames.has(key);
  return isName ? capitalised(text.toLowerCase()) : text;
}

function isOrdinary(key: string): boolean {
  return ordinaryWords.has(key) || isKnownWord(key);
}

function isAfterStop(text: string, word: Word): boolean {
  return /[.!?:]\s$/.test(text.slice(Math.max(0, word.start - 2), word.start));
}

export function capitalised(text: string): string {
  return text.replace(/^[^\p{L}\p{N}]*\p{Ll}(?!\p{Lu})/u, (head) => head.toUpperCase());
}
