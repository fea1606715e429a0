import { z } from 'zod';
import { Invalid } from '../../errors.ts';
import { cleanText } from '../../store/clean-text.ts';
import type { Tag } from '../../store/owned/tag-store.ts';
import { cutLine, takeFitting } from '../budget.ts';
import { cursor, defineTool, limit, listAnswer, maxTokens, roomFor } from '../tool.ts';

export const listTags = defineTool({
  name: 'list_tags',
  title: 'List tags',
  description: 'The tags of saved pages, those with the most pages first.',
  writes: false,
  input: {
    q: z.string().trim().max(200).default('').describe('What the name has in it'),
    limit: limit(200, 100),
    cursor,
    max_tokens: maxTokens,
  },
  async run({ rows }, { q, limit, cursor, max_tokens }) {
    const part = cleanText(q).replace(/\s+/g, ' ').toLowerCase().normalize('NFC');
    const after = cursor === undefined ? undefined : tagOf(cursor);
    const found = await rows.tags.list({ part, sort: 'count', after, limit });
    const listed = found.slice(0, limit);
    const { shown, isCut } = takeFitting(
      listed.map(({ name, itemCount }) => ({ name: cutLine(name, 200), items: itemCount })),
      roomFor(max_tokens),
    );
    const last = listed[shown.length - 1];
    const isMore = isCut || found.length > limit;
    return listAnswer({}, shown, { isCut, nextCursor: isMore && last ? cursorOf(last) : undefined });
  },
});

function cursorOf({ name, itemCount }: Tag): string {
  return Buffer.from(JSON.stringify([name, itemCount])).toString('base64url');
}

const Place = z.tuple([z.string(), z.int()]);

function tagOf(cursor: string): Tag {
  try {
    const [name, itemCount] = Place.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
    return { name, itemCount };
  } catch (cause) {
    throw new Invalid('cursor: expected the next_cursor of the answer before', { cause });
  }
}
