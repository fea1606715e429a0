import { z } from 'zod';
import { Invalid } from '../../errors.ts';
import { excerptOf, excerptSource } from '../../html/excerpt.ts';
import type { UserRows } from '../../store/store.ts';
import { cutLine, takeFitting, wholeUrl } from '../budget.ts';
import { cursorAfter, placeOf } from '../time-cursor.ts';
import { cursor, dateOf, defineTool, limit, listAnswer, maxTokens, roomFor } from '../tool.ts';

const namesShown = 5;

export const recentEntries = defineTool({
  name: 'recent_entries',
  title: 'List recent entries',
  description: 'What feeds published, the newest first. get_text with kind entry reads one.',
  writes: false,
  input: {
    unread_only: z.boolean().default(false),
    feed: z
      .union([z.int().min(1), z.string().trim().min(1).max(500)])
      .optional()
      .describe('The id of a feed, or a part of its name or address'),
    limit: limit(50, 20),
    cursor,
    max_tokens: maxTokens,
  },
  async run({ rows }, { unread_only, feed, limit, cursor, max_tokens }) {
    const place = cursor === undefined ? undefined : placeOf(cursor);
    const found = await rows.entries.list({
      order: 'pub_date',
      limit: limit + 1,
      contentCharacters: excerptSource,
      ...(unread_only && { unread: true }),
      ...(feed !== undefined && { feedId: await feedIdOf(rows, feed) }),
      ...(place && { before: { pubDate: place.at, id: place.id } }),
    });
    const listed = found.slice(0, limit);
    const feeds = await rows.feeds.getMany([...new Set(listed.map(({ feedId }) => feedId))]);
    const names = new Map(feeds.map(({ id, name }) => [id, name]));
    const { shown, isCut } = takeFitting(
      listed.map(({ id, feedId, title, link, pubDate, unread, content }) => ({
        id: String(id),
        feed: cutLine(names.get(feedId) ?? '', 80),
        title: cutLine(title, 200),
        url: wholeUrl(link),
        date: dateOf(pubDate),
        unread,
        excerpt: cutLine(excerptOf(content), 300),
      })),
      roomFor(max_tokens),
    );
    const last = listed[shown.length - 1];
    const isMore = isCut || found.length > limit;
    const nextCursor = isMore && last ? cursorAfter({ at: last.pubDate, id: last.id }) : undefined;
    return listAnswer({}, shown, { isCut, nextCursor });
  },
});

async function feedIdOf({ feeds }: UserRows, feed: number | string): Promise<number> {
  const words = String(feed).toLowerCase();
  const [byId] = /^[1-9]\d{0,14}$/.test(words) ? await feeds.getMany([Number(words)]) : [];
  if (byId) return byId.id;
  const named = await feeds.findByText(words);
  const exact = named.filter(({ name }) => name.toLowerCase() === words);
  const [one, ...others] = exact.length > 0 ? exact : named;
  if (!one) throw new Invalid('feed: no feed has that id, or that in its name or address');
  if (others.length === 0) return one.id;
  const ids = [one, ...others].slice(0, namesShown).map(({ id }) => id);
  throw new Invalid(`feed: ${others.length + 1} feeds match; give the id of one, such as ${ids.join(', ')}`);
}
