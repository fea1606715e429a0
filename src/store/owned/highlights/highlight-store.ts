// What people make, read and change of their highlights.
import { sql } from 'kysely';
import { Conflict, NotFound } from '../../../errors.ts';
import type { SavedUrl } from '../../../model/bookmark.ts';
import type { Clock, Millis } from '../../../model/glossary.ts';
import type {
  Annotation,
  Comment,
  HighlightKind,
  HighlightRows,
  Json,
  Resource,
  ResourceType,
} from '../../../model/highlight.ts';
import { isUniqueViolation } from '../../constraint.ts';
import type { Reader, Writer } from '../../database.ts';
import { idList } from '../../id-list.ts';
import type { EnrichJobs } from '../../pending-items.ts';
import { noteAnnotations, notePending } from '../../search/pending.ts';
import type { NewRow, Row } from '../../tables.ts';
import { lockItem } from '../item-routes.ts';
import { type Owned, rowsOf } from '../owned-rows.ts';
import { dropHighlights } from './drop-highlights.ts';
import { toHighlight, toJson } from './highlight-rows.ts';
import { liveRows, names, parents } from './live-rows.ts';
import { dropBarePage, findPages, type Page, pageIn, settlePage, upsertPage } from './page-resources.ts';
import { namedResources, takeChangeTurn } from './replicas.ts';

export type HighlightStore = ReturnType<typeof highlightStore>;

/** What whoever makes a row calls it. */
interface Named {
  readonly source: string;
  readonly originalId: string;
  readonly contentHash: string;
}

export interface NewResource extends Named {
  readonly type: ResourceType;
  readonly title: string;
  readonly author: string;
  readonly url: string;
  readonly config: Json;
}

export interface NewAnnotation extends Named {
  readonly text: string;
  readonly color: string | null;
  readonly boundary: Json;
  readonly madeAt: Millis | null;
  /** Said about it at once. */
  readonly comment: Omit<NewWords, 'parentId'> | undefined;
}

/** Of a comment or a note. */
export interface NewWords extends Named {
  readonly parentId: number;
  readonly content: string;
}

/** What something is highlighted in: a resource, or a page that may not be one yet. */
export type Target = { readonly resourceId: number } | { readonly page: Page };

export interface PageWork<P> {
  readonly jobs: EnrichJobs<P>;
  readonly hashTitle: (title: string) => string;
}

export interface ResourceChange {
  readonly title?: string | undefined;
  readonly author?: string | undefined;
  readonly config?: Json | undefined;
  readonly contentHash?: string | undefined;
}

export interface AnnotationChange {
  readonly text?: string | undefined;
  readonly color?: string | null | undefined;
  readonly boundary?: Json | undefined;
  /** Given the text and the colour that it has afterwards. */
  readonly hash: (text: string, color: string | null) => string;
}

export interface HighlightFilter {
  readonly source?: string | undefined;
  readonly type?: ResourceType | undefined;
  /** A colour; null for those that have none. */
  readonly color?: string | null | undefined;
  readonly parentId?: number | undefined;
  readonly itemId?: number | undefined;
  readonly page?: SavedUrl | undefined;
  readonly from?: Millis | undefined;
  readonly to?: Millis | undefined;
  readonly before?: { readonly at: Millis; readonly id: number } | undefined;
  readonly limit: number;
}

/** With what it stands in and what was said about it. */
export interface ShownAnnotation extends Annotation {
  readonly resource: Resource;
  readonly comments: readonly Comment[];
  /** Kept in step with its source, which alone can change it. */
  readonly isInStep: boolean;
}

export interface HighlightSummary {
  readonly total: number;
  readonly sources: readonly { readonly source: string; readonly count: number }[];
  readonly colors: readonly { readonly color: string | null; readonly count: number }[];
}

/** The column by which each kind is listed. */
const dates = {
  resources: 'created_at',
  annotations: 'made_at',
  comments: 'made_at',
  notes: 'made_at',
} as const;

const shortPage = 200;

export function highlightStore({ db, userId }: Owned, now: Clock) {
  const change = <T>(work: (trx: Writer, at: Millis) => Promise<T>) =>
    db.write(async (trx) => work(trx, await takeChangeTurn(db, trx, userId, now)));

  return {
    /** The newest first; one more than the page has, when there is one. */
    async list<K extends HighlightKind>(kind: K, filter: HighlightFilter): Promise<HighlightRows[K][]> {
      const { source, type, color, parentId, itemId, page, from, to, before, limit } = filter;
      let resourceIds: readonly number[] | undefined;
      if (itemId !== undefined) resourceIds = await resourcesOfItem(db.read, itemId);
      else if (page) resourceIds = [pageIn(await findPages(db, db.read, userId, [page]), page) ?? 0];
      const date = dates[kind] as 'made_at';
      const column = (kind === 'resources' ? 'id' : parents[kind]?.column) as 'resource_id';
      // What few rows have may be looked for in all of them.
      const isRange = source === undefined && type === undefined && color === undefined && limit <= shortPage;
      const rows = await liveRows(isRange ? db.read : db.heavyRead, userId)
        .select(kind as 'annotations')
        .selectAll()
        .$if(source !== undefined, (query) => query.where('source', '=', source as string))
        .$if(type !== undefined, (query) => query.where('type' as 'source', '=', type as string))
        .$if(color !== undefined, (query) =>
          query.where('color', color === null ? 'is' : '=', color as string),
        )
        .$if(parentId !== undefined, (query) => query.where(column, '=', parentId as number))
        .$if(resourceIds !== undefined, (query) =>
          query.where(column, 'in', idList(db, resourceIds ?? []) as never),
        )
        .$if(from !== undefined, (query) => query.where(date, '>=', from as number))
        .$if(to !== undefined, (query) => query.where(date, '<', to as number))
        .$if(before !== undefined, (query) =>
          query.where(sql<boolean>`(${sql.ref(date)}, id) < (${before?.at}, ${before?.id})`),
        )
        .orderBy(date, 'desc')
        .orderBy('id', 'desc')
        .limit(limit + 1)
        .execute();
      return rows.map((row) => toHighlight[kind](row as never) as HighlightRows[K]);
    },

    async get<K extends HighlightKind>(kind: K, id: number): Promise<HighlightRows[K]> {
      return toHighlight[kind]((await getRow(db.read, kind, id)) as never) as HighlightRows[K];
    },

    /** Deleted ones too, as they are looked at beside what they stood in. */
    async describe(annotations: readonly Annotation[]): Promise<ShownAnnotation[]> {
      const resources = await this.named(annotations.map(({ resourceId }) => resourceId));
      const rows = await liveRows(db.read, userId)
        .select('comments')
        .selectAll()
        .where(
          'annotation_id',
          'in',
          idList(
            db,
            annotations.map(({ id }) => id),
          ) as never,
        )
        .orderBy('id')
        .execute();
      const comments = Map.groupBy(rows.map(toHighlight.comments), ({ annotationId }) => annotationId);
      const synced = new Set((await syncedSources(db.read)).map(({ source }) => source));
      return annotations.flatMap((annotation) => {
        const resource = resources.get(annotation.resourceId);
        return resource
          ? [
              {
                ...annotation,
                resource,
                comments: comments.get(annotation.id) ?? [],
                isInStep: synced.has(annotation.source),
              },
            ]
          : [];
      });
    },

    /** Resources by their ids, under the titles that their pages have by now. */
    named: (ids: readonly number[]) => namedResources(db, db.read, userId, ids),

    /** How much each has, by its id. */
    async countParts(ids: readonly number[]): Promise<Map<number, { annotations: number; notes: number }>> {
      const count = (kind: 'annotations' | 'notes') =>
        liveRows(db.read, userId)
          .select(kind)
          .select((e) => ['resource_id', e.fn.countAll<number>().as('n')])
          .where('resource_id', 'in', idList(db, ids) as never)
          .groupBy('resource_id')
          .execute();
      const [annotations, notes] = [await count('annotations'), await count('notes')];
      const of = (rows: readonly { resource_id: number; n: number }[], id: number) =>
        Number(rows.find((row) => row.resource_id === id)?.n ?? 0);
      return new Map(ids.map((id) => [id, { annotations: of(annotations, id), notes: of(notes, id) }]));
    },

    async summary(): Promise<HighlightSummary> {
      const count = <C extends 'source' | 'color'>(column: C) =>
        liveRows(db.heavyRead, userId)
          .select('annotations')
          .select((e) => [column, e.fn.countAll<number>().as('n')])
          .groupBy(column)
          .orderBy('n', 'desc')
          // Each engine has another idea of where those stand that have none.
          .orderBy(column, (order) => order.asc().nullsFirst())
          .execute() as unknown as Promise<{ source: string; color: string | null; n: number }[]>;
      const [sources, colors] = [await count('source'), await count('color')];
      return {
        total: sources.reduce((sum, { n }) => sum + Number(n), 0),
        sources: sources.map(({ source, n }) => ({ source, count: Number(n) })),
        colors: colors.map(({ color, n }) => ({ color, count: Number(n) })),
      };
    },

    async createResource<P>(
      given: NewResource,
      page: Page | undefined,
      work: PageWork<P>,
    ): Promise<Resource> {
      return change(async (trx, at) => {
        const { config, ...rest } = given;
        if (page) {
          const { id, isNew } = await upsertPage({ ...personal(trx, at), ...work }, page);
          const fields = { author: given.author, config: toJson(config) };
          if (isNew)
            await liveRows(trx, userId).update('resources').set(fields).where('id', '=', id).execute();
          return getNamed(trx, id);
        }
        return getNamed(
          trx,
          await insert(trx, 'resources', { ...common(rest, at), ...fieldsOf(rest), config: toJson(config) }),
        );
      });
    },

    async createAnnotation<P>(target: Target, given: NewAnnotation, work: PageWork<P>): Promise<Annotation> {
      return change(async (trx, at) => {
        const resourceId =
          'page' in target
            ? (await upsertPage({ ...personal(trx, at), ...work }, target.page)).id
            : (await getRow(trx, 'resources', target.resourceId)).id;
        const { text, color, boundary, madeAt, comment } = given;
        const id = await insert(trx, 'annotations', {
          ...common(given, at),
          resource_id: resourceId,
          text,
          color,
          boundary: toJson(boundary),
          made_at: madeAt ?? at,
        });
        if (comment)
          await insert(trx, 'comments', {
            ...common(comment, at),
            annotation_id: id,
            content: comment.content,
            made_at: at,
          });
        await noteAnnotations(trx, [id]);
        return toHighlight.annotations((await getRow(trx, 'annotations', id)) as Row<'annotations'>);
      });
    },

    async createWords<K extends 'comments' | 'notes'>(kind: K, given: NewWords): Promise<HighlightRows[K]> {
      return change(async (trx, at) => {
        const parent = parents[kind];
        await getRow(trx, parent.kind, given.parentId);
        const id = await insert(trx, kind, {
          ...common(given, at),
          [parent.column]: given.parentId,
          content: given.content,
          made_at: at,
        });
        if (kind === 'comments') await notePending(trx, 'annotation', [given.parentId]);
        else await notePending(trx, 'note', [id]);
        return toHighlight[kind]((await getRow(trx, kind, id)) as never) as HighlightRows[K];
      });
    },

    async changeResource(
      id: number,
      { title, author, config, contentHash }: ResourceChange,
    ): Promise<Resource> {
      return change(async (trx, at) => {
        await set(trx, 'resources', id, at, {
          ...(title !== undefined && { title, content_hash: contentHash }),
          ...(author !== undefined && { author }),
          ...(config !== undefined && { config: toJson(config) }),
        });
        const passages = await liveRows(trx, userId)
          .select('annotations')
          .select('id')
          .where('resource_id', '=', id)
          .execute();
        const notes = await liveRows(trx, userId)
          .select('notes')
          .select('id')
          .where('resource_id', '=', id)
          .execute();
        // They are found by the title, too.
        await notePending(
          trx,
          'annotation',
          passages.map((row) => row.id),
        );
        await notePending(
          trx,
          'note',
          notes.map((row) => row.id),
        );
        return getNamed(trx, id);
      });
    },

    async changeAnnotation(
      id: number,
      { text, color, boundary, hash }: AnnotationChange,
    ): Promise<Annotation> {
      return change(async (trx, at) => {
        const before = (await getRow(trx, 'annotations', id)) as Row<'annotations'>;
        const now = { text: text ?? before.text, color: color === undefined ? before.color : color };
        const changed = await set(trx, 'annotations', id, at, {
          ...now,
          ...(boundary !== undefined && { boundary: toJson(boundary) }),
          content_hash: hash(now.text, now.color),
        });
        await notePending(trx, 'annotation', [id]);
        return toHighlight.annotations(changed as Row<'annotations'>);
      });
    },

    async changeWords<K extends 'comments' | 'notes'>(
      kind: K,
      id: number,
      { content, contentHash }: { content: string; contentHash: string },
    ): Promise<HighlightRows[K]> {
      return change(async (trx, at) => {
        const row = await set(trx, kind, id, at, { content, content_hash: contentHash });
        await noteSearch(trx, kind, row);
        return toHighlight[kind](row as never) as HighlightRows[K];
      });
    },

    /** With all that is part of it; a page on which nothing is left goes too. */
    async delete(kind: HighlightKind, id: number): Promise<void> {
      await change(async (trx, at) => {
        const row = await getRow(trx, kind, id);
        const itemId = kind === 'resources' ? (row as Row<'resources'>).item_id : null;
        // Before its routes: two that are removed at once must not each take the other for the last.
        if (itemId !== null) await lockItem(db, trx, userId, itemId);
        await dropHighlights({ db, trx, userId, at }, kind, [id]);
        if (kind === 'resources') await settlePage(trx, userId, itemId, at);
        else if (kind !== 'comments')
          await dropBarePage({ db, trx, userId, at }, (row as Row<'annotations'>).resource_id);
        await noteSearch(trx, kind, row);
      });
    },
  };

  function personal(trx: Writer, at: Millis) {
    return { db, trx, userId, at, by: 'person' } as const;
  }

  async function resourcesOfItem(reader: Reader, itemId: number): Promise<number[]> {
    const rows = await liveRows(reader, userId)
      .select('resources')
      .select('id')
      .where('item_id', '=', itemId)
      .execute();
    return rows.map(({ id }) => id);
  }

  async function getRow(
    reader: Reader | Writer,
    kind: HighlightKind,
    id: number,
  ): Promise<Row<HighlightKind>> {
    const row = await liveRows(reader, userId)
      .select(kind as 'annotations')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    if (!row) throw new NotFound(names[kind]);
    return row as Row<'annotations'>;
  }

  async function getNamed(trx: Writer, id: number): Promise<Resource> {
    const resource = (await namedResources(db, trx, userId, [id])).get(id);
    if (!resource || resource.deletedAt !== null) throw new NotFound('resource');
    return resource;
  }

  async function insert(
    trx: Writer,
    kind: HighlightKind,
    row: { readonly source: string; readonly [column: string]: unknown },
  ): Promise<number> {
    await requireOurs(trx, kind, row.source);
    const { id } = await rowsOf(trx, userId)
      .insert(kind as 'annotations', row as NewRow<'annotations'>)
      .returning('id')
      .executeTakeFirstOrThrow()
      .catch(nameTaken(kind));
    return id;
  }

  async function set(trx: Writer, kind: HighlightKind, id: number, at: Millis, changes: object) {
    const { source } = await getRow(trx, kind, id);
    await requireOurs(trx, kind, source);
    const row = await liveRows(trx, userId)
      .update(kind as 'annotations')
      .set({ ...changes, updated_at: at } as Partial<NewRow<'annotations'>>)
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
    return row as Row<'annotations'>;
  }

  /** Those that say again and again what they have; a file that was imported does not. */
  function syncedSources(reader: Reader | Writer): Promise<{ source: string }[]> {
    return rowsOf(reader, userId)
      .select('sync_sources')
      .select('source')
      .where('kind', 'in', ['light', 'research'])
      .execute();
  }

  /** The next sync would undo what is changed here. */
  async function requireOurs(trx: Writer, kind: HighlightKind, source: string): Promise<void> {
    const kept = (await syncedSources(trx)).some((one) => one.source === source);
    if (kept)
      throw new Conflict(
        `"${source}" is kept in step with the program of that name: make and change its ${kind} there, or add a comment here`,
      );
  }

  async function noteSearch(trx: Writer, kind: HighlightKind, row: Row<HighlightKind>): Promise<void> {
    if (kind === 'comments') await notePending(trx, 'annotation', [(row as Row<'comments'>).annotation_id]);
    if (kind === 'notes') await notePending(trx, 'note', [row.id]);
  }

  function nameTaken(kind: HighlightKind) {
    return (error: unknown): never => {
      if (isUniqueViolation(error))
        throw new Conflict(`external_id: a ${names[kind]} of that name is there already`, { cause: error });
      throw error;
    };
  }
}

const fieldsOf = ({ type, title, author, url }: Omit<NewResource, 'config'>) => ({
  type,
  title,
  author,
  url,
});

const common = ({ source, originalId, contentHash }: Named, at: Millis) => ({
  source,
  original_id: originalId,
  content_hash: contentHash,
  created_at: at,
  updated_at: at,
});
