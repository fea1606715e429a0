// Takes over the feeds of an OPML file. Groups first, then feeds, in small transactions: whatever ends it half way, the same
// file again brings the rest. Nothing that is there already is changed.
import { DEFAULT_GROUP_ID } from '../../model/group.ts';
import { letOthersIn } from '../../store/let-others-in.ts';
import type { UserRows } from '../../store/store.ts';
import type { OpmlContent, OpmlFeed, OpmlProblem } from './collect-feeds.ts';
import { joinPath, splitPath } from './group-path.ts';
import { opmlLimits as limits } from './limits.ts';

export interface OpmlImported {
  readonly created: number;
  /** Those that the user followed before. */
  readonly existing: number;
  readonly failed: number;
  readonly groupsCreated: number;
  /** Why some have failed; of very many, the first. */
  readonly errors: readonly OpmlProblem[];
  readonly warnings: readonly string[];
}

export interface OpmlImportOptions {
  /** Say what would be done, and do nothing. */
  readonly dryRun?: boolean;
  readonly onProgress?: (done: number, total: number) => void;
}

const feedsAtOnce = 500;

/** The feeds are fetched when the worker next looks for what is due, which spreads them. */
export async function importOpml(
  rows: Pick<UserRows, 'feeds' | 'groups'>,
  { groups, feeds, errors, warnings }: OpmlContent,
  { dryRun = false, onProgress = () => {} }: OpmlImportOptions = {},
): Promise<OpmlImported> {
  const missing = await findMissing(rows, groups);
  const groupsCreated = dryRun ? missing.length : await rows.groups.createMany(missing);
  const groupIds = await groupFinder(rows);
  const problems = [...errors];
  let [created, existing] = [0, 0];
  onProgress(0, feeds.length);
  for (let at = 0; at < feeds.length; at += feedsAtOnce) {
    await letOthersIn();
    const portion = feeds.slice(at, at + feedsAtOnce);
    const known = await rows.feeds.findByLinks(portion.map(({ link }) => link));
    const fresh = portion.filter(({ link }) => !known.has(link));
    existing += portion.length - fresh.length;
    if (dryRun) {
      created += fresh.length;
    } else {
      const done = await rows.feeds.createMany(fresh.map((feed) => toNewFeed(feed, groupIds)));
      created += done.created;
      existing += done.existing.length;
      for (const link of done.missingGroup) problems.push({ link, error: 'its group was deleted meanwhile' });
    }
    onProgress(Math.min(at + feedsAtOnce, feeds.length), feeds.length);
  }
  return {
    created,
    existing,
    failed: problems.length,
    groupsCreated,
    errors: problems.slice(0, limits.reports),
    warnings: shortened(warnings),
  };
}

type GroupIds = (name: string) => number | undefined;

/** A group that has the name, or else one that an export would write in the same folders. */
async function groupFinder({ groups }: Pick<UserRows, 'groups'>): Promise<GroupIds> {
  const list = await groups.list();
  const byName = new Map(list.map(({ id, name }) => [name, id]));
  const byPath = new Map(list.map(({ id, name }) => [joinPath(splitPath(name)), id]));
  return (name) => byName.get(name) ?? byPath.get(name);
}

async function findMissing(
  rows: Pick<UserRows, 'groups'>,
  names: readonly string[],
): Promise<readonly string[]> {
  const groupIds = await groupFinder(rows);
  return [...new Set(names)].filter((name) => groupIds(name) === undefined);
}

function toNewFeed({ link, name, siteUrl, group }: OpmlFeed, groupIds: GroupIds) {
  // A group that is gone again has no id; the store finds none for 0 either, and says so.
  const groupId = group === null ? DEFAULT_GROUP_ID : (groupIds(group) ?? 0);
  return { link, name: name || link, siteUrl, groupId, proxy: '' };
}

function shortened(warnings: readonly string[]): readonly string[] {
  const more = warnings.length - limits.reports;
  return more > 0 ? [...warnings.slice(0, limits.reports), `and ${more} more like these`] : warnings;
}
