// What a document can be filtered by, as it stands in the index: marks among its terms, and columns for facets.
import type { DocState, SearchText } from '../model/search.ts';
import type { IndexedFacts } from '../store/search/doc-plan.ts';
import { mark } from '../store/search/marks.ts';
import { flagsOf } from '../store/search/state-flags.ts';
import { fold, splitTerms } from './terms.ts';

/** Of what nobody filters by more often, the first serve. */
const mostTags = 200;
const mostAuthorTerms = 32;

export function docFacts({ site, facts = {} }: Pick<SearchText, 'site' | 'facts'>): IndexedFacts {
  const { tags = [], author = '', feedId = null, states = [], isRaindrop = false } = facts;
  const lang = langOf(facts.lang ?? '');
  return {
    feedId,
    lang,
    tags: tags.length === 0 ? null : JSON.stringify(tags.slice(0, mostTags)),
    flags: flagsOf(states),
    marks: [
      ...new Set([
        ...(site === null ? [] : sitesOf(site).map(siteMark)),
        ...(feedId === null ? [] : [feedMark(feedId)]),
        ...tags.slice(0, mostTags).map(tagMark),
        ...splitTerms(author).slice(0, mostAuthorTerms).map(authorMark),
        ...(lang === null ? [] : langsOf(lang).map(langMark)),
        ...states.map(stateMark),
        ...(isRaindrop ? [mark('kind', 'raindrop')] : []),
      ]),
    ],
  };
}

export const siteMark = (host: string) => mark('site', host.toLowerCase());
export const feedMark = (id: number) => mark('feed', id);
export const tagMark = (name: string) => mark('tag', fold(name).trim());
export const authorMark = (term: string) => mark('author', term);
export const langMark = (lang: string) => mark('lang', lang.toLowerCase());
export const stateMark = (state: DocState) => mark('is', state);

/** The host and all that it is part of: `a.example.org` is found by `example.org` too. */
function sitesOf(host: string): string[] {
  const parts = host.split('.');
  return /^[\d.:[\]]+$/.test(host) ? [host] : parts.map((_, n) => parts.slice(n).join('.'));
}

/** `de-at` is German, too. */
function langsOf(lang: string): string[] {
  const [language = '', ...rest] = lang.split('-');
  return rest.length === 0 ? [lang] : [language, lang];
}

function langOf(text: string): string | null {
  const lang = text.trim().toLowerCase().replaceAll('_', '-');
  return /^[a-z]{2,3}(-[a-z0-9]{1,8})*$/.test(lang) ? lang : null;
}
