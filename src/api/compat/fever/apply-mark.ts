import { starEntries, unstarEntries } from '../../../feeds/star.ts';
import type { Clock } from '../../../model/glossary.ts';
import type { UserRows } from '../../../store/store.ts';
import { markEntries } from '../mark-entries.ts';
import type { FeverMark, Selector } from './fever-request.ts';

/** Fever's name for all feeds. "Sparks" has the id -1, and we have none: that is a group like any other that is not there. */
const everything = 0;

/** Ids that are not there, or not this user's, are passed over: an app may know of them still. Returns the list that changed. */
export async function applyMark(
  { rows, now }: { readonly rows: UserRows; readonly now: Clock },
  mark: FeverMark,
): Promise<Selector> {
  if (mark.what === 'item') {
    if (mark.as === 'saved' || mark.as === 'unsaved') {
      await (mark.as === 'saved' ? starEntries : unstarEntries)(rows, mark.ids);
      return 'saved_item_ids';
    }
    await markEntries(rows, mark.ids, { read: mark.as === 'read' });
    return 'unread_item_ids';
  }
  const { what, id, beforeSeconds } = mark;
  const scope = what === 'feed' ? { feedId: id } : id === everything ? {} : { groupId: id };
  // By when it came, and not by its date: what is old by its date may have come since the app last looked.
  const until = beforeSeconds === undefined ? now() : Math.min(beforeSeconds * 1000 - 1, now());
  await rows.stream.markReadUntil({ ...scope, until });
  return 'unread_item_ids';
}
