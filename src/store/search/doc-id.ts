// The id of a search document: whose it is, and the minute it was published. So the documents of a user are one range
// of ids, the latest of them its end, and an engine can find "the newest 1,000 matches of this user" without looking
// at anyone else's, or at anything but the index of terms.
import type { Millis } from '../../model/glossary.ts';

const slotsPerMinute = 2 ** 10;
const minutes = 2 ** 26;
const idsPerUser = minutes * slotsPerMinute;
/** Ids stay whole as JavaScript numbers. */
const maxUserId = 2 ** 53 / idsPerUser - 1;

export interface IdRange {
  readonly from: number;
  readonly to: number;
}

export function idsOfUser(userId: number): IdRange {
  if (!Number.isSafeInteger(userId) || userId < 0 || userId > maxUserId)
    throw new RangeError(`user ${userId}: search knows users up to ${maxUserId}`);
  return { from: userId * idsPerUser, to: (userId + 1) * idsPerUser - 1 };
}

/** Times before 1970 count as 1970, those after 2097 as 2097. */
export function minuteOf(publishedAt: Millis): number {
  return Math.min(minutes - 1, Math.max(0, Math.floor(publishedAt / 60_000)));
}

/**
 * Where to look for a free id, in this order: the minute itself, then others ever further away, as an import of many
 * thousand documents of one minute needs. `attempt` counts from 0.
 */
export function idsToTry(userId: number, publishedAt: Millis, refId: number, attempt: number): IdRange {
  const spread = Math.min(minutes, 4 ** attempt);
  const away = attempt === 0 ? 0 : scatter(refId, attempt) % spread;
  const minute = (minuteOf(publishedAt) + away) % minutes;
  const from = idsOfUser(userId).from + minute * slotsPerMinute;
  return { from, to: from + slotsPerMinute - 1 };
}

/** Any numbers do, as long as neighbours get different ones. */
function scatter(refId: number, attempt: number): number {
  const mixed = Math.imul((refId % 2 ** 32) ^ (attempt * 0x9e3779b9), 0x85ebca6b);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}
