import { letOthersIn } from '../../store/let-others-in.ts';
import type { UserRows } from '../../store/store.ts';

/** Entries that one transaction marks: nobody else is answered meanwhile. */
export const marksAtOnce = 500;

/** As many as an app likes to name. */
export async function markEntries(
  { entries }: Pick<UserRows, 'entries'>,
  ids: readonly number[],
  mark: { read: boolean },
): Promise<void> {
  for (let at = 0; at < ids.length; at += marksAtOnce) {
    if (at > 0) await letOthersIn();
    await entries.mark(ids.slice(at, at + marksAtOnce), mark);
  }
}
