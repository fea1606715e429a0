// Feeds that a page names: in its head, as every browser once knew, or by a link that says so.
import { decodeHTML, decodeHTMLAttribute } from 'entities';
import { decodeText } from '../../html/decode-text.ts';
import { webUrl } from '../../html/safe-url.ts';
import { tokeniseHtml } from '../../html/tokenise-html.ts';

export interface PageDocument {
  readonly bytes: Uint8Array;
  readonly contentType: string | null;
  readonly url: string;
}

export interface PageFeeds {
  /** `<link rel="alternate">` of a feed's type. */
  readonly alternates: readonly string[];
  /** Links of the page that look as if they led to one. */
  readonly anchors: readonly string[];
}

const feedType =
  /^application\/(?:rss|atom|rdf|feed)\+(?:xml|json)|^application\/json$|^text\/(?:rss|atom)\+?xml/i;
const feedAddress =
  /(?:^|[/._?&=-])(?:rss|atom|feed|feeds|rdf|jsonfeed)(?:[/._?&=-]|\d|$)|\.(?:rss|rdf|atom)$/i;
const feedWords = /^\W{0,3}(?:rss|atom|xml feed|json feed|feed|web ?feed|subscribe via rss)\b/i;
const maxFound = 20;
/** Pages of feeds live in the first megabytes; the rest is not looked at. */
const maxChars = 3_000_000;

export function pageFeeds(document: PageDocument): PageFeeds {
  const html = decodeText(document);
  const alternates = new Set<string>();
  const anchors = new Set<string>();
  let base = document.url;
  let anchor: { url: string; text: string } | undefined;

  tokeniseHtml(html.slice(0, maxChars), {
    text(source) {
      if (anchor && anchor.text.length < 100) anchor.text += decodeHTML(source.slice(0, 100));
    },
    open(name, attributes) {
      if (name !== 'link' && name !== 'a' && name !== 'base') return;
      const given = (wanted: string) => {
        const at = attributes.findIndex((one, index) => index % 2 === 0 && one === wanted);
        return at < 0 ? '' : decodeHTMLAttribute(attributes[at + 1] ?? '');
      };
      const url = webUrl(given('href'), base);
      if (url === undefined) return;
      if (name === 'base') base = url;
      else if (name === 'a') {
        anchor = { url, text: given('title') };
        if (feedAddress.test(addressPart(url)) || feedType.test(given('type'))) add(anchors, url);
      } else if (isAlternate(given('rel')) && isFeedType(given('type'), url)) add(alternates, url);
    },
    close(name) {
      if (name !== 'a' || !anchor) return;
      if (feedWords.test(anchor.text.trim())) add(anchors, anchor.url);
      anchor = undefined;
    },
  });
  const youtube = channelOnPage(html, document.url);
  if (youtube) alternates.add(youtube);
  return { alternates: [...alternates], anchors: [...anchors].filter((url) => !alternates.has(url)) };

  function add(found: Set<string>, url: string): void {
    if (found.size < maxFound && withoutFragment(url) !== withoutFragment(document.url))
      found.add(withoutFragment(url));
  }
}

function isAlternate(rel: string): boolean {
  const words = rel.toLowerCase().split(/\s+/);
  return words.includes('feed') || (words.includes('alternate') && !words.includes('stylesheet'));
}

/** WordPress offers its whole API as an alternate of type JSON; that is no feed. */
function isFeedType(type: string, url: string): boolean {
  return feedType.test(type.trim()) && !/\/wp-json\/|[?&]rest_route=|oembed/.test(url);
}

function addressPart(url: string): string {
  const { pathname, search, hostname } = new URL(url);
  return `${/^(?:rss|feeds?)\./.test(hostname) ? '/feed' : ''}${pathname}${search}`.slice(0, 500);
}

function withoutFragment(url: string): string {
  return url.split('#')[0] ?? url;
}

/** YouTube's pages of videos and handles name the channel only in their data. */
function channelOnPage(html: string, pageUrl: string): string | undefined {
  if (!/^https?:\/\/(?:www\.|m\.)?(?:youtube\.com|youtu\.be)\//.test(pageUrl)) return undefined;
  const channel = /"(?:externalId|externalChannelId|channelId)":"(UC[\w-]{22})"/.exec(
    html.slice(0, maxChars),
  )?.[1];
  return channel && `https://www.youtube.com/feeds/videos.xml?channel_id=${channel}`;
}
