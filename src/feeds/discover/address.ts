// What a person typed or pasted, as an address.
import { Invalid } from '../../errors.ts';

export interface Address {
  readonly url: URL;
  /** Nobody wrote https:, so http: may be tried too. */
  readonly schemeGuessed: boolean;
}

export function parseAddress(typed: string): Address {
  const written = typed.trim().slice(0, 4_096);
  // @name@host is how people write Mastodon accounts.
  const account = /^@([\w.-]{1,64})@([\w.-]{1,253})$/.exec(written);
  if (account) return { url: known(`https://${account[2]}/@${account[1]}`), schemeGuessed: false };
  const bare = written
    .replace(/^(?:feed:(?:\/\/)?|rss:\/\/)(?=https?:)/i, '')
    .replace(/^(?:feed|rss):\/\//i, 'http://');
  const hasScheme = /^[a-z][a-z0-9+.-]{0,30}:\/\//i.test(bare);
  if (!hasScheme && /^[a-z][a-z0-9+-]{0,30}:(?!\d)/i.test(bare)) throw notAnAddress();
  // Reddit and GitHub are named by their paths in running text.
  const short = /^\/?(r\/\w{2,30}|u\/[\w-]{2,30})\/?$/.exec(bare)?.[1];
  if (short) return { url: known(`https://www.reddit.com/${short}`), schemeGuessed: false };
  return { url: known(hasScheme ? bare : `https://${bare.replace(/^\/\//, '')}`), schemeGuessed: !hasScheme };
}

function known(text: string): URL {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || !/^(?:localhost$|\[|.*[.])/.test(url.hostname))
    throw notAnAddress();
  url.hash = '';
  return url;
}

function notAnAddress(): Invalid {
  return new Invalid('url must be the http or https address of a feed or a page.');
}
