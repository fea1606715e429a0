/**
 * `wanted` if it is a path on this site, else the front page. The web app has the same rule, and one test has both: read
 * by the parser that browsers navigate with, //host, /\host, a tab or a scheme cannot lead elsewhere.
 */
export function localPath(wanted: string | undefined): string {
  const here = 'http://here.invalid';
  if (wanted === undefined || !URL.canParse(wanted, here)) return '/';
  const url = new URL(wanted, here);
  const path = url.pathname + url.search + url.hash;
  return url.origin === here && /^\/(?![/\\])/.test(path) ? path : '/';
}
