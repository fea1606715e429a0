/** What a file at an address is called. A feed may write a % that encodes nothing: then the name stays as it is written. */
export function fileName(href: string): string {
  const { pathname } = new URL(href);
  const written = pathname.slice(pathname.lastIndexOf('/') + 1);
  try {
    return decodeURIComponent(written) || href;
  } catch {
    return written;
  }
}
