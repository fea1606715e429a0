// The files of the web app, as its build has left them: read once, handed out as they are.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { Context } from 'hono';

export interface WebFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
  readonly etag: string;
  /** The same, compressed, by the name that HTTP has for the way of it. */
  readonly compressed: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
}

/** By path under the root of the site, such as `/index.html`. */
export type WebApp = ReadonlyMap<string, WebFile>;

const types: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  woff2: 'font/woff2',
  json: 'application/json',
  webmanifest: 'application/manifest+json',
};

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' data:",
  "media-src 'self' http: https:",
  "connect-src 'self'",
  "frame-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  // No text becomes HTML but what Svelte has made of our own templates.
  "require-trusted-types-for 'script'",
  // The other lets our one worker be registered, and nothing else.
  'trusted-types svelte-trusted-html lectern-worker',
].join('; ');

export function readWebApp(directory: string): WebApp {
  if (!existsSync(directory)) return new Map();
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  const paths = names.map((name) => join(directory, name)).filter((path) => statSync(path).isFile());
  return new Map(
    paths
      .filter((path) => types[extensionOf(path)])
      .map((path) => [`/${relative(directory, path).split(sep).join('/')}`, readWebFile(path)]),
  );
}

function readWebFile(path: string): WebFile {
  const bytes = new Uint8Array(readFileSync(path));
  const ways = [
    ['br', `${path}.br`],
    ['gzip', `${path}.gz`],
  ] as const;
  return {
    bytes,
    type: types[extensionOf(path)] ?? 'application/octet-stream',
    etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
    compressed: new Map(
      ways
        .filter(([, file]) => existsSync(file))
        .map(([way, file]) => [way, new Uint8Array(readFileSync(file))]),
    ),
  };
}

const extensionOf = (path: string) => path.slice(path.lastIndexOf('.') + 1);

/** A file whose name holds its hash never changes; any other is asked after each time. */
export function sendWebFile(c: Context, file: WebFile, { forever = false } = {}): Response {
  const headers: Record<string, string> = {
    'Content-Type': file.type,
    'Cache-Control': forever ? 'public, max-age=31536000, immutable' : 'no-cache',
    ETag: file.etag,
    Vary: 'Accept-Encoding',
    ...(file.type.startsWith('text/html') && {
      'Content-Security-Policy': policy,
      'Cross-Origin-Opener-Policy': 'same-origin',
    }),
  };
  if (c.req.header('if-none-match')?.includes(file.etag)) return c.body(null, 304, headers);
  const accepted = c.req.header('accept-encoding') ?? '';
  for (const [way, bytes] of file.compressed) {
    if (!new RegExp(`(^|[\\s,])${way}($|[\\s,;])`).test(accepted)) continue;
    return c.body(bytes, 200, { ...headers, 'Content-Encoding': way });
  }
  return c.body(file.bytes, 200, headers);
}
