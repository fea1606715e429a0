import { z } from 'zod';
import { Invalid, NotFound } from '../../errors.ts';
import { plainText } from '../../html/plain-text.ts';
import type { Item } from '../../model/item.ts';
import { type SearchKind, searchKinds } from '../../model/search.ts';
import { withoutUnseen } from '../../search/without-unseen.ts';
import { charactersPerToken, cutLine, pageOf, wholeUrl } from '../budget.ts';
import { dateOf, defineTool, id, maxTokens, roomFor, type ToolContext } from '../tool.ts';

/** As many bytes as are indexed: what can be found can be read. */
const maxBytes = 4 * 1024 * 1024;
/** For title and address, which come with every page. */
const aboutCharacters = 700;

interface Text {
  readonly title: string;
  readonly url: string;
  readonly at: number;
  readonly text: string;
}

export const getText = defineTool({
  name: 'get_text',
  title: 'Read a text',
  description:
    'The plain text of something that another tool named, page by page. Keep max_tokens the same from page to page.',
  writes: false,
  input: {
    kind: z.enum(searchKinds),
    id,
    page: z.int().min(1).max(100_000).default(1),
    max_tokens: maxTokens,
  },
  async run(context, { kind, id, page, max_tokens }) {
    const { title, url, at, text } = await readers[kind](context, id);
    const whole = withoutUnseen(text);
    const found = pageOf(whole, page, roomFor(max_tokens) - aboutCharacters);
    if (!found) throw new Invalid('page: expected one that there is; the text has fewer');
    const { pages } = found;
    const isLast = page === pages;
    return {
      facts: {
        kind,
        id: String(id),
        page,
        total_pages: pages,
        total_tokens: Math.ceil(whole.length / charactersPerToken),
        next_page: isLast ? null : page + 1,
        ...(!isLast && { go_on: `Call again with page ${page + 1} and the same max_tokens.` }),
        ...(whole === '' && { notice: 'There is no text of it: no copy is kept, or not yet.' }),
      },
      foreign: [
        JSON.stringify({ title: cutLine(title, 250), url: wholeUrl(url), date: dateOf(at) }),
        ...(found.text === '' ? [] : [found.text]),
      ],
    };
  },
});

/** Of these there is no other text than what was indexed. */
const asFound =
  (kind: SearchKind) =>
  async ({ findText }: ToolContext, id: number): Promise<Text> => {
    const found = await findText(kind, id);
    if (!found) throw new NotFound(kind);
    const { title, url, publishedAt: at, text } = found;
    return { title, url, at, text };
  };

const readers: Record<SearchKind, (context: ToolContext, id: number) => Promise<Text>> = {
  feed: asFound('feed'),
  note: asFound('note'),
  deframed: asFound('deframed'),

  async entry({ rows }, id) {
    const { title, link, pubDate, content } = await rows.entries.get(id).catch(noSuch('entry'));
    return { title, url: link, at: pubDate, text: plainText(content) };
  },

  async bookmark({ rows }, id) {
    const { title, link, pubDate, content } = await rows.bookmarks.get(id);
    return { title, url: link, at: pubDate, text: plainText(content) };
  },

  async annotation({ rows }, id) {
    const [shown] = await rows.highlights.describe([await rows.highlights.get('annotations', id)]);
    if (!shown) throw new NotFound('annotation');
    const { resource, text, comments, madeAt } = shown;
    const noted = comments.map(({ content }) => content);
    return { title: resource.title, url: resource.url, at: madeAt, text: [text, ...noted].join('\n\n') };
  },

  async item(context, id) {
    const item = await context.rows.items.get(id);
    const text = (await copyOf(context, item)) ?? item.excerpt;
    return { title: item.title, url: item.url, at: item.publishedAt ?? item.createdAt, text };
  },
};

/** The reader's API calls entries items. */
function noSuch(what: string) {
  return (error: unknown): never => {
    throw error instanceof NotFound ? new NotFound(what, { cause: error }) : error;
  };
}

async function copyOf({ rows, files }: ToolContext, item: Item): Promise<string | undefined> {
  const { id, snapshotKey, raindropId, hasPermanentCopy, bookmarkId, hasContent } = item;
  const folder =
    // A row that named another's file, by whatever mistake, must not show it.
    snapshotKey === `items/${id}`
      ? snapshotKey
      : raindropId !== null && hasPermanentCopy
        ? `raindrops/${raindropId}`
        : undefined;
  const bytes = folder && (await files.read(`${folder}/plain.txt`));
  if (bytes) return new TextDecoder().decode(bytes.subarray(0, maxBytes));
  if (bookmarkId === null || !hasContent) return undefined;
  return plainText((await rows.bookmarks.get(bookmarkId)).content);
}
