// Which addresses are the same page. The original is kept as it is; the key is what items are found by, under rules
// whose number is part of it, so that better rules never change what is already saved.
import { createHash } from 'node:crypto';
import { Invalid } from '../errors.ts';
import type { SavedUrl } from '../model/bookmark.ts';

const rules = 1;
/** What an index of PostgreSQL can hold, with room to spare. */
const longestKey = 1_000;

/** Parameters that say where a reader came from, not what the page is. */
const tracking =
  /^(utm_.+|fbclid|gclid|dclid|gbraid|wbraid|msclkid|yclid|twclid|ttclid|igshid|mc_cid|mc_eid|_hsenc|_hsmi|mkt_tok|vero_id|oly_anon_id|oly_enc_id)$/i;

export function savedUrl(text: string): SavedUrl {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw new Invalid('link: expected an http(s) address');
  return { url: text, key: keyOf(url) };
}

/** For what has no address of its own, such as an entry without a link. */
export function savedWithoutUrl(...parts: readonly string[]): SavedUrl {
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  return { url: `urn:sha256:${hash}`, key: `${rules}:urn:sha256:${hash}` };
}

function keyOf(url: URL): string {
  const pairs = [...url.searchParams].filter(([name]) => !tracking.test(name));
  // Pairs of one name keep their order: it may mean something.
  pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const query = new URLSearchParams(pairs).toString();
  const path = url.pathname.replace(/\/+$/, '');
  // A fragment that looks like a path is one: such pages are put together in the browser.
  const fragment = /^#!?\//.test(url.hash) ? url.hash : '';
  const host = url.host.replace(/\.(?=:|$)/, '');
  const key = `${rules}:${host}${path}${query && `?${query}`}${fragment}`;
  return key.length <= longestKey ? key : `${rules}:sha256:${createHash('sha256').update(key).digest('hex')}`;
}
