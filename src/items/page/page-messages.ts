// What the process for pages is asked, and what it may answer. It has read what strangers wrote, so its answers are looked
// at before they are believed.
import { z } from 'zod';
import type { FetchedPage, PageCopy } from './read-page.ts';

export type PageRequest = { readonly read: FetchedPage } | { readonly thumbnail: Uint8Array };

/** Said once, when everything is loaded. */
export const readySign = 'ready';

const facts = z.strictObject({
  title: z.string().max(200),
  excerpt: z.string().max(500),
  author: z.string().max(200),
  siteName: z.string().max(200),
  language: z.string().max(35),
  publishedAt: z.int().nullable(),
  canonicalUrl: z.string(),
  imageUrls: z.array(z.string()),
  iconUrls: z.array(z.string()),
});

const copy: z.ZodType<PageCopy> = z.strictObject({
  facts,
  html: z.string(),
  text: z.string(),
  wordCount: z.int().nonnegative(),
});

/** With how much memory the process has by now. */
const answered = { rssBytes: z.number() };

export const pageReply = z.union([
  z.strictObject({ ...answered, copy }),
  z.strictObject({
    ...answered,
    thumbnail: z.custom<Uint8Array>((value) => value instanceof Uint8Array).optional(),
  }),
  /** Something that nobody has thought of, for the log. */
  z.strictObject({ ...answered, failed: z.string() }),
]);

export type PageReply = z.infer<typeof pageReply>;
