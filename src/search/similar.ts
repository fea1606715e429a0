// What else there is like a document: by meaning, or where that is not to be had, by rare words that titles share.
import { LecternError } from '../errors.ts';
import { isPageAddress, savedUrl } from '../items/save-url.ts';
import type { Clock } from '../model/glossary.ts';
import type { SearchKind, SearchSources, SearchText } from '../model/search.ts';
import type { Store } from '../store/store.ts';
import type { Meaning } from './meaning/meaning.ts';
import { searchText } from './search-text.ts';
import { nameOf, textsOf } from './show-hits.ts';
import { splitTerms } from './terms.ts';

export interface SimilarDeps {
  readonly store: Pick<Store, 'forUser'>;
  readonly sources: SearchSources;
  /** Absent where embeddings are off. */
  readonly meaning?: Pick<Meaning, 'findLike'> | undefined;
  readonly now: Clock;
}

export interface SimilarInput {
  readonly userId: number;
  readonly kind: SearchKind;
  readonly refId: number;
  readonly limit: number;
}

export interface SimilarHit {
  readonly kind: SearchKind;
  readonly score: number;
  readonly text: SearchText;
}

export interface Similar {
  readonly hits: readonly SimilarHit[];
  readonly by: 'meaning' | 'words';
  /** Why it is by words. */
  readonly notice?: string;
}

type Found = { readonly kind: string; readonly refId: number; readonly score: number };

const notices = {
  off: 'Search by meaning is off: these share words of the title.',
  notYet:
    'What this means is not known yet, or cannot be known in its language: these share words of the title.',
  failed: 'Search by meaning does not work at the moment: these share words of the title.',
};

/** More than are shown: passages of the document itself are as like it as can be. */
const spare = 20;

/** The document must be the user's. */
export async function findSimilar(deps: SimilarDeps, input: SimilarInput): Promise<Similar> {
  const { meaning } = deps;
  let notice = notices.off;
  if (meaning) {
    try {
      const found = await meaning.findLike({ ...input, limit: input.limit + spare });
      if (found) return { hits: await shown(deps, input, found), by: 'meaning' };
      notice = notices.notYet;
    } catch (error) {
      if (!(error instanceof LecternError)) throw error;
      notice = notices.failed;
    }
  }
  const found = await byWords(deps, { ...input, limit: input.limit + spare });
  return { hits: await shown(deps, input, found), by: 'words', notice };
}

/** Those that have gone since are left out. */
async function shown(
  { sources }: SimilarDeps,
  { userId, kind, refId, limit }: SimilarInput,
  found: readonly Found[],
): Promise<SimilarHit[]> {
  const texts = await textsOf({ sources }, userId, found);
  const [own] = await sources[kind].read([refId], userId);
  const hits = found.flatMap(({ kind, refId, score }) => {
    const text = texts.get(nameOf({ kind, refId }));
    return text ? [{ kind: kind as SearchKind, score, text }] : [];
  });
  return eachPageOnce(hits, own && pageOf(kind, own)).slice(0, limit);
}

/** What was highlighted in a page is like the page, and like everything else in it: the page stands for all of that. */
function eachPageOnce(hits: readonly SimilarHit[], own: string | undefined): SimilarHit[] {
  const pages = new Map<string, SimilarHit>();
  for (const hit of hits) {
    const page = pageOf(hit.kind, hit.text);
    if (page === own) continue;
    const before = pages.get(page);
    if (!before || (isPassage(before) && !isPassage(hit)))
      pages.set(page, { ...hit, score: before?.score ?? hit.score });
  }
  return [...pages.values()];
}

const isPassage = ({ kind }: Pick<SimilarHit, 'kind'>): boolean => kind === 'annotation' || kind === 'note';

function pageOf(kind: SearchKind, { refId, url, urlKey, title }: SearchText): string {
  if (urlKey !== null) return urlKey;
  if (isPageAddress(url)) return savedUrl(url).key;
  // A book has no address: its name is all there is.
  return isPassage({ kind }) && title !== '' ? `titled ${title}` : `${kind} ${refId}`;
}

const mostWords = 8;
const looked = 60;
const shortest = 3;
const common = new Set(
  'the and for are was were has have had not but you your our its his her their this that these those with from into over about after before than then what when where which who why how can will would should could may new more most all any one two out off now just only also their there here they them she him been being does did'.split(
    ' ',
  ),
);

async function byWords(deps: SimilarDeps, input: SimilarInput): Promise<Found[]> {
  const { userId, kind, refId, limit } = input;
  const [own] = await deps.sources[kind].read([refId], userId);
  if (!own) return [];
  const words = wordsOf(own.title);
  if (words.size === 0) return [];
  // The longest are the rarest, more often than not.
  const asked = [...words].sort((a, b) => b.length - a.length).slice(0, mostWords);
  const q = asked.map((word) => `"${word}"`).join(' OR ');
  const { hits } = await searchText(deps, { userId, q, limit: looked });
  const least = words.size > 2 ? 2 : 1;
  return hits
    .filter((hit) => hit.kind !== 'feed' && !(hit.kind === kind && hit.refId === refId))
    .filter((hit) => own.urlKey === null || hit.urlKey !== own.urlKey)
    .map((hit) => ({ ...hit, shared: [...wordsOf(hit.title)].filter((word) => words.has(word)).length }))
    .filter(({ shared }) => shared >= least)
    .sort((a, b) => b.shared - a.shared)
    .slice(0, limit)
    .map((hit) => ({ kind: hit.kind, refId: hit.refId, score: hit.shared / words.size }));
}

function wordsOf(title: string): Set<string> {
  return new Set(
    splitTerms(title).filter((term) => {
      // A pair of characters is a word in the scripts that are split so.
      const isWord = term.length >= shortest || /[^\p{sc=Latin}\p{N}]/u.test(term);
      return isWord && !common.has(term);
    }),
  );
}
