// Rows for every durable table, drawn at random: for properties that must hold of all of them.
import fc from 'fast-check';
import { sql } from 'kysely';
import type { Database } from '../../src/store/database.ts';
import { type DurableTable, durableTables, type Row } from '../../src/store/durable.ts';
import { anyCharacter } from './any-character.ts';

/** What a step of a history can draw on. */
export interface Draw {
  readonly pick: number;
  readonly text: string;
}

type Live = ReadonlyMap<string, readonly Row[]>;

interface Generator {
  /** A new row without its counted id, or undefined when it needs another row first. */
  insert(draw: Draw, live: Live): Row | undefined;
  change(draw: Draw): Row;
  /** Columns that name a row of another table: while there are such rows, the other one stays. */
  readonly names?: Readonly<Record<string, string>>;
}

const anyOf = (rows: readonly Row[] | undefined, pick: number) =>
  rows?.length ? rows[pick % rows.length] : undefined;

/** What every kind of highlight has. */
const highlightRow = (userId: unknown, pick: number, text: string): Row => ({
  user_id: userId,
  source: ['a', 'a_', 'A', '%'][pick % 4],
  original_id: `${pick % 5}${text}`,
  made_at: pick,
  content_hash: text,
  full_hash: text,
  deleted_at: pick % 2 === 0 ? null : pick,
  created_at: pick,
  updated_at: pick,
});

/** One for each durable table: a table without one fails the suite. */
export const generators: Readonly<Record<string, Generator>> = {
  users: {
    insert: ({ pick, text }) => ({
      username: `u${pick}${text}`,
      password_hash: pick % 3 === 0 ? null : text,
      role: pick % 7 === 0 ? 'owner' : 'member',
      oidc_subject: pick % 2 === 0 ? null : text,
      created_at: pick,
      updated_at: pick,
    }),
    change: ({ pick, text }) => ({ username: `v${text}`, updated_at: pick * 1_000_000_000 }),
  },
  tokens: {
    insert: ({ pick, text }, live) => {
      const user = anyOf(live.get('users'), pick);
      return (
        user && {
          user_id: user.id,
          name: text,
          scope: pick % 2 === 0 ? 'read' : 'write',
          secret_sha256: `${pick} ${text}`,
          fever_sha256: text,
          created_at: pick,
        }
      );
    },
    change: ({ text }) => ({ name: text, fever_sha256: `f${text}` }),
    names: { user_id: 'users' },
  },
  saved_searches: {
    insert: ({ pick, text }, live) => {
      const user = anyOf(live.get('users'), pick);
      return (
        user && { user_id: user.id, name: `${pick % 4}${text}`, q: text, created_at: pick, updated_at: pick }
      );
    },
    // Few names, so that they pass from one row to another.
    change: ({ pick, text }) => ({ name: ['a', 'b', 'c'][pick % 3], q: text, updated_at: pick }),
    names: { user_id: 'users' },
  },
  groups: {
    insert: ({ pick, text }, live) => {
      const user = anyOf(live.get('users'), pick);
      return (
        user && {
          user_id: user.id,
          name: text,
          is_default: pick % 5 === 0 ? 1 : 0,
          created_at: pick,
          updated_at: pick,
        }
      );
    },
    // Few names, so that they pass from one row to another.
    change: ({ pick }) => ({ name: ['a', 'b', 'c'][pick % 3], updated_at: pick }),
    names: { user_id: 'users' },
  },
  feeds: {
    insert: ({ pick, text }, live) => {
      const group = anyOf(live.get('groups'), pick);
      return (
        group && {
          user_id: group.user_id,
          group_id: group.id,
          name: text,
          link: `https://example.org/${pick % 4}`,
          site_url: text,
          suspended: pick % 2,
          proxy: '',
          gone_at: pick % 3 === 0 ? pick : null,
          moved_from: pick % 4 === 0 ? text : '',
          moved_at: pick % 4 === 0 ? pick : null,
          read_through_id: pick % 5,
          keep_entries: pick % 2 === 0 ? null : pick,
          full_text: pick % 2,
          deleted_at: pick % 11 === 0 ? pick : null,
          created_at: pick,
          updated_at: pick,
          description: text,
        }
      );
    },
    change: ({ pick, text }) => ({
      name: text,
      link: `https://example.org/${pick % 4}`,
      read_through_id: pick,
    }),
    names: { user_id: 'users', group_id: 'groups' },
  },
  entries: {
    insert: ({ pick, text }, live) => {
      const feed = anyOf(live.get('feeds'), pick);
      return (
        feed && {
          user_id: feed.user_id,
          feed_id: feed.id,
          guid: `${pick % 6}${text}`,
          title: text,
          link: text,
          author: text,
          content: text.repeat(pick % 50),
          enclosures: '[]',
          categories: JSON.stringify([text]),
          pub_date: pick * 1_000,
          created_at: pick,
          updated_at: pick,
          content_hash: text,
        }
      );
    },
    change: ({ pick, text }) => ({ title: text, guid: `${pick % 6}`, updated_at: pick }),
    names: { user_id: 'users', feed_id: 'feeds' },
  },
  entry_marks: {
    insert: ({ pick }, live) => {
      const entry = anyOf(live.get('entries'), pick);
      return entry && { entry_id: entry.id, user_id: entry.user_id, is_read: pick % 2 };
    },
    change: ({ pick }) => ({ is_read: pick % 2 }),
    names: { user_id: 'users', entry_id: 'entries' },
  },
  entry_tombstones: {
    insert: ({ pick, text }, live) => {
      const feed = anyOf(live.get('feeds'), pick);
      return feed && { feed_id: feed.id, guid: `${pick % 6}${text}`, user_id: feed.user_id };
    },
    change: ({ text }) => ({ guid: `t${text}` }),
    names: { user_id: 'users', feed_id: 'feeds' },
  },
  items: {
    insert: ({ pick, text }, live) => {
      const user = anyOf(live.get('users'), pick);
      return (
        user && {
          user_id: user.id,
          url: text,
          url_key: `1:${pick % 5}${text}`,
          title: text,
          title_from: ['', 'entry', 'page', 'raindrop', 'person'][pick % 5],
          excerpt: text,
          excerpt_from: ['', 'page', 'raindrop', 'person'][pick % 4],
          author: text,
          site_name: text,
          language: text,
          published_at: pick % 2 === 0 ? null : pick,
          canonical_url: text,
          word_count: pick,
          site_origin: text,
          status: ['unread', 'archived'][pick % 2],
          is_favorite: pick % 2,
          collection_id: pick % 3 === 0 ? pick : null,
          snapshot_key: null,
          snapshot_files: null,
          text_sha256: pick % 3 === 0 ? text : null,
          thumbnail_key: null,
          thumbnail_sha256: null,
          enrichment_status: ['pending', 'succeeded', 'failed', null][pick % 4],
          enrichment_error: pick % 4 === 2 ? text : null,
          enriched_at: pick % 4 === 1 ? pick : null,
          saved_at: pick % 2 === 0 ? null : pick,
          created_at: pick,
          updated_at: pick,
          deleted_at: null,
          deleted_by: '',
          purged_at: null,
        }
      );
    },
    change: ({ pick, text }) => ({
      title: text,
      url_key: `1:${pick % 5}`,
      deleted_at: pick,
      deleted_by: 'person',
      purged_at: pick % 2 === 0 ? null : pick,
    }),
    names: { user_id: 'users' },
  },
  bookmarks: {
    insert: ({ pick, text }, live) => {
      const item = anyOf(live.get('items'), pick);
      const entry = anyOf(
        live.get('entries')?.filter((row) => row.user_id === item?.user_id),
        pick,
      );
      return (
        item && {
          user_id: item.user_id,
          item_id: item.id,
          entry_id: entry?.id ?? null,
          feed_id: entry?.feed_id ?? null,
          link: text,
          title: text,
          content: text,
          pub_date: pick,
          feed_name: text,
          created_at: pick,
          deleted_at: pick % 3 === 0 ? pick : null,
        }
      );
    },
    change: ({ text }) => ({ title: text, feed_name: `f${text}` }),
    names: { user_id: 'users', item_id: 'items', entry_id: 'entries', feed_id: 'feeds' },
  },
  preferences: {
    insert: ({ pick, text }, live) => {
      const user = anyOf(live.get('users'), pick);
      return user && { user_id: user.id, name: `p${pick % 4}${text}`, value: JSON.stringify(text) };
    },
    change: ({ pick, text }) => ({ name: `p${pick % 4}`, value: JSON.stringify({ text }) }),
    names: { user_id: 'users' },
  },
  item_tags: {
    insert: ({ pick, text }, live) => {
      const item = anyOf(live.get('items'), pick);
      return (
        item && {
          item_id: item.id,
          name: `${pick % 6}${text}`,
          user_id: item.user_id,
          created_at: item.created_at,
        }
      );
    },
    change: ({ pick }) => ({ name: `${pick % 6}`, created_at: pick }),
    names: { user_id: 'users', item_id: 'items' },
  },
  collections: {
    insert: ({ pick, text }, live) => {
      const user = anyOf(live.get('users'), pick);
      const parent = anyOf(
        live.get('collections')?.filter((row) => row.user_id === user?.id),
        pick,
      );
      return (
        user && {
          user_id: user.id,
          parent_id: pick % 2 === 0 ? null : (parent?.id ?? null),
          name: text,
          description: text,
          source: pick % 3 === 0 ? 'raindrop' : '',
          external_id: pick % 3 === 0 ? String(pick) : '',
          created_at: pick,
          updated_at: pick,
        }
      );
    },
    change: ({ pick }) => ({ name: ['a', 'b', 'c'][pick % 3], updated_at: pick }),
    names: { user_id: 'users', parent_id: 'collections' },
  },
  resources: {
    insert: ({ pick, text }, live) => {
      const user = anyOf(live.get('users'), pick);
      const item = anyOf(
        live.get('items')?.filter((row) => row.user_id === user?.id),
        pick,
      );
      return (
        user && {
          user_id: user.id,
          item_id: item?.id ?? null,
          source: ['a', 'a_', 'A', '%'][pick % 4],
          original_id: `${pick % 5}${text}`,
          type: ['website', 'pdf', 'book'][pick % 3],
          title: text,
          content_hash: text,
          full_hash: text,
          deleted_at: pick % 2 === 0 ? null : pick,
          created_at: pick,
          updated_at: pick,
        }
      );
    },
    change: ({ pick, text }) => ({ title: text, deleted_at: pick % 2 === 0 ? null : pick }),
    names: { user_id: 'users', item_id: 'items' },
  },
  annotations: {
    insert: ({ pick, text }, live) => {
      const resource = anyOf(live.get('resources'), pick);
      return (
        resource && {
          ...highlightRow(resource.user_id, pick, text),
          resource_id: resource.id,
          text,
          color: pick % 3 === 0 ? null : `color ${pick % 3}`,
          boundary: pick % 4 === 0 ? null : JSON.stringify({ text }),
        }
      );
    },
    change: ({ pick, text }) => ({ text: `a${text}`, deleted_at: pick % 2 === 0 ? null : pick }),
    names: { user_id: 'users', resource_id: 'resources' },
  },
  comments: {
    insert: ({ pick, text }, live) => {
      const annotation = anyOf(live.get('annotations'), pick);
      return (
        annotation && {
          ...highlightRow(annotation.user_id, pick, text),
          annotation_id: annotation.id,
          content: text,
        }
      );
    },
    change: ({ pick, text }) => ({ content: `c${text}`, deleted_at: pick % 2 === 0 ? null : pick }),
    names: { user_id: 'users', annotation_id: 'annotations' },
  },
  notes: {
    insert: ({ pick, text }, live) => {
      const resource = anyOf(live.get('resources'), pick);
      return (
        resource && { ...highlightRow(resource.user_id, pick, text), resource_id: resource.id, content: text }
      );
    },
    change: ({ pick, text }) => ({ content: `n${text}`, deleted_at: pick % 2 === 0 ? null : pick }),
    names: { user_id: 'users', resource_id: 'resources' },
  },
  sync_sources: {
    insert: ({ pick, text }, live) => {
      const user = anyOf(live.get('users'), pick);
      return (
        user && {
          user_id: user.id,
          source: `${['a', 'a_', 'A', '%'][pick % 4]}${text}`,
          kind: 'light',
          config: JSON.stringify({ text }),
          last_sync_at: pick % 2 === 0 ? null : pick,
          last_counts: null,
          last_error: text,
          last_error_at: null,
          created_at: pick,
        }
      );
    },
    change: ({ pick, text }) => ({ last_error: `e${text}`, last_sync_at: pick }),
    names: { user_id: 'users' },
  },
  raindrops: {
    insert: ({ pick, text }, live) => {
      const user = anyOf(live.get('users'), pick);
      const item = live.get('items')?.find((row) => row.user_id === user?.id);
      return (
        user && {
          id: 1 + pick,
          user_id: user.id,
          item_id: pick % 2 === 0 ? null : (item?.id ?? null),
          link: `https://example.org/${text}`,
          title: text,
          excerpt: text,
          note: text,
          domain: 'example.org',
          tags: JSON.stringify([text]),
          highlights: '[]',
          collection_id: -1,
          is_important: pick % 2,
          cover: '',
          cover_at: null,
          cache_status: ['stored', 'none', 'pending', 'refused', 'failed'][pick % 5],
          raw_sha256: 'a',
          text_sha256: 'b',
          word_count: pick,
          files: '{}',
          created_at: pick,
          updated_at: pick,
          removed_at: null,
        }
      );
    },
    change: ({ pick, text }) => ({ title: `r${text}`, removed_at: pick % 2 === 0 ? null : pick }),
    names: { user_id: 'users', item_id: 'items' },
  },
  mirror_state: {
    insert: ({ pick, text }) => ({ key: `${['a', 'A', '%', 'a_'][pick % 4]}${text}`, value: text }),
    change: ({ text }) => ({ value: `v${text}` }),
  },
  entry_texts: {
    insert: ({ pick, text }, live) => {
      const entry = anyOf(live.get('entries'), pick);
      return entry && { entry_id: entry.id, user_id: entry.user_id, content: text, fetched_at: pick };
    },
    change: ({ text }) => ({ content: `f${text}` }),
    names: { user_id: 'users', entry_id: 'entries' },
  },
  deframer_feeds: {
    insert: ({ pick, text }) => ({
      id: `${pick} ${text}`,
      url: `https://example.org/${pick % 5}`,
      root_domain: pick % 3 === 0 ? null : text,
      enforce_feed_domain: pick % 2,
      polling: pick % 2,
      enabled: pick % 2,
      prompt: pick % 4 === 0 ? text : null,
      created_at: pick,
      updated_at: pick,
      deleted_at: pick % 2 === 0 ? null : pick,
    }),
    change: ({ pick, text }) => ({ enabled: pick % 2, root_domain: text }),
  },
  feed_schedules: {
    insert: ({ pick, text }, live) => {
      const feed = anyOf(live.get('deframer_feeds'), pick);
      return (
        feed && { id: feed.id, next_run_at: pick % 2 === 0 ? null : pick, last_error: text, epoch: pick }
      );
    },
    change: ({ pick, text }) =>
      pick % 2 === 0 ? { locked_until: pick, epoch: pick } : { next_run_at: pick, last_note: text },
    names: { id: 'deframer_feeds' },
  },
  deframed_items: {
    insert: ({ pick, text }, live) => {
      const feed = anyOf(live.get('deframer_feeds'), pick);
      return (
        feed && {
          id: `${pick} ${text}`,
          feed_id: feed.id,
          hash: `${pick % 3}${text}`,
          url: `https://example.org/${pick}`,
          analyzer_result: '{}',
          overall: pick / 1000,
          content: text,
          author: text,
          pub_date: pick,
          analysis_key: text,
          tokens_in: pick,
          tokens_out: pick,
          cost_micros: pick % 2 === 0 ? null : pick,
          created_at: pick,
          updated_at: pick,
        }
      );
    },
    change: ({ pick, text }) => ({ overall: pick / 7, content: `c${text}` }),
    names: { feed_id: 'deframer_feeds' },
  },
  cached_feeds: {
    insert: ({ pick, text }, live) => {
      const feed = anyOf(live.get('deframer_feeds'), pick);
      return (
        feed && {
          id: feed.id,
          xml_header: text,
          item_refs: '[]',
          xml_content: text,
          created_at: pick,
          updated_at: pick,
        }
      );
    },
    change: ({ pick, text }) => ({ xml_content: `x${text}`, updated_at: pick }),
    names: { id: 'deframer_feeds' },
  },
  deframer_usage: {
    insert: ({ pick, text }, live) => {
      const feed = anyOf(live.get('deframer_feeds'), pick);
      return feed && { feed_id: feed.id, day: pick, calls: text.length };
    },
    change: ({ pick }) => ({ calls: pick, cost_micros: pick }),
    names: { feed_id: 'deframer_feeds' },
  },
};

/** The rows that name this one. */
function isNamed(table: DurableTable, row: Row, live: Live): boolean {
  return Object.entries(generators).some(([name, { names = {} }]) =>
    Object.entries(names).some(
      ([column, named]) => named === table.name && live.get(name)?.some((other) => other[column] === row.id),
    ),
  );
}

export type Step =
  | { readonly do: 'insert' | 'update' | 'delete' | 'move'; readonly table: number; readonly draw: Draw }
  | { readonly do: 'flush' | 'fold' | 'compact' };

export const drawStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constantFrom('insert', 'insert', 'insert', 'update', 'update', 'delete', 'move'),
      table: fc.nat({ max: durableTables.length - 1 }),
      draw: fc.record({ pick: fc.nat({ max: 1000 }), text: fc.string({ unit: anyCharacter, maxLength: 8 }) }),
    }),
  },
  { weight: 3, arbitrary: fc.constant({ do: 'flush' } as const) },
  { weight: 1, arbitrary: fc.constantFrom({ do: 'fold' } as const, { do: 'compact' } as const) },
) as fc.Arbitrary<Step>;

/** Makes the change that a step draws. One that the schema refuses changes nothing, and is part of the history. */
export async function change(db: Database, step: Extract<Step, { table: number }>): Promise<void> {
  const table = durableTables[step.table] as DurableTable;
  const generator = generators[table.name];
  if (!generator) throw new Error(`${table.name} has no generator in durable-rows.ts`);
  try {
    await db.write(async (trx) => {
      const live = new Map<string, Row[]>();
      for (const { name, key } of durableTables) {
        const order = sql.join(key.map(({ column }) => sql.ref(column)));
        live.set(
          name,
          (await sql<Row>`SELECT * FROM ${sql.table(name)} ORDER BY ${order}`.execute(trx)).rows,
        );
      }
      const row = anyOf(live.get(table.name), step.draw.pick);
      const into = sql.table(table.name);
      const isThis = (found: Row) =>
        sql.join(
          table.key.map(({ column }) => sql`${sql.ref(column)} = ${found[column]}`),
          sql` AND `,
        );
      if (step.do === 'insert') {
        const drawn = generator.insert(step.draw, live);
        if (drawn) await sql`INSERT INTO ${into} (${names(drawn)}) VALUES (${values(drawn)})`.execute(trx);
      } else if (row && step.do === 'update') {
        await sql`UPDATE ${into} SET ${assignments(generator.change(step.draw))} WHERE ${isThis(row)}`.execute(
          trx,
        );
      } else if (row && step.do === 'move' && table.counts && !isNamed(table, row, live)) {
        const id = Number(row.id) + 1 + (step.draw.pick % 3);
        await sql`UPDATE ${into} SET id = ${id} WHERE ${isThis(row)}`.execute(trx);
      } else if (row && step.do === 'delete' && !isNamed(table, row, live)) {
        await sql`DELETE FROM ${into} WHERE ${isThis(row)}`.execute(trx);
      }
    });
  } catch (error) {
    if (!/unique|duplicate|constraint/i.test((error as Error).message)) throw error;
  }
}

const names = (row: Row) => sql.join(Object.keys(row).map((name) => sql.ref(name)));
const values = (row: Row) => sql.join(Object.values(row));
const assignments = (row: Row) =>
  sql.join(Object.entries(row).map(([name, value]) => sql`${sql.ref(name)} = ${value}`));
