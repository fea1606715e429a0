// My Clippings.txt of a Kindle.
import { Invalid } from '../../errors.ts';
import type { Json } from '../../model/highlight.ts';
import { collectImport, type Imported, requireFew, thereTwice } from './imported.ts';
import { type Clipping, readClippings } from './kindle-clippings.ts';
import { byAge, idsOf, stableId } from './stable-id.ts';
import { findSuperseded, placeOf } from './superseded-clippings.ts';

/** Throws Invalid, and nothing else. */
export function parseKindleClippings(text: string): Imported {
  const result = collectImport();
  const clippings: Clipping[] = [];
  let records = 0;
  let recognised = 0;
  for (const read of readClippings(text)) {
    requireFew(++records);
    if ('why' in read) {
      result.skip(`line ${read.line}`, read.why);
      continue;
    }
    recognised++;
    if (read.kind === 'bookmark') result.skip(`line ${read.line}`, 'it is a bookmark, which has no text');
    else if (read.text === '') result.skip(`line ${read.line}`, 'it has no text');
    else clippings.push(read);
  }
  // To say that it is empty would be to say that everything was deleted.
  if (recognised === 0)
    throw new Invalid('the file is no My Clippings.txt of a Kindle: from line 1 on, no clipping was found');
  addClippings(result, clippings);
  return result.imported();
}

function addClippings(result: ReturnType<typeof collectImport>, clippings: readonly Clipping[]): void {
  const superseded = findSuperseded(clippings);
  const kept = clippings.filter((clipping) => !superseded.has(clipping));
  const ids = idsOf(kept, ({ kind, title, author, text, madeAt, ...clipping }) => {
    const { unit, range } = placeOf(clipping);
    // With the text: a location is 128 letters long, and what another file has there may be something else.
    return { key: [kind, title, author, unit, range.start, range.end, text], text, madeAt };
  });
  const idOf = (clipping: Clipping) => ids.get(clipping) as string;
  const ends = highlightsByEnd(clippings, superseded);

  for (const clipping of kept) {
    const { kind, title, author, text, madeAt, line } = clipping;
    const resource = stableId('book', title, author);
    result.addResource({ originalId: resource, type: 'book', title, ...(author === '' ? {} : { author }) });
    const originalId = idOf(clipping);
    const about = kind === 'note' ? nearest(ends.get(endOf(clipping)) ?? [], clipping) : undefined;
    const isNew =
      kind === 'highlight'
        ? result.addAnnotation({
            originalId,
            resource,
            text,
            color: null,
            boundary: boundaryOf(clipping),
            madeAt,
          })
        : about
          ? result.addComment({ originalId, annotation: idOf(about), content: text, madeAt })
          : result.addNote({ originalId, resource, content: text, madeAt });
    if (!isNew) result.skip(`line ${line}`, thereTwice);
  }
  for (const [clipping, by] of superseded)
    result.skip(
      `line ${clipping.line}`,
      `it was changed on the device: what it became is in line ${by.line}`,
    );
}

/**
 * The highlights that a note may be about, by where they end: that is where a Kindle puts the note. One that was made longer
 * since has taken its note along, which still stands at the old end.
 */
function highlightsByEnd(
  clippings: readonly Clipping[],
  superseded: ReadonlyMap<Clipping, Clipping>,
): Map<string, Clipping[]> {
  const ends = new Map<string, Clipping[]>();
  for (const clipping of clippings) {
    if (clipping.kind !== 'highlight') continue;
    const end = endOf(clipping);
    const others = ends.get(end);
    const kept = superseded.get(clipping) ?? clipping;
    if (others) others.push(kept);
    else ends.set(end, [kept]);
  }
  return ends;
}

function endOf({ title, author, ...clipping }: Clipping): string {
  const { unit, range } = placeOf(clipping);
  return JSON.stringify([title, author, unit, range.end]);
}

/** A Kindle writes both at the same time. A book in which thousands end at one place is no book. */
function nearest(highlights: readonly Clipping[], note: Clipping): Clipping | undefined {
  const distance = ({ madeAt }: Clipping) => Math.abs((madeAt ?? 0) - (note.madeAt ?? 0));
  let best: Clipping | undefined;
  for (const highlight of highlights.slice(0, 1_000))
    if (!best || (distance(highlight) - distance(best) || byAge(highlight, best)) < 0) best = highlight;
  return best;
}

function boundaryOf({ location, page }: Clipping): Json {
  return {
    ...(location ? { location: { start: location.start, end: location.end } } : {}),
    ...(page === null ? {} : { page }),
  };
}
