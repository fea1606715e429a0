// An article as a document of its own, which the reader shows in a frame. Its policy is a second wall behind the
// sanitiser: whatever got past that could run nothing, send nothing and load nothing but images and sound.
import { createHash } from 'node:crypto';
import type { Context } from 'hono';
import { readableHtml } from '../../html/readable-html.ts';
import { sanitiseHtml } from '../../html/sanitise-html.ts';
import { articleCaching } from '../article-caching.ts';
import type { ApiEnv } from '../context.ts';
import { namesEtag } from '../if-none-match.ts';
import { escapeHtml } from './page.ts';

// allow-same-origin lets the reader look into the frame, for its height, its keys and a selection; without
// allow-scripts there is nothing in it that could look out.
const policy = [
  'sandbox allow-same-origin allow-popups allow-popups-to-escape-sandbox',
  "default-src 'none'",
  'img-src http: https: data:',
  'media-src http: https:',
  "style-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ');

export interface Article {
  readonly title: string;
  readonly link: string;
  readonly content: string;
}

export function sendArticle(c: Context<ApiEnv>, article: Article): Response {
  const html = articleHtml(article);
  const etag = `"${createHash('sha256').update(html).digest('base64url')}"`;
  const headers = {
    'Content-Security-Policy': policy,
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': articleCaching(c),
    ETag: etag,
  };
  // A browser takes over the headers of a 304, so that it has them all.
  if (namesEtag(c.req.header('if-none-match'), etag)) return c.body(null, 304, headers);
  return c.body(html, 200, { ...headers, 'Content-Type': 'text/html; charset=utf-8' });
}

/** Cleaned here too: bookmarks can be made of any HTML, and what is kept was cleaned by the rules of its day. */
function articleHtml({ title, link, content }: Article): string {
  const baseUrl = /^https?:\/\//i.test(link) && URL.canParse(link) ? link : null;
  return `<!doctype html>
<html>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="stylesheet" href="/reading.css">
</head>
<body>
<article dir="auto">${readableHtml(sanitiseHtml(content, { baseUrl }))}</article>
</body>
</html>
`;
}
