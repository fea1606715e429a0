// A rebuild: every document of a source is noted once, page by page, when the index is new, or when the rules for terms
// or for which addresses are the same page have changed. A reinflated index is new, so nothing else has to be done after it.
import { currentRules } from '../items/url-identity.ts';
import type { SearchSource } from '../model/search.ts';
import type { Lease } from '../store/lease-store.ts';
import type { SearchIndex } from '../store/search/search-index.ts';
import { termsVersion } from './terms.ts';

const idsAtOnce = 1_000;

interface Progress {
  readonly terms: number;
  readonly urls: number;
  /** The last id that was noted; null when all were. */
  readonly after: number | null;
}

export async function hasUnnoted(searchIndex: SearchIndex, source: SearchSource): Promise<boolean> {
  return (await readProgress(searchIndex, source)).after !== null;
}

/** Notes one page. False when everything has been noted. */
export async function noteSome(
  searchIndex: SearchIndex,
  source: SearchSource,
  lease: Lease,
): Promise<boolean> {
  const { after, stored } = await readProgress(searchIndex, source);
  if (after === null) return false;
  const ids = await source.list(after, idsAtOnce);
  const progress: Progress = { terms: termsVersion, urls: currentRules, after: ids.at(-1) ?? null };
  await searchIndex.noteProgress(lease, source.kind, ids, { from: stored, to: JSON.stringify(progress) });
  return true;
}

/** What is kept when every document was indexed by the rules of now. */
export const everythingNoted = (): string =>
  JSON.stringify({ terms: termsVersion, urls: currentRules, after: null } satisfies Progress);

async function readProgress(searchIndex: SearchIndex, { kind }: SearchSource) {
  const stored = await searchIndex.findProgress(kind);
  const known = stored === undefined ? undefined : (JSON.parse(stored) as Progress);
  const isCurrent = known?.terms === termsVersion && known.urls === currentRules;
  return { stored, after: isCurrent ? known.after : 0 };
}
