// Saved items as the API shows them, and what it takes of them: the contract of the seed, to the letter.
import { z } from '@hono/zod-openapi';
import { titleText } from '../../html/plain-text.ts';
import { parseTagName } from '../../items/tag-name.ts';
import { normalizedUrlOf } from '../../items/url-identity.ts';
import { enrichmentStatuses, type Item, itemLimits, itemOrigins, itemStatuses } from '../../model/item.ts';
import { cleanText } from '../../store/clean-text.ts';
import { isoTime, toIso } from '../schemas.ts';

const Details = z
  .object({
    author: z.string(),
    siteName: z.string(),
    language: z.string(),
    publishedAt: isoTime.nullable(),
    canonicalUrl: z.string(),
    wordCount: z.int(),
    origins: z.array(z.enum(itemOrigins)).openapi({ description: 'Why it is there' }),
    hasContent: z.boolean().openapi({ description: 'Whether there is a readable copy, at /content' }),
    hasPermanentCopy: z
      .boolean()
      .openapi({ description: 'Whether the permanent copy of Raindrop is kept, at /permacopy' }),
    hasIcon: z.boolean().openapi({ description: 'Whether its site has an icon, at /icon' }),
    bookmarkId: z.string().nullable(),
    deletedAt: isoTime.nullable(),
    link: z
      .object({
        state: z.enum(['ok', 'dead', 'unsure']),
        checkedAt: isoTime,
        deadSince: isoTime.nullable(),
        sentence: z.string(),
      })
      .nullable()
      .openapi({ description: 'Whether its page is still there, for users who have that checked' }),
  })
  .openapi('ItemDetails');

export const ItemBody = z
  .object({
    id: z.string().openapi({ example: '1' }),
    url: z.string().openapi({ example: 'https://example.org/article' }),
    normalizedUrl: z.string(),
    title: z.string().nullable(),
    excerpt: z.string().nullable(),
    status: z.enum(itemStatuses),
    isFavorite: z.boolean(),
    collectionId: z.string().nullable(),
    tags: z.array(z.string()),
    createdAt: isoTime,
    updatedAt: isoTime,
    thumbnailUrl: z.string().nullable(),
    enrichmentStatus: z.enum(enrichmentStatuses),
    enrichmentError: z.string().nullable(),
    enrichedAt: isoTime.nullable(),
    details: Details.optional().openapi({ description: 'With include=details' }),
  })
  .openapi('Item');

/** For every answer that shows items. */
export const includeQuery = z.object({
  include: z.enum(['details']).optional().openapi({ description: 'details: more of each item' }),
});

export interface Shown {
  /** Under which the client reaches us. */
  readonly base: string;
  readonly include?: 'details' | undefined;
}

export function toItemBody(item: Item, { base, include }: Shown): z.infer<typeof ItemBody> {
  return {
    id: String(item.id),
    url: item.url,
    normalizedUrl: normalizedUrlOf(item.url, item.urlKey),
    title: item.title || null,
    excerpt: item.excerpt || null,
    status: item.status,
    isFavorite: item.isFavorite,
    collectionId: item.collectionId === null ? null : String(item.collectionId),
    tags: [...item.tags],
    createdAt: toIso(item.createdAt),
    updatedAt: toIso(item.updatedAt),
    thumbnailUrl: item.thumbnailKey === null ? null : `${base}/api/v1/items/${item.id}/thumbnail`,
    enrichmentStatus: item.enrichmentStatus,
    enrichmentError: item.enrichmentError,
    enrichedAt: timeOrNull(item.enrichedAt),
    ...(include === 'details' && { details: toDetails(item) }),
  };
}

function toDetails(item: Item): z.infer<typeof Details> {
  const { author, siteName, language, canonicalUrl, wordCount, hasContent, hasPermanentCopy, hasIcon, link } =
    item;
  return {
    author,
    siteName,
    language,
    publishedAt: timeOrNull(item.publishedAt),
    canonicalUrl,
    wordCount,
    origins: [...item.origins],
    hasContent,
    hasPermanentCopy,
    hasIcon,
    bookmarkId: item.bookmarkId === null ? null : String(item.bookmarkId),
    deletedAt: timeOrNull(item.deletedAt),
    link: link && {
      state: link.state,
      checkedAt: toIso(link.checkedAt),
      deadSince: timeOrNull(link.deadSince),
      sentence: link.sentence,
    },
  };
}

function timeOrNull(millis: number | null): string | null {
  return millis === null ? null : toIso(millis);
}

/** Plain text on one line, whatever was pasted; measured as it is kept. */
function lineText(maxCharacters: number) {
  return z
    .string()
    .max(20_000)
    .overwrite((text) => titleText(cleanText(text)).replaceAll(/\p{Cc}/gu, ''))
    .refine((text) => [...text].length <= maxCharacters, `expected at most ${maxCharacters} characters`);
}

export const idText = z
  .string()
  .regex(/^[1-9]\d{0,14}$/, 'expected an id')
  .transform(Number)
  .openapi({ type: 'string', example: '1' });

export const tagText = z.string().transform((text, context) => {
  const name = parseTagName(cleanText(text));
  if (name !== undefined) return name;
  context.addIssue(`expected 1 to ${itemLimits.tag} characters, without commas`);
  return z.NEVER;
});

/** Those that differ only in how they are written are one. */
export const tagList = z
  .array(tagText)
  .transform((tags) => [...new Set(tags)])
  .refine((tags) => tags.length <= itemLimits.tagsOfItem, `expected at most ${itemLimits.tagsOfItem}`);

/** None, an empty one, or an id. */
export const collectionIdText = z
  .union([z.literal('').transform(() => null), z.null(), idText])
  .openapi({ type: ['string', 'null'], example: '1' });

const given = {
  title: lineText(itemLimits.title),
  excerpt: lineText(itemLimits.excerpt),
  status: z.enum(itemStatuses),
  isFavorite: z.boolean(),
  collectionId: collectionIdText,
  tags: tagList,
};

const orEmpty = <T extends z.ZodType<string>>(text: T) => text.nullable().transform((value) => value ?? '');

export const CreateItem = z
  .object({
    url: z.string().overwrite(cleanText).trim().min(1).max(itemLimits.url),
    ...z.object({ ...given, title: orEmpty(given.title), excerpt: orEmpty(given.excerpt) }).partial().shape,
  })
  .openapi('CreateItemRequest');

export const UpdateItem = z
  .object({ ...given, title: orEmpty(given.title), excerpt: orEmpty(given.excerpt) })
  .partial()
  .refine(
    (change) => Object.values(change).some((value) => value !== undefined),
    'expected at least one field',
  )
  .openapi('UpdateItemRequest');
