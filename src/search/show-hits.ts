// Hits as a person sees them: what they point to as it is now, and the piece of its text that was found.
import type { SearchHit, SearchKind, SearchQuery, SearchSources, SearchText } from '../model/search.ts';
import { cutSnippet, type Snippet } from './cut-snippet.ts';

export interface ShownHit {
  readonly kind: SearchKind;
  readonly text: SearchText;
  readonly snippet: Snippet;
  /** By what it means, it speaks of what was asked, whatever its words. */
  readonly isAlike?: boolean;
}

export interface ShowInput {
  readonly userId: number;
  readonly hits: readonly SearchHit[];
  readonly query: SearchQuery;
  readonly placeOf?: (kind: SearchKind, text: SearchText) => number | undefined;
}

const snippetCharacters = 240;

/**
 * In their order. What has gone since it was indexed is left out. `placeOf`: where in a text the passage stands by which it was
 * found, if it was not by its words.
 */
export async function showHits(
  { sources }: { readonly sources: SearchSources },
  { userId, hits, query, placeOf = () => undefined }: ShowInput,
): Promise<ShownHit[]> {
  const texts = new Map<string, SearchText>();
  for (const [kind, ofKind] of Map.groupBy(hits, (hit) => hit.kind as SearchKind)) {
    const refIds = ofKind.map(({ refId }) => refId);
    for (const text of await sources[kind].read(refIds, userId)) texts.set(`${kind} ${text.refId}`, text);
  }
  return hits.flatMap((hit) => {
    const text = texts.get(`${hit.kind} ${hit.refId}`);
    if (!text) return [];
    const from = placeOf(hit.kind as SearchKind, text);
    const snippet = cutSnippet(text.text, query, { maxCharacters: snippetCharacters, from });
    return [{ kind: hit.kind as SearchKind, text, snippet }];
  });
}
