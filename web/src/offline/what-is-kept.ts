// Which addresses of this site can be read without the server. Pure.
const pages = ['/', '/library', '/highlights', '/search', '/settings', '/operations', '/mirror', '/deframer'];

/** The page that an address shows, as it is kept; undefined for those that need the server. */
export function pageOf(path: string): string | undefined {
  return pages.find((page) => page === path);
}

/** On an answer that the worker gives in place of the server. */
export const keptHeader = 'X-Lectern-Kept';

const kept = [
  /^\/api\/me(\/preferences)?$/,
  /^\/api\/groups$/,
  /^\/api\/feeds$/,
  /^\/api\/feeds\/\d+\/icon$/,
  /^\/api\/items$/,
  /^\/api\/items\/\d+(\/content)?$/,
  // Their thumbnails are many, and would push the texts out; a cover of type serves.
  /^\/api\/v1\/items(\/counts)?$/,
  /^\/api\/v1\/items\/\d+(\/(content|icon))?$/,
  /^\/api\/v1\/(tags|collections)$/,
  /^\/api\/bookmarks$/,
  /^\/api\/annotations$/,
  /^\/api\/bookmarks\/\d+(\/content)?$/,
];

export function isKept(url: URL): boolean {
  return kept.some((pattern) => pattern.test(url.pathname));
}
