// Items of an old database, in portions, in the order of their ids.
import { createHash } from 'node:crypto';
import type { OldItem } from '../../store/legacy/old-rows.ts';
import type { EntryToPut } from '../../store/legacy/write-entries.ts';
import { type Home, type HomeOf, keptId, type Run, type Star } from './import-run.ts';
import { count, skip } from './report.ts';
import { toEntry } from './to-entry.ts';

/** Rows, or characters of their content, that one transaction writes. */
const entriesAtOnce = 100;
const charactersAtOnce = 500_000;

export async function bringEntries(run: Run, homeOf: HomeOf, total: number): Promise<Star[]> {
  const { deps, source, into, report, now } = run;
  skip(report.entries, 'deleted there', source.countDeleted('items'));
  const stars: Star[] = [];
  let portion: (EntryToPut & { readonly aliases: readonly string[] })[] = [];
  let [characters, done] = [0, 0];
  const write = async () => {
    for (const [index, put] of (await into.putEntries(portion)).entries()) {
      count(report.entries, put);
      const { feedId, aliases } = portion[index] as (typeof portion)[number];
      if (put !== 'homeless') for (const alias of aliases) source.remember(feedId, alias);
    }
    [portion, characters] = [[], 0];
    await deps.onProgress(done, total);
  };
  for (const item of source.items()) {
    done += 1;
    const home = homeOf(item.feedId);
    if (!home) {
      skip(report.entries, 'of no feed');
      if (item.starred) skip(report.bookmarks, 'of no feed');
      continue;
    }
    const entry = toEntry(item, home, now);
    if (item.starred) stars.push(starOn(item, home, entry));
    if (!source.isFirst(keyOf(home, entry.guid))) {
      report.entries.folded += 1;
      continue;
    }
    // What the old database has under that guid is another item of its own.
    const sameAs = entry.aliases.filter((alias) => !source.isSeen(keyOf(home, alias)));
    portion.push({ ...entry, ...placeOf(item, home), sameAs });
    characters += entry.content.length;
    if (portion.length >= entriesAtOnce || characters >= charactersAtOnce) await write();
  }
  if (portion.length > 0) await write();
  return stars;
}

function starOn({ id }: OldItem, home: Home, { guid, aliases, link }: Omit<Star, 'home' | 'itemId'>): Star {
  return { home, itemId: id, guid, aliases, link };
}

function placeOf({ id }: OldItem, { rowId, watermark }: Home): Pick<EntryToPut, 'id' | 'feedId' | 'isBelow'> {
  const isBelow = watermark !== undefined && id <= watermark;
  return { id: keptId(id), feedId: rowId, isBelow };
}

export async function letAliasesGo({ source, into }: Run): Promise<void> {
  const portion: { feedId: number; guid: string }[] = [];
  for (const pair of source.remembered()) {
    portion.push(pair);
    if (portion.length === entriesAtOnce) await into.letGo(portion.splice(0));
  }
  await into.letGo(portion);
}

function keyOf({ id }: Home, guid: string): Uint8Array {
  return createHash('sha256').update(`${id} ${guid}`).digest().subarray(0, 16);
}
