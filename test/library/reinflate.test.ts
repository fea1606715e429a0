import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { searchSources } from '../../src/cli/search-sources.ts';
import { bookmarkEntry } from '../../src/feeds/bookmark.ts';
import type { Files } from '../../src/library/files/files.ts';
import { compactJournal, foldJournal } from '../../src/library/journal/fold.ts';
import { parseQuery } from '../../src/search/parse-query.ts';
import { durableTables } from '../../src/store/durable.ts';
import type { Target } from '../../src/store/open.ts';
import type { StateHash } from '../../src/store/state-hash.ts';
import { TestClock } from '../support/clock.ts';
import { propertyRuns } from '../support/depth.ts';
import { change, drawStep, generators, type Step } from '../support/durable-rows.ts';
import { type Engine, type EngineName, onOneEngine, useEngine } from '../support/engines.ts';
import {
  folderFiles,
  type OpenedPair,
  openPair,
  reinflateInto,
  temporaryFolder,
} from '../support/library.ts';
import { addUser, fill, listAll, newFeed, published } from '../support/reader.ts';
import { indexAll, noFiles, ofKinds } from '../support/search-docs.ts';
import { withSession } from '../support/session.ts';

const hour = 3600 * 1000;

it('every durable table has a generator of rows', () => {
  expect(durableTables.map(({ name }) => name).filter((name) => !generators[name])).toEqual([]);
});

/** Lives through a history, and says which state the library must give back: all of it after a clean stop. */
async function live(
  target: Target,
  files: Files,
  clock: TestClock,
  steps: readonly Step[],
  end: 'stop' | 'kill',
): Promise<StateHash> {
  const pair = await openPair(target, files, clock);
  try {
    await pair.flush();
    let flushed = await pair.store.stateHash();
    for (const step of steps) {
      clock.advance(hour);
      if (step.do === 'flush') {
        await pair.flush();
        flushed = await pair.store.stateHash();
      } else if (step.do === 'fold') await foldJournal(pair.flushDeps, 'test', clock.now());
      else if (step.do === 'compact') await compactJournal(pair.flushDeps, 'test');
      else if ('table' in step) await change(pair.database, step);
    }
    if (end === 'kill') return flushed;
    await pair.flush();
    return await pair.store.stateHash();
  } finally {
    await pair.close();
  }
}

async function stateOf(target: Target, files: Files, clock: TestClock): Promise<StateHash> {
  const pair = await openPair(target, files, clock);
  try {
    expect(await pair.store.journal.pending(1)).toBe(0);
    return await pair.store.stateHash();
  } finally {
    await pair.close();
  }
}

describe.each<[from: EngineName, to: EngineName]>([
  ['sqlite', 'postgres'],
  ['postgres', 'sqlite'],
])('from %s into %s and back', (fromName, toName) => {
  const from: Engine = useEngine(fromName);
  const to: Engine = useEngine(toName);

  it('any history gives back all that was flushed, twice over', async () => {
    const history = fc.record({
      steps: fc.array(drawStep, { minLength: 3, maxLength: 40 }),
      end: fc.constantFrom<('stop' | 'kill')[]>('stop', 'kill'),
    });
    await fc.assert(
      fc.asyncProperty(history, history, async (first, second) => {
        const clock = new TestClock();
        const files = await folderFiles(await temporaryFolder(), clock);
        const source = await from.freshTarget();
        const expected = await live(source, files, clock, first.steps, first.end);

        const middle = await to.freshTarget({ empty: true });
        await reinflateInto(middle, files);
        expect(await stateOf(middle, files, clock)).toEqual(expected);

        // Ids and sequences go on; nothing old may win over what is new.
        const later = await live(middle, files, clock, second.steps, second.end);
        const last = await from.freshTarget({ empty: true });
        await reinflateInto(last, files);
        expect(await stateOf(last, files, clock)).toEqual(later);
      }),
      { ...propertyRuns(12), endOnFailure: true },
    );
  });

  it('a search finds the same, the snapshots of deleted feeds too', async () => {
    const clock = new TestClock();
    const files = await folderFiles(await temporaryFolder(), clock);
    const found = async ({ store }: OpenedPair) => {
      await indexAll(store, ...Object.values(searchSources(store, noFiles)));
      const shown: Record<string, string[]> = {};
      for (const kinds of [undefined, ['item'], ['bookmark'], ['entry'], ['feed']]) {
        const options = { order: 'rank', limit: 100, ...(kinds && { scope: ofKinds(kinds) }) } as const;
        const page = await store.forUser(1).search.find(parseQuery('rain'), options);
        expect(page.found).toBe(page.hits.length);
        shown[kinds?.[0] ?? 'all'] = page.hits.map(({ kind, refId }) => `${kind} ${refId}`).sort();
      }
      return shown;
    };

    const pair = await openPair(await from.freshTarget(), files, clock);
    const { rows: anna } = await addUser(pair.store, 'anna', 'owner');
    for (const site of ['kept', 'deleted']) {
      const link = `https://${site}.example/feed`;
      const feed = await anna.feeds.create({ ...newFeed(link), name: `Rain, ${site}` });
      const guids = ['a', 'b', 'c'].map((guid) => `${site}/${guid}`);
      await fill(
        pair.store,
        link,
        guids.map((guid) => published(guid, { content: '<p>rain</p>' })),
      );
      const [first] = await listAll(anna, { feedId: feed.id });
      await bookmarkEntry(anna, first?.id ?? 0);
      if (site === 'deleted') await anna.feeds.delete(feed.id);
    }
    const before = await found(pair);
    expect(before.all?.length).toBe(5);
    await pair.flush();
    await pair.close();

    const target = await to.freshTarget({ empty: true });
    await reinflateInto(target, files);
    const again = await openPair(target, files, clock);
    try {
      expect(await found(again)).toEqual(before);
    } finally {
      await again.close();
    }
  });
});

onOneEngine('postgres', 'statistics after a reinflate', (engine) => {
  it('are there for every table that it has filled', async () => {
    const files = await folderFiles(await temporaryFolder());
    const pair = await openPair(await engine.freshTarget(), files);
    const { rows: anna } = await addUser(pair.store, 'anna', 'owner');
    await anna.feeds.create(newFeed('https://example.org/feed'));
    await fill(pair.store, 'https://example.org/feed', [published('a'), published('b')]);
    await pair.flush();
    await pair.close();

    const target = await engine.freshTarget({ empty: true });
    await reinflateInto(target, files);
    const known = await withSession(target, (session) =>
      session.rows<{ relname: string; reltuples: number }>(
        `SELECT relname, reltuples FROM pg_class
         WHERE relname IN ('feeds', 'entries', 'unread_entries', 'feed_counts') ORDER BY relname`,
      ),
    );
    expect(known.map(({ relname, reltuples }) => [relname, Number(reltuples)])).toEqual([
      ['entries', 2],
      ['feed_counts', 1],
      ['feeds', 1],
      ['unread_entries', 2],
    ]);
  });
});
