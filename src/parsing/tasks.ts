// Everything that reads documents of strangers: feeds, pages that name feeds, files that a user uploads, and large bodies of requests.
import { describeDocument } from '../feeds/discover/describe-document.ts';
import type { PageDocument } from '../feeds/discover/page-feeds.ts';
import { type OpmlDocument, parseOpml } from '../feeds/opml/parse-opml.ts';
import { type FeedDocument, parseFeed } from '../feeds/parse/parse-feed.ts';
import { type ImportKind, parseHighlights } from '../highlights/import/import-kinds.ts';
import { parseLightBody } from '../highlights/light.ts';
import { buffersOf, type PackedSnapshot, packSnapshot } from '../highlights/pack-snapshot.ts';
import { prepare } from '../highlights/prepare.ts';

export const tasks = {
  feed: (document: FeedDocument) => parseFeed(document),
  discovery: (document: PageDocument) => describeDocument(document),
  opml: (document: OpmlDocument) => parseOpml(document),
  highlights: async ({ kind, bytes }: { kind: ImportKind; bytes: Uint8Array }) => {
    const { snapshot, skipped } = parseHighlights(kind, bytes);
    return { snapshot: packSnapshot(await prepare(snapshot)), skipped };
  },
  light: async ({ bytes }: { bytes: Uint8Array }) => {
    const { snapshot, ...sync } = await parseLightBody(bytes);
    return { ...sync, snapshot: packSnapshot(await prepare(snapshot)) };
  },
} as const;

/** The buffers of a result, which the thread gives away instead of copying them. */
export function transferredBy(result: object): ArrayBuffer[] {
  return 'snapshot' in result ? buffersOf(result.snapshot as PackedSnapshot) : [];
}

export type Tasks = typeof tasks;
export type TaskName = keyof Tasks;
