// A sentence as a query: the words of it that tell something, whatever operators it seems to have.
import { splitTerms } from './terms.ts';

const word = /[\p{L}\p{N}\p{M}]+/gu;
/** A run of more is no word, but Chinese, Japanese or Korean: it is looked for in pairs. */
const pairs = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}]{1,2}/gu;

/** What stands in every sentence. Only for questions: a quote is made of these words too. */
const usual = new Set(
  `a about all also am an and any are as at be been but by can could did do does for from had has have he her his how i if in into
  is it its just like me more most my no not of on one or our out say said says she should so some tell than that the their them
  then there these they this to was we were what when where which who whom whose why will with would you your
  aber als am auch auf aus bei bin bis das dass dem den der des die du ein eine einem einen einer es für hat ich ihr im in ist kann
  man mein mit nach nicht oder sich sie sind über um und uns von war was wer wie wird wo wo zu zum zur
  au aux avec ce ces cette comme dans de des du elle en est et il ils je la le les leur mais ne nous on ou où par pas pour que quel
  quelle qui sa se ses son sont sur un une vous
  al como con cual cuál del donde dónde el ella en era es esta este fue ha la las lo los más me mi no para pero por qué quién se ser
  sin sobre son su sus un una y yo
  aan bij dan dat deze dit een er het hij hoe ik in is kan maar met naar niet nog of om ook op te van voor waar was wat wie zij zijn
  af at de den der det en er et for fra har hvad hvem hvor hvordan i jeg kan med men og om på som til var vi`
    .split(/\s+/)
    .flatMap(splitTerms),
);

/** Each once, in the order of the text. */
export function tellingWords(text: string): string[] {
  const words = plainWords(text).filter((one) => !isUsual(splitTerms(one)));
  return words.length > 0 ? words : plainWords(text);
}

/** Whether these stand in every sentence. */
export function isUsual(terms: readonly string[]): boolean {
  return terms.every((term) => usual.has(term));
}

/** All of them, as they would be typed. */
export function plainWords(text: string): string[] {
  const found = (text.match(word) ?? []).flatMap((run) =>
    splitTerms(run).length > 1 ? (run.match(pairs) ?? [run]) : [run],
  );
  const byTerm = new Map(found.map((run) => [splitTerms(run).join(' '), run]));
  byTerm.delete('');
  return [...byTerm.values()];
}

/** In quotes, so that none of them is an operator. */
export function queryOf(words: readonly string[], how: 'all' | 'any'): string {
  return words.map((one) => `"${one}"`).join(how === 'all' ? ' ' : ' OR ');
}
