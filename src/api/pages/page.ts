// Plain pages that need no build, such as the description of the API.
import type { Context } from 'hono';

const policy =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

export interface Page {
  readonly title: string;
  /** HTML; everything that is not ours has gone through `escapeHtml`. */
  readonly body: string;
}

export function sendPage(c: Context, { title, body }: Page): Response {
  c.header('Content-Security-Policy', policy);
  return c.html(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/assets/page.css">
</head>
<body>${body}</body>
</html>
`);
}

export function escapeHtml(text: string): string {
  const entities: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
