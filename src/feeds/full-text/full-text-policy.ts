// When the text of a page is better than what its feed published. Pure: numbers in, an answer out.
import { splitTerms } from '../../search/terms.ts';

const timesLonger = 1.2;
const moreWords = 100;

export function countWords(text: string): number {
  return splitTerms(text).length;
}

/** Clearly more of it. Otherwise the feed's own is: nobody had to guess there what belongs to it. */
export function isClearlyLonger(wordsOfPage: number, wordsOfFeed: number): boolean {
  return wordsOfPage >= wordsOfFeed * timesLonger && wordsOfPage >= wordsOfFeed + moreWords;
}
