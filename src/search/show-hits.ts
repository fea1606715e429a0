// Hits as a person sees them: what they point to as it is now, and the piece of its text that was found.
import type { SearchHit, SearchKind, SearchQuery, SearchSources, SearchText } from '../model/search.ts';
import { letOthersIn } from '../store/let-others-in.ts';
import { cutSnippetInTurns, type Snippet } from './cut-snippet.ts';

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

/** A text may be a book, and is made plain on the thread that serves everybody. */
const textsAtOnce = 2;

/**
 * In their order. What has gone since it was indexed is left out. `placeOf`: where in a text the passage stands by which it was
 * found, if it was not by its words.
 */
export async function showHits(
  deps: { readonly sources: SearchSources },
  { userId, hits, query, placeOf = () => undefined }: ShowInput,
): Promise<ShownHit[]> {
  const shown: ShownHit[] = [];
  const texts = await textsOf(deps, userId, hits);
  for (const hit of hits) {
    const text = texts.get(nameOf(hit));
    if (!text) continue;
    const from = placeOf(hit.kind as SearchKind, text);
    const snippet = await cutSnippetInTurns(text.text, query, { maxCharacters: snippetCharacters, from });
    shown.push({ kind: hit.kind as SearchKind, text, snippet });
    await letOthersIn();
  }
  return shown;
}

interface NamedDoc {
  readonly kind: string;
  readonly refId: number;
}

export const nameOf = ({ kind, refId }: NamedDoc): string => `${kind} ${refId}`;

/** By their names; those that have gone are missing. */
export async function textsOf(
  { sources }: { readonly sources: SearchSources },
  userId: number,
  docs: readonly NamedDoc[],
): Promise<Map<string, SearchText>> {
  const texts = new Map<string, SearchText>();
  for (const [kind, ofKind] of Map.groupBy(docs, (doc) => doc.kind as SearchKind)) {
    const refIds = ofKind.map(({ refId }) => refId);
    // Files are read side by side, since each is waited for.
    const { atOnce = textsAtOnce } = sources[kind];
    for (let n = 0; n < refIds.length; n += atOnce) {
      for (const text of await sources[kind].read(refIds.slice(n, n + atOnce), userId))
        texts.set(nameOf({ kind, refId: text.refId }), text);
      await letOthersIn();
    }
  }
  return texts;
}
