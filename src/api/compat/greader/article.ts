// An entry as the Google Reader API shows it.
import type { Entry, SourcedEntry } from '../../../model/entry.ts';
import { toSeconds } from '../../schemas.ts';
import { longItemId } from './item-id.ts';
import { feedStream, labelStream, readingList, stateStream } from './stream-id.ts';

const [read, fresh, starred] = ['read', 'fresh', 'starred'].map(stateStream) as [string, string, string];

export function toArticle(entry: SourcedEntry) {
  const { link, createdAt } = entry;
  return {
    id: longItemId(entry.id),
    crawlTimeMsec: String(createdAt),
    timestampUsec: `${createdAt}000`,
    published: toSeconds(entry.pubDate),
    updated: toSeconds(entry.updatedAt),
    title: entry.title,
    canonical: [{ href: link }],
    alternate: [{ href: link, type: 'text/html' }],
    ...(entry.author !== '' && { author: entry.author }),
    ...(entry.enclosures.length > 0 && {
      enclosure: entry.enclosures.map(({ url, type, lengthBytes }) => ({
        href: url,
        type,
        ...(lengthBytes !== null && { length: lengthBytes }),
      })),
    }),
    categories: [
      readingList,
      entry.unread ? fresh : read,
      ...(entry.bookmarkId === null ? [] : [starred]),
      labelStream(entry.groupName),
      ...ownCategories(entry),
    ],
    origin: { streamId: feedStream(entry.feedId), title: entry.feedName, htmlUrl: entry.siteUrl },
    // newsboat takes whichever member comes first, so there is one.
    summary: { content: entry.content },
  };
}

/** A feed must not be able to say of its entries that they are read, by a category that looks like it. */
export function ownCategories({ categories }: Pick<Entry, 'categories'>): string[] {
  return categories.filter((category) => !/^user\/|\/(state|label)\//.test(category));
}
