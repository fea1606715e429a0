// Which tables are durable: journaled into the library and rebuilt from it. A new durable table joins by one
// line here; a table in neither list fails a test.
import type { Tables } from './tables.ts';

export interface KeyColumn {
  readonly column: string;
  readonly type: 'integer' | 'text';
}

export interface DurableTable {
  /** Stands in the notes for the table. Never changed, never given to another table. */
  readonly id: number;
  readonly name: string;
  /** At most two integers and one text. */
  readonly key: readonly KeyColumn[];
  /** The first key column counts up by itself, and a value once given is never given again. */
  readonly counts: boolean;
  /** Columns that come and go with the work on the row: they are not journaled, and a change of them alone is none. */
  readonly volatile?: readonly string[];
  /** The files of the library that a row names, and the hash that each must have where the row knows it. */
  readonly files?: (row: Row) => readonly { key: string; sha256?: string }[];
}

export type Row = Readonly<Record<string, unknown>>;

type TableName = keyof Tables & string;

const id: readonly KeyColumn[] = [{ column: 'id', type: 'integer' }];
const uuid: readonly KeyColumn[] = [{ column: 'id', type: 'text' }];

/** Parents before children: rows that name others are rebuilt after those. */
export const durableTables: readonly (DurableTable & { name: TableName })[] = [
  { id: 1, name: 'users', key: id, counts: true },
  { id: 2, name: 'tokens', key: id, counts: true },
  { id: 3, name: 'groups', key: id, counts: true },
  { id: 4, name: 'feeds', key: id, counts: true },
  { id: 5, name: 'entries', key: id, counts: true },
  { id: 6, name: 'entry_marks', key: [{ column: 'entry_id', type: 'integer' }], counts: false },
  {
    id: 7,
    name: 'entry_tombstones',
    key: [
      { column: 'feed_id', type: 'integer' },
      { column: 'guid', type: 'text' },
    ],
    counts: false,
  },
  { id: 8, name: 'items', key: id, counts: true, files: filesOfItem },
  { id: 9, name: 'bookmarks', key: id, counts: true },
  {
    id: 10,
    name: 'preferences',
    key: [
      { column: 'user_id', type: 'integer' },
      { column: 'name', type: 'text' },
    ],
    counts: false,
  },
  {
    id: 11,
    name: 'item_tags',
    key: [
      { column: 'item_id', type: 'integer' },
      { column: 'name', type: 'text' },
    ],
    counts: false,
  },
  { id: 12, name: 'collections', key: id, counts: true },
  { id: 13, name: 'resources', key: id, counts: true },
  { id: 14, name: 'entry_texts', key: [{ column: 'entry_id', type: 'integer' }], counts: false },
  { id: 15, name: 'annotations', key: id, counts: true },
  { id: 16, name: 'comments', key: id, counts: true },
  { id: 17, name: 'notes', key: id, counts: true },
  {
    id: 18,
    name: 'sync_sources',
    key: [
      { column: 'user_id', type: 'integer' },
      { column: 'source', type: 'text' },
    ],
    counts: false,
  },
  // Its ids are given by Raindrop.
  { id: 19, name: 'raindrops', key: id, counts: false, files: filesOfRaindrop },
  { id: 20, name: 'mirror_state', key: [{ column: 'key', type: 'text' }], counts: false },
  { id: 21, name: 'deframer_feeds', key: uuid, counts: false },
  {
    id: 22,
    name: 'feed_schedules',
    key: uuid,
    counts: false,
    volatile: ['locked_until', 'locked_by', 'epoch', 'etag', 'last_modified', 'validators_url'],
  },
  { id: 23, name: 'deframed_items', key: uuid, counts: false, volatile: ['number'] },
  { id: 24, name: 'cached_feeds', key: uuid, counts: false },
  {
    id: 25,
    name: 'deframer_usage',
    key: [
      { column: 'feed_id', type: 'text' },
      { column: 'day', type: 'integer' },
    ],
    counts: false,
  },
  { id: 26, name: 'saved_searches', key: id, counts: true },
];

function filesOfRaindrop(row: Row): { key: string; sha256: string }[] {
  return Object.entries(JSON.parse(row.files as string) as object).map(([name, sha256]) => ({
    key: `raindrops/${row.id}/${name}`,
    sha256: String(sha256),
  }));
}

/** The kept copy of its page, and the picture. */
function filesOfItem(row: Row): { key: string; sha256: string }[] {
  const named = Object.entries(JSON.parse((row.snapshot_files as string | null) ?? '{}') as object);
  return [
    ...named.map(([name, sha256]) => ({ key: `${row.snapshot_key}/${name}`, sha256: String(sha256) })),
    ...(row.thumbnail_key
      ? [{ key: `thumbnails/${row.thumbnail_key}`, sha256: String(row.thumbnail_sha256) }]
      : []),
  ];
}

/** Not in tables.ts: one is written by migrations alone, the other differs between the engines. */
export const untypedTables = ['search_terms', 'schema_migrations'] as const;
type UntypedTable = (typeof untypedTables)[number];

/** Rebuilt or simply begun anew when the index is rebuilt. */
export const derivedTables: readonly (TableName | UntypedTable)[] = [
  'sessions',
  'login_attempts',
  'known_browsers',
  'questions_asked',
  'used_sign_ons',
  'meta',
  'journal_dirty',
  'leases',
  'jobs',
  'job_counters',
  'host_pauses',
  'pull_counts',
  'site_icons',
  'feed_fetch_state',
  'unread_entries',
  'feed_counts',
  'search_docs',
  'search_pending',
  'search_twins',
  'chunks',
  'item_links',
  ...untypedTables,
];

/** Where the parts of a key stand in a note: integers in k1 and k2, text in kt. */
export function noteColumns(key: readonly KeyColumn[]): { column: string; note: 'k1' | 'k2' | 'kt' }[] {
  let integers = 0;
  return key.map(({ column, type }) => {
    if (type === 'text') return { column, note: 'kt' };
    integers += 1;
    return { column, note: integers === 1 ? 'k1' : 'k2' };
  });
}
