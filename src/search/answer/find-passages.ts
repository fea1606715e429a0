// What the library says to a question: a few passages, the best first.
import { type FindDeps, type FindInput, findInLibrary } from '../find-in-library.ts';
import type { ShownHit } from '../show-hits.ts';
import { queryOf, tellingWords } from '../telling-words.ts';
import { splitTerms } from '../terms.ts';
import { withoutUnseen } from '../without-unseen.ts';

export interface Passage {
  /** By which the answer names it. */
  readonly n: number;
  readonly kind: string;
  readonly id: string;
  readonly title: string;
  readonly url: string;
  readonly text: string;
}

export interface PassageInput extends Pick<FindInput, 'userId' | 'kinds' | 'limit'> {
  readonly q: string;
}

const mostWords = 16;
const passageCharacters = 1_200;
const titleCharacters = 300;
/** So many times what is asked for is looked through: much of what is found has little to do with it. */
const deeper = 4;

export async function findPassages(
  deps: FindDeps,
  { userId, q, kinds, limit }: PassageInput,
): Promise<{ passages: Passage[]; notice?: string }> {
  const words = tellingWords(q).slice(0, mostWords);
  if (words.length === 0) return { passages: [] };
  // A question is seldom put in the words of its answer: what has some of them follows what has all.
  const { hits, notice } = await findInLibrary(deps, {
    userId,
    q: queryOf(words, 'all'),
    limit: limit * deeper,
    enough: limit,
    ...(kinds && { kinds }),
  });
  const speaking = hits
    .map((hit) => ({ hit, text: passageOf(hit) }))
    .filter(({ text }) => text !== '')
    .filter(({ hit, text }) => hit.isAlike || speaksOf(words, `${hit.text.title} ${text}`))
    .slice(0, limit);
  const passages = speaking.map(({ hit: { kind, text: found }, text }, at) => ({
    n: at + 1,
    kind,
    id: String(found.refId),
    title: withoutUnseen(found.title).slice(0, titleCharacters).toWellFormed(),
    url: found.url,
    text,
  }));
  return { passages, ...(notice !== undefined && { notice }) };
}

/** One word of many is a coincidence. */
function speaksOf(words: readonly string[], text: string): boolean {
  const terms = new Set(splitTerms(text));
  const there = words.filter((word) => splitTerms(word).some((term) => terms.has(term))).length;
  return there >= Math.max(1, Math.floor(words.length / 2));
}

/** What stands around the place that was found, in whole words. */
function passageOf({ text: { text }, snippet }: ShownHit): string {
  const found = Math.max(0, text.indexOf(snippet.text));
  const start = Math.max(0, found - Math.floor((passageCharacters - snippet.text.length) / 2));
  const piece = withoutUnseen(text.slice(start, start + passageCharacters));
  const from = start === 0 ? 0 : piece.search(/\s/) + 1;
  const end = start + passageCharacters >= text.length ? piece.length : piece.search(/\s\S*$/);
  return piece
    .slice(from, end > from ? end : piece.length)
    .trim()
    .toWellFormed();
}
