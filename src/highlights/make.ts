// What people make themselves: a highlight on a page, a comment on it, a note about what they read.
import { Invalid } from '../errors.ts';
import { enrichJobs } from '../items/save-item.ts';
import { isPageAddress, savedUrl } from '../items/save-url.ts';
import type { RandomText } from '../model/glossary.ts';
import {
  type Annotation,
  type HighlightRows,
  type Json,
  ownSource,
  type Resource,
  type ResourceType,
  restoredSource,
  webSource,
} from '../model/highlight.ts';
import type { Target } from '../store/owned/highlights/highlight-store.ts';
import type { Page } from '../store/owned/highlights/page-resources.ts';
import type { UserRows } from '../store/store.ts';
import { hashAnnotation, hashContent, hashTitle } from './hash.ts';
import { idOf, pageOf } from './prepare.ts';

/** Where something is highlighted: one of these. */
export interface Where {
  readonly resourceId?: number | undefined;
  readonly itemId?: number | undefined;
  readonly entryId?: number | undefined;
  readonly url?: string | undefined;
}

export interface HighlightToMake extends Where {
  readonly text: string;
  readonly color: string | null;
  readonly boundary: Json;
  readonly madeAt: number | null;
  readonly comment?: string | undefined;
  readonly externalId?: string | undefined;
}

interface Deps {
  readonly rows: Pick<UserRows, 'highlights' | 'items' | 'entries'>;
  readonly randomText: RandomText;
}

/** With a page that is made anew comes the job that reads it. */
export const pageWork = { jobs: enrichJobs, hashTitle };

export async function makeHighlight({ rows, randomText }: Deps, given: HighlightToMake): Promise<Annotation> {
  const { text, color, boundary, madeAt, comment, externalId } = given;
  const target = await targetOf(rows, given);
  return rows.highlights.createAnnotation(
    target,
    {
      ...nameOf(externalId, randomText),
      contentHash: hashAnnotation(text, color),
      text,
      color,
      boundary,
      madeAt,
      comment:
        comment === undefined
          ? undefined
          : { ...nameOf(undefined, randomText), content: comment, contentHash: hashContent(comment) },
    },
    pageWork,
  );
}

export interface ResourceToMake {
  readonly type: ResourceType;
  readonly title: string;
  readonly author: string;
  readonly url: string;
  readonly config: Json;
  readonly externalId?: string | undefined;
}

/** A website with an address is the one resource of that page. */
export async function makeResource({ rows, randomText }: Deps, given: ResourceToMake): Promise<Resource> {
  const { externalId, ...fields } = given;
  const page = given.type === 'website' && given.url !== '' ? pageOf(given.url, given.title) : undefined;
  const name = nameOf(externalId, randomText);
  return rows.highlights.createResource(
    { ...fields, ...name, contentHash: hashTitle(given.title) },
    page,
    pageWork,
  );
}

export async function makeWords<K extends 'comments' | 'notes'>(
  { rows, randomText }: Pick<Deps, 'randomText'> & { rows: Pick<UserRows, 'highlights'> },
  kind: K,
  { parentId, content, externalId }: { parentId: number; content: string; externalId?: string | undefined },
): Promise<HighlightRows[K]> {
  const name = nameOf(externalId, randomText);
  return rows.highlights.createWords(kind, { ...name, parentId, content, contentHash: hashContent(content) });
}

async function targetOf(rows: Deps['rows'], { resourceId, itemId, entryId, url }: Where): Promise<Target> {
  const given = [resourceId, itemId, entryId, url].filter((one) => one !== undefined);
  if (given.length !== 1) throw new Invalid('expected one of resource_id, item_id, entry_id and url');
  if (resourceId !== undefined) return { resourceId };
  if (itemId !== undefined) return { page: pageOfItem(await rows.items.get(itemId)) };
  if (entryId !== undefined) return { page: await pageOfEntry(rows, entryId) };
  return { page: pageOf(url as string, '') };
}

/** The page of an entry, as highlights know it; an entry without a link is a page of its own. */
export async function pageOfEntry({ entries }: Pick<UserRows, 'entries'>, entryId: number): Promise<Page> {
  const { link, title } = await entries.get(entryId);
  if (isPageAddress(link)) return pageOf(link, title);
  return { saved: { url: '', key: `entry:${entryId}` }, isItem: false, title };
}

/** Under the name that its page has by now; the item may have been saved by rules of before. */
export function pageOfItem({ url, urlKey }: { readonly url: string; readonly urlKey: string }): Page {
  if (!isPageAddress(url)) return { saved: { url, key: urlKey }, isItem: true, title: '' };
  const { key, olderKeys } = savedUrl(url);
  return { saved: { url, key, olderKeys: [...olderKeys, urlKey] }, isItem: true, title: '' };
}

/** `source:id`, as whoever made it calls it; without one it is ours. */
function nameOf(externalId: string | undefined, randomText: RandomText) {
  if (externalId === undefined) return { source: ownSource, originalId: randomText(12) };
  const colon = externalId.indexOf(':');
  if (colon < 1 || colon === externalId.length - 1)
    throw new Invalid('external_id: expected the name of a source, a colon, and an id');
  const source = externalId.slice(0, colon);
  // By these names a page or a copy is found again, and what Research has.
  if ([webSource, restoredSource, 'research'].includes(source))
    throw new Invalid(`external_id: "${source}" is a name that Lectern uses itself; choose another`);
  return { source, originalId: idOf(externalId.slice(colon + 1)) };
}
