// The last steps for an entry, in this order: cut what is too long, sanitise, identify, hash.
import { hash } from 'node:crypto';
import { sanitiseHtml } from '../../html/sanitise-html.ts';
import { limits } from './limits.ts';
import type { Enclosure, RawEntry } from './raw-feed.ts';

export interface ParsedEntry {
  /** What identifies the entry in its feed: as given, else its link, else `generated:` and a hash. */
  readonly guid: string;
  /** Text, no markup. */
  readonly title: string;
  readonly link: string | null;
  readonly author: string;
  /** Sanitised HTML with absolute links. */
  readonly content: string;
  readonly categories: readonly string[];
  readonly enclosures: readonly Enclosure[];
  readonly pubDate: number | null;
  readonly updatedAt: number | null;
  /** Of all that a reader sees. Another hash under a known guid means that the entry was changed at its source. */
  readonly contentHash: string;
}

export function cleanEntry(raw: RawEntry): ParsedEntry {
  const shown = {
    title: cleanLine(raw.title),
    link: raw.link,
    author: cleanLine(raw.author),
    content: sanitiseHtml(raw.content.html.slice(0, limits.contentChars), { baseUrl: raw.content.baseUrl }),
    categories: [...new Set(raw.categories.map(cleanLine))]
      .filter((category) => category !== '')
      .slice(0, limits.categoriesPerEntry),
    enclosures: raw.enclosures.slice(0, limits.enclosuresPerEntry),
  };
  return {
    ...shown,
    guid: guidOf(raw),
    pubDate: raw.publishedAt ?? raw.updatedAt,
    updatedAt: raw.updatedAt,
    contentHash: sha256(Object.values(shown)),
  };
}

/** PostgreSQL indexes at most 2,704 bytes; a letter has up to 4. */
const longestGuid = 600;

type Identified = Pick<RawEntry, 'guid' | 'link' | 'title' | 'content' | 'publishedAt' | 'updatedAt'>;

export function guidOf({ guid, link, title, content, publishedAt, updatedAt }: Identified): string {
  if (guid.length > longestGuid) return `sha256:${sha256([guid])}`;
  const given = cleanText(guid) || link;
  if (given) return given.length <= longestGuid ? given : `sha256:${sha256([given])}`;
  // From what was sent, not from what we made of it: a better sanitiser must not make new entries of old ones.
  return `generated:${sha256([title, content.html, publishedAt ?? updatedAt])}`;
}

/** Two entries with one guid: the text of both, so that neither replaces the other at every refresh. */
export function guidWithLink(entry: ParsedEntry): string {
  return `sha256:${sha256([entry.guid, entry.link])}`;
}

export function cleanLine(text: string): string {
  return cleanText(text.slice(0, limits.lineChars)).toWellFormed();
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is meant
const controls = /[\u0000-\u0008\u000e-\u001f\u007f]+/g;

function cleanText(text: string): string {
  return text.replace(controls, '').replace(/\s+/g, ' ').trim().toWellFormed();
}

function sha256(parts: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(parts), 'hex');
}
