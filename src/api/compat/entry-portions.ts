// Many entries in portions small enough that everybody else is answered in between.
import type { SourcedEntry } from '../../model/entry.ts';
import { letOthersIn } from '../../store/let-others-in.ts';
import type { UserRows } from '../../store/store.ts';

/** Nothing is known yet of how long they are. */
const firstPortion = 20;
const mostEntries = 500;
/** The next ones may be of a feed with longer texts. */
const growth = 4;
/** Read, written as JSON and encoded within some milliseconds. */
const charactersAtOnce = 400_000;

export async function* inPortions(
  { stream }: Pick<UserRows, 'stream'>,
  ids: readonly number[],
): AsyncGenerator<readonly SourcedEntry[]> {
  let size = firstPortion;
  let at = Math.min(size, ids.length);
  let reading = at === 0 ? undefined : stream.getMany(ids.slice(0, at));
  while (reading) {
    const portion: readonly SourcedEntry[] = await reading;
    reading = undefined;
    if (at < ids.length) {
      size = Math.min(fitting(portion), growth * size);
      const next = ids.slice(at, at + size);
      at += next.length;
      // PostgreSQL reads it while we send this one. If it fails when nobody waits for it any more, nobody need know.
      reading = stream.getMany(next);
      reading.catch(() => {});
    }
    yield portion;
    await letOthersIn();
  }
}

/** How many at once, if they are as long as these. */
function fitting(portion: readonly SourcedEntry[]): number {
  const characters = portion.reduce((sum, { content }) => sum + content.length, 0);
  const perEntry = Math.max(1, characters / Math.max(1, portion.length));
  return Math.ceil(Math.min(charactersAtOnce / perEntry, mostEntries));
}
