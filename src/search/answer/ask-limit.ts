// How many questions a member may ask in a day. Every question costs money, and the owner pays for it.
import { Forbidden, TooManyRequests } from '../../errors.ts';
import type { Millis } from '../../model/glossary.ts';
import type { User } from '../../model/user.ts';
import type { UserRows } from '../../store/store.ts';

const dayMs = 24 * 3600 * 1000;

export const notForMembers =
  'members may not ask questions on this server; the owner can allow it with LECTERN_ASK_PER_DAY';

/** Counts a question, or refuses it. The owner has no limit. */
export async function countQuestion(
  rows: Pick<UserRows, 'questions'>,
  { user, perDay, now }: { user: User; perDay: number; now: Millis },
): Promise<void> {
  if (user.role === 'owner') return;
  if (perDay === 0) throw new Forbidden(notForMembers);
  const day = Math.floor(now / dayMs);
  if (!(await rows.questions.count({ day, limit: perDay }))) throw limitReached(perDay, now);
}

/** The web app reads the number and the date in this sentence: see web/src/search/query-problem.ts. */
export function limitReached(perDay: number, now: Millis): TooManyRequests {
  const tomorrow = (Math.floor(now / dayMs) + 1) * dayMs;
  const date = new Date(tomorrow).toISOString().slice(0, 10);
  return new TooManyRequests(
    `you have asked ${perDay} ${perDay === 1 ? 'question' : 'questions'} today, which is the limit; ask again after ${date} 00:00 UTC`,
    Math.ceil((tomorrow - now) / 1000),
  );
}
