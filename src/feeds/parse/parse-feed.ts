// From the bytes that a server sent to a feed that can be kept and shown. Pure, and meant to run in the worker: a
// large feed takes longer than a request may wait.

import { decodeText } from '../../html/decode-text.ts';
import { readAtom } from './atom.ts';
import { cleanEntry, cleanLine, guidWithLink, type ParsedEntry } from './clean-entry.ts';
import { BrokenFeed, NotAFeed } from './feed-errors.ts';
import { readJsonFeed } from './json-feed.ts';
import { languageTag } from './language.ts';
import { limits } from './limits.ts';
import type { RawFeed } from './raw-feed.ts';
import { findRoot } from './roots.ts';
import { readRss } from './rss.ts';
import { readXml } from './xml/read-xml.ts';

export interface FeedDocument {
  readonly bytes: Uint8Array;
  /** The Content-Type header. */
  readonly contentType: string | null;
  /** The Content-Language header, for feeds that name no language themselves. */
  readonly contentLanguage?: string | null;
  /** Where it was found, after redirects: what relative links are relative to. */
  readonly url: string | null;
}

export interface ParsedFeed {
  readonly title: string;
  readonly siteUrl: string | null;
  readonly selfUrl: string | null;
  readonly description: string;
  readonly language: string | null;
  /** How long the publisher asks to be left alone. */
  readonly ttlMinutes: number | null;
  /** In the order of the document; no two with one guid. */
  readonly entries: readonly ParsedEntry[];
}

/** Throws NotAFeed or BrokenFeed, and nothing else. */
export function parseFeed(document: FeedDocument): ParsedFeed {
  if (document.bytes.length > limits.documentBytes) {
    throw new BrokenFeed(`The feed is larger than ${limits.documentBytes / 1024 / 1024} MB.`);
  }
  const text = decodeText(document);
  if (text.trim() === '') throw new NotAFeed('The address answers with an empty document.');
  const raw = readDocument(text, document.url);
  return {
    title: cleanLine(raw.title),
    siteUrl: raw.siteUrl,
    selfUrl: raw.selfUrl,
    description: cleanLine(raw.description),
    language: raw.language ?? languageTag(document.contentLanguage?.split(',')[0]),
    ttlMinutes: raw.ttlMinutes,
    entries: distinct(raw.entries.map(cleanEntry)),
  };
}

function readDocument(text: string, url: string | null): RawFeed {
  if (/^\s*[{[]/.test(text.slice(0, 1000))) return readJsonFeed(text, url);
  const document = readXml(text);
  const root = findRoot(document);
  if (!root) {
    const isPage = /<html|<!doctype html/i.test(text.slice(0, 2000));
    throw new NotAFeed(
      isPage ? 'The address answers with a web page, not a feed.' : 'The document is not a feed.',
    );
  }
  return root.name === 'feed' ? readAtom(root, document, url) : readRss(root, document, url);
}

/**
 * Entries that share guid and link are one entry, and the newest is kept. Some feeds give all their entries one guid;
 * then the links tell them apart.
 */
function distinct(entries: readonly ParsedEntry[]): ParsedEntry[] {
  const byGuid = Map.groupBy(entries, ({ guid }) => guid);
  if (byGuid.size === entries.length) return [...entries];
  const kept = new Map<string, ParsedEntry>();
  for (const entry of entries) {
    const shared = byGuid.get(entry.guid) ?? [];
    const isShared = shared.some(({ link }) => link !== entry.link);
    const guid = isShared ? guidWithLink(entry) : entry.guid;
    const other = kept.get(guid);
    if (!other || dateOf(entry) > dateOf(other)) kept.set(guid, { ...entry, guid });
  }
  return [...kept.values()];
}

function dateOf({ updatedAt, pubDate }: ParsedEntry): number {
  return updatedAt ?? pubDate ?? Number.NEGATIVE_INFINITY;
}
