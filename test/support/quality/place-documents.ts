// The fixed set in a store, as the features would have put it there: feeds and what is unread as rows, texts by the indexer.
import type { SearchSources } from '../../../src/model/search.ts';
import { searchKinds } from '../../../src/model/search.ts';
import type { Database } from '../../../src/store/database.ts';
import type { Store } from '../../../src/store/store.ts';
import { indexAll, MemorySource } from '../search-docs.ts';
import { documents, feeds, type QualityDoc } from './documents.ts';

/** So many are there for somebody else as well, word for word. */
const ofAnother = 200;

export interface PlacedSet {
  readonly userId: number;
  readonly sources: SearchSources;
  /** The name of a document that was found. */
  nameOf(hit: { readonly kind: string; readonly text: { readonly refId: number } }): string;
}

export async function placeDocuments(store: Store, database: Database): Promise<PlacedSet> {
  const { id: userId } = await store.users.create({ username: 'anna', passwordHash: null, role: 'owner' });
  const { id: otherId } = await store.users.create({ username: 'ben', passwordHash: null, role: 'member' });
  const sources = Object.fromEntries(searchKinds.map((kind) => [kind, new MemorySource(kind)]));
  for (const { kind, text } of documents) sources[kind]?.put({ ...text, userId });
  for (const { kind, text } of documents.slice(0, ofAnother))
    sources[kind]?.put({
      ...text,
      refId: text.refId + documents.length,
      userId: otherId,
      facts: { ...text.facts, feedId: null },
    });
  await placeRows(database, userId);
  await indexAll(store, ...Object.values(sources));
  const byName = new Map(documents.map((doc) => [`${doc.kind} ${doc.text.refId}`, doc]));
  return {
    userId,
    sources: sources as unknown as SearchSources,
    nameOf({ kind, text }) {
      const doc = byName.get(`${kind} ${text.refId}`);
      // What belongs to somebody else has no name here.
      return doc?.name ?? `unknown ${kind} ${text.refId}`;
    },
  };
}

async function placeRows(database: Database, userId: number): Promise<void> {
  const groups = await database.read
    .selectFrom('groups')
    .select('id')
    .where('user_id', '=', userId)
    .execute();
  const groupId = groups[0]?.id ?? 0;
  const isUnread = ({ isUnread }: QualityDoc) => isUnread;
  await database.write(async (trx) => {
    await trx
      .insertInto('feeds')
      .values(
        feeds.map(({ id, name, link }) => ({
          id,
          user_id: userId,
          group_id: groupId,
          name,
          link,
          site_url: '',
          created_at: 0,
          updated_at: 0,
          gone_at: null,
          moved_at: null,
          keep_entries: null,
          deleted_at: null,
        })),
      )
      .execute();
    const unread = documents.filter(isUnread).map(({ text }) => ({
      user_id: userId,
      pub_date: text.publishedAt,
      entry_id: text.refId,
      feed_id: text.facts?.feedId ?? 1,
      group_id: groupId,
    }));
    await trx.insertInto('unread_entries').values(unread).execute();
  });
}
