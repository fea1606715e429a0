/**
 * Where to go after a login: `wanted` if it is a path on this site, else the front page. Read by the same
 * parser that the browser navigates with, so that //host, /\host, a tab or a scheme cannot lead elsewhere.
 */
export function localPath(wanted: string | null): string {
  const here = 'http://here.invalid';
  if (wanted === null || !URL.canParse(wanted, here)) return '/';
  const url = new URL(wanted, here);
  const path = url.pathname + url.search + url.hash;
  return url.origin === here && /^\/(?![/\\])/.test(path) ? path : '/';
}
