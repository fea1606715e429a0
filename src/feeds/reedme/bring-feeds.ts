// Groups and feeds of an old database: each to a row, its own or one that is here already.
import type { OldId } from '../../store/legacy/old-rows.ts';
import { type Home, type HomeOf, keptId, type Run } from './import-run.ts';
import { fetchStateOf, planFeeds, planGroups } from './plan-feeds.ts';
import { count, skip } from './report.ts';
import { watermarks } from './watermarks.ts';

/** The row for each group; one that is not known belongs to the default group. */
export async function bringGroups({
  source,
  into,
  report,
  now,
}: Run): Promise<(id: OldId | undefined) => number> {
  skip(report.groups, 'deleted there', source.countDeleted('groups'));
  const { planned, keptBy } = planGroups(source.groups(), report.groups, now);
  // There is a default group even where the old database has lost it.
  const implied = { id: 1n, isDefault: true, name: 'Default', createdAt: now, updatedAt: now };
  const isThere = planned.some(({ isDefault }) => isDefault);
  const put = await into.putGroups(
    [...(isThere ? [] : [implied]), ...planned].map((group) => ({ ...group, id: keptId(group.id) })),
  );
  const rowIds = new Map<OldId, number>();
  const [first] = put;
  for (const [index, { id, put: how }] of put.slice(isThere ? 0 : 1).entries()) {
    count(report.groups, how);
    rowIds.set(planned[index]?.id as OldId, id);
  }
  return (id) => {
    const kept = id === undefined ? undefined : keptBy.get(id);
    return (kept === undefined ? undefined : rowIds.get(kept)) ?? (first?.id as number);
  };
}

export async function bringFeeds(run: Run, groupOf: (id: OldId | undefined) => number) {
  const { deps, source, into, report, now } = run;
  skip(report.feeds, 'deleted there', source.countDeleted('feeds'));
  const { planned, keptBy } = planFeeds(source.feeds(), report.feeds, now);
  const feedOf = (id: OldId | undefined) => (id === undefined ? undefined : keptBy.get(id));
  let total = 0;
  const counted = function* () {
    for (const state of source.states()) {
      total += 1;
      yield state;
    }
  };
  const marks = watermarks(counted(), feedOf);
  const put = await into.putFeeds(
    planned.map((feed) => ({
      ...feed,
      id: keptId(feed.id),
      groupId: groupOf(feed.groupId),
      // No other entry of the feed can have an id up to it: the counter is above all that were brought along.
      readThroughId: keptId(marks.get(feed.id) ?? 0n) ?? 0,
      state: fetchStateOf(feed, deps.pull, now),
    })),
  );
  const homes = planned.map((feed, index): Home => {
    const { id, put: how } = put[index] as (typeof put)[number];
    count(report.feeds, how);
    const isNew = how !== 'present';
    // A feed that was here has a watermark of its own, which an import leaves where it is.
    return { ...feed, rowId: id, isNew, watermark: isNew ? marks.get(feed.id) : undefined };
  });
  const byId = new Map(homes.map((home) => [home.id, home]));
  const homeOf: HomeOf = (id) => {
    const kept = feedOf(id);
    return kept === undefined ? undefined : byId.get(kept);
  };
  return { homeOf, homes, total };
}
