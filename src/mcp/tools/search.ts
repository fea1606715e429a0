import { z } from 'zod';
import { searchKinds } from '../../model/search.ts';
import type { ShownHit } from '../../search/show-hits.ts';
import { cutLine, takeFitting, wholeUrl } from '../budget.ts';
import { cursor, dateOf, defineTool, limit, listAnswer, maxTokens, roomFor } from '../tool.ts';

export const search = defineTool({
  name: 'search',
  title: 'Search the library',
  description:
    'Finds saved pages (item), bookmarks, feed entries, feeds, highlights (annotation), notes and deframed articles by their words, and where that is on by their meaning. Takes "phrases", -not, OR, start* and filters: tag: site: feed: kind: author: lang: before:2026-03 after:7d is:unread|bookmarked|archived|highlighted in:title. Give kind and id of a hit to get_text to read it.',
  writes: false,
  input: {
    q: z.string().trim().min(1, 'expected what to search for').max(1_000),
    kinds: z.array(z.enum(searchKinds)).min(1).max(searchKinds.length).optional().describe('All when absent'),
    limit: limit(20, 10),
    cursor,
    max_tokens: maxTokens,
  },
  async run({ find }, { q, kinds, limit, cursor, max_tokens }) {
    const asked = { q, ...(kinds && { kinds }), ...(cursor !== undefined && { cursor }) };
    let found = await find({ ...asked, limit });
    const { shown, isCut } = takeFitting(found.hits.map(toRow), roomFor(max_tokens));
    // Only search itself knows where a page goes on, so it is asked for the page that fits.
    if (isCut) found = await find({ ...asked, limit: shown.length });
    const { notice, nextCursor } = found;
    return listAnswer({ ...(notice !== undefined && { notice }) }, shown, { isCut, nextCursor });
  },
});

function toRow({ kind, text, snippet }: ShownHit) {
  const { refId, title, url, site, publishedAt } = text;
  const cutBefore = snippet.cutBefore ? '…' : '';
  const cutAfter = snippet.cutAfter ? '…' : '';
  return {
    kind,
    id: String(refId),
    title: cutLine(title, 200),
    url: wholeUrl(url),
    site: site === null ? null : cutLine(site, 100),
    date: dateOf(publishedAt),
    snippet: cutLine(`${cutBefore}${snippet.text}${cutAfter}`, 400),
  };
}
