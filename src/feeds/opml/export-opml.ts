// A user's feeds and groups as an OPML file.
import type { Clock } from '../../model/glossary.ts';
import { DEFAULT_GROUP_ID } from '../../model/group.ts';
import { letOthersIn } from '../../store/let-others-in.ts';
import type { UserRows } from '../../store/store.ts';
import { writeOpml } from './write-opml.ts';

const piecesAtOnce = 1_000;

export async function exportOpml(
  { feeds, groups }: Pick<UserRows, 'feeds' | 'groups'>,
  { now }: { readonly now: Clock },
): Promise<string> {
  const subscriptions = await feeds.listSubscriptions();
  const groupList = await groups.list();
  const known = new Set(groupList.map(({ id }) => id));
  // The feeds of a group that was deleted between the two are in the default group by now.
  const byGroup = Map.groupBy(subscriptions, ({ groupId }) =>
    known.has(groupId) ? groupId : DEFAULT_GROUP_ID,
  );
  const pieces: string[] = [];
  for (const piece of writeOpml({
    title: 'Lectern subscriptions',
    createdAt: now(),
    feeds: byGroup.get(DEFAULT_GROUP_ID) ?? [],
    groups: groupList
      .filter(({ id }) => id !== DEFAULT_GROUP_ID)
      .map(({ id, name }) => ({ name, feeds: byGroup.get(id) ?? [] })),
  })) {
    pieces.push(piece);
    if (pieces.length % piecesAtOnce === 0) await letOthersIn();
  }
  return pieces.join('');
}
