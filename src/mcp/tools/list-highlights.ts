import { z } from 'zod';
import { savedUrl } from '../../items/save-url.ts';
import { takeFitting } from '../budget.ts';
import { cursorAfter, placeOf } from '../time-cursor.ts';
import { cursor, defineTool, limit, listAnswer, maxTokens, roomFor } from '../tool.ts';
import { aboutCutTexts, highlightRow } from './highlight-row.ts';

export const listHighlights = defineTool({
  name: 'list_highlights',
  title: 'List highlights',
  description: 'Highlights and what was noted to them: those of a page, or the most recent of all.',
  writes: false,
  input: {
    url: z.string().trim().min(1).max(2_000).optional().describe('Of this page only'),
    limit: limit(50, 20),
    cursor,
    max_tokens: maxTokens,
  },
  async run({ rows }, { url, limit, cursor, max_tokens }) {
    const before = cursor === undefined ? undefined : placeOf(cursor);
    const page = url === undefined ? undefined : savedUrl(url, 'url');
    const found = await rows.highlights.list('annotations', { page, before, limit });
    const described = await rows.highlights.describe(found.slice(0, limit));
    const room = roomFor(max_tokens);
    const { shown, isCut } = takeFitting(
      described.map((one) => highlightRow(one, room)),
      room,
    );
    const last = described[shown.length - 1];
    const isMore = isCut || found.length > limit;
    const nextCursor = isMore && last ? cursorAfter({ at: last.madeAt, id: last.id }) : undefined;
    return listAnswer({ about_texts: aboutCutTexts }, shown, { isCut, nextCursor });
  },
});
