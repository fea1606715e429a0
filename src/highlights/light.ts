// What the browser extension Light sends: all highlights that it has, by the addresses of their pages.
import { Invalid } from '../errors.ts';
import {
  type HighlightKind,
  type Json,
  ownSource,
  restoredSource,
  type Snapshot,
  type SourceAnnotation,
  type SourceResource,
  syncKinds,
  webSource,
} from '../model/highlight.ts';
import { letOthersIn } from '../store/let-others-in.ts';
import type { UserRows } from '../store/store.ts';
import { pageOf } from './prepare.ts';
import { type PlannedIds, reconcile, type SentSnapshot, type SyncOutcome } from './reconcile.ts';

export interface LightSync {
  readonly source: string;
  readonly scope: string | undefined;
  readonly snapshot: Snapshot;
}

const longestSource = 200;
const longestUrl = 8_000;
const longestText = 1_000_000;
const longestGroupId = 200;
/** More would take more memory than the thread has that reads them. */
const maxHighlights = 500_000;
const maxPages = 100_000;
/** Of one highlight: a row is written in one piece. */
const maxChunks = 10_000;
const checkedAtOnce = 1_000;
const reserved: readonly string[] = [
  ownSource,
  restoredSource,
  webSource,
  ...syncKinds.filter((kind) => kind !== 'light'),
];

export async function syncLight(
  rows: Pick<UserRows, 'syncs'>,
  { source, scope, snapshot }: Omit<LightSync, 'snapshot'> & { readonly snapshot: SentSnapshot },
  { dryRun }: { dryRun: boolean },
): Promise<SyncOutcome> {
  return reconcile(rows, {
    source,
    kind: 'light',
    snapshot,
    scope,
    extent: 'all',
    onMove: 'recreate',
    kinds: ['annotations'],
    dryRun,
  });
}

/** The body of a request, of up to 64 MB. Throws Invalid. */
export async function parseLightBody(bytes: Uint8Array): Promise<LightSync & { readonly dryRun: boolean }> {
  const body = parseJson(bytes);
  if (!isObject(body)) throw new Invalid('body: expected an object');
  const { dry_run: dryRun = false } = body;
  if (typeof dryRun !== 'boolean') throw new Invalid('dry_run: expected true or false');
  return { ...(await parseLightSync(body)), dryRun };
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new Invalid(cause instanceof SyntaxError ? 'the body is not JSON' : 'the body is not UTF-8', {
      cause,
    });
  }
}

/** Throws Invalid, which names the place, before anything is changed. */
export async function parseLightSync(body: {
  readonly source?: unknown;
  readonly scope?: unknown;
  readonly highlights?: unknown;
}): Promise<LightSync> {
  const source = parseSource(body.source);
  const scope = parseScope(body.scope);
  const { highlights } = body;
  // Nothing at all is not the same as no highlights: the one is a mistake, the other deletes.
  if (!isObject(highlights))
    throw new Invalid('highlights: expected an object of lists by address; {} says that there are none');
  const resources: SourceResource[] = [];
  const annotations: SourceAnnotation[] = [];
  const scopeKey = scope === undefined ? undefined : pageOf(scope, '').saved.key;
  const pages = Object.entries(highlights);
  if (pages.length > maxPages) throw new Invalid(`highlights: at most ${maxPages} pages are taken`);
  for (const [url, list] of pages) {
    const place = `highlights[${JSON.stringify(url.slice(0, 100))}]`;
    if (url.trim() === '' || url.length > longestUrl)
      throw new Invalid(`${place}: expected an address of 1 to ${longestUrl} characters`);
    if (!Array.isArray(list)) throw new Invalid(`${place}: expected a list of highlights`);
    if (scopeKey !== undefined && pageOf(url, '').saved.key !== scopeKey)
      throw new Invalid(`${place}: is not within the scope, ${scope?.slice(0, 100)}`);
    resources.push({ originalId: url, type: 'website', title: '', url });
    if (annotations.length + list.length > maxHighlights)
      throw new Invalid(`highlights: at most ${maxHighlights} are taken`);
    for (const [n, highlight] of list.entries()) {
      annotations.push(parseHighlight(highlight, url, () => `${place}[${n}]`));
      if (annotations.length % checkedAtOnce === 0) await letOthersIn();
    }
  }
  return { source, scope, snapshot: { resources, annotations, comments: [], notes: [] } };
}

function parseSource(value: unknown): string {
  if (
    typeof value !== 'string' ||
    value.trim() === '' ||
    value.length > longestSource ||
    /\p{Cc}/u.test(value)
  )
    throw new Invalid(`source: expected a name of 1 to ${longestSource} characters`);
  if (!value.isWellFormed()) throw new Invalid('source: expected text in UTF-8');
  if (reserved.includes(value))
    throw new Invalid(`source: "${value}" is a name that Lectern uses itself; choose another`);
  return value;
}

function parseScope(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string' || value.trim() === '' || value.length > longestUrl)
    throw new Invalid(`scope: expected the address of a page, at most ${longestUrl} characters`);
  return value;
}

function parseHighlight(value: unknown, url: string, place: () => string): SourceAnnotation {
  if (!isObject(value)) throw new Invalid(`${place()}: expected an object`);
  const { groupID, repr, chunks = [], date = null, url: own = url, color = null } = value;
  if (typeof repr !== 'string' || repr.length > longestText)
    throw new Invalid(`${place()}.repr: expected text of at most ${longestText} characters`);
  if (!Array.isArray(chunks) || !chunks.every((chunk) => typeof chunk === 'string'))
    throw new Invalid(`${place()}.chunks: expected a list of texts`);
  if (chunks.length > maxChunks || chunks.reduce((sum, { length }) => sum + length, 0) > longestText)
    throw new Invalid(
      `${place()}.chunks: expected at most ${maxChunks} texts of ${longestText} characters in all`,
    );
  if (date !== null && (typeof date !== 'string' || date.length > 100))
    throw new Invalid(`${place()}.date: expected a date as text`);
  if (typeof own !== 'string' || own.length > longestUrl)
    throw new Invalid(`${place()}.url: expected an address of at most ${longestUrl} characters`);
  if (color !== null && (typeof color !== 'string' || color.length > 100))
    throw new Invalid(`${place()}.color: expected a colour as text`);
  const time = date === null ? Number.NaN : Date.parse(date);
  return {
    originalId: parseGroupId(groupID, place),
    resource: url,
    text: repr,
    color,
    boundary: { groupID: groupID as Json, date, chunks: chunks as string[], url: own },
    madeAt: Number.isNaN(time) ? null : time,
  };
}

/** A number that JavaScript cannot hold exactly would be the id of its neighbours too. */
function parseGroupId(value: unknown, place: () => string): string {
  if (Number.isSafeInteger(value)) return String(value);
  if (typeof value === 'string' && value.trim() !== '' && value.length <= longestGroupId) return value;
  throw new Invalid(
    `${place()}.groupID: expected a whole number, or text of 1 to ${longestGroupId} characters`,
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The counters of a sync under the names that its answer has. */
export function counters(
  { counts }: Pick<SyncOutcome, 'counts'>,
  kinds: readonly HighlightKind[],
): Record<string, number> {
  return Object.fromEntries(
    kinds.flatMap((kind) => Object.entries(counts[kind]).map(([what, n]) => [`${kind}_${what}`, n] as const)),
  );
}

/** As many ids as a person would look through. */
const shownIds = 200;

export function shownPlan(plan: SyncOutcome['plan'], kinds: readonly HighlightKind[]) {
  const some = ({ create, update, delete: gone }: PlannedIds) => ({
    create: create.slice(0, shownIds),
    update: update.slice(0, shownIds),
    delete: gone.slice(0, shownIds),
  });
  return Object.fromEntries(kinds.map((kind) => [kind, some(plan[kind])]));
}
