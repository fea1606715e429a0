import type { SiteIcon } from '../../model/site-icon.ts';

/** An icon as Fever and Miniflux give it: what follows `data:` in an address. */
export function iconData({ type, bytes }: SiteIcon): string {
  return `${type};base64,${Buffer.from(bytes).toString('base64')}`;
}
