// The process ends, or the disk fails, at every step of a start on an old database: the old file is whole or the new one is.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { onOneEngine } from '../support/engines.ts';
import { Faults, forEachFault } from '../support/faults.ts';
import { temporaryPlace } from '../support/importing.ts';
import { makeLargeLegacyDatabase } from '../support/legacy-database.ts';
import { listAll } from '../support/reader.ts';
import {
  besides,
  faultySwapFiles,
  itemsIn,
  type OldPlace,
  oldPlace,
  openTaken,
  takeOver,
} from '../support/taking-over.ts';

const items = 60;

onOneEngine('sqlite', 'a start on an old database that is interrupted', () => {
  async function placeWithOldDatabase(made: string): Promise<OldPlace> {
    const place = oldPlace(temporaryPlace());
    copyFileSync(made, place.path);
    return place;
  }

  function makeOnce(): string {
    const path = join(temporaryPlace(), 'made.db');
    makeLargeLegacyDatabase(path, { items, feeds: 3 });
    return path;
  }

  /** Copies have their name only when they are whole. */
  function copies(place: OldPlace): string[] {
    const found = besides(place).filter((name) => name.startsWith('index.db.bak.'));
    for (const name of found) expect(itemsIn(join(place.path, '..', name))).toBe(items);
    return found;
  }

  async function expectWhole(place: OldPlace, { mayBeDone }: { mayBeDone: boolean }): Promise<void> {
    copies(place);
    place.clock.advance(5_000);
    await takeOver(place);
    expect(copies(place).length).toBeGreaterThan(0);
    // The second copy is of an attempt that ended between the two names.
    expect(copies(place).length).toBeLessThanOrEqual(mayBeDone ? 2 : 1);
    const others = besides(place).filter((name) => !name.startsWith('index.db.bak.'));
    expect(others.filter((name) => name !== 'index.db.migrating.lock')).toEqual([]);
    const pair = await openTaken(place);
    const rows = pair.store.forUser(1);
    expect(await listAll(rows)).toHaveLength(items);
    expect(await rows.feeds.list()).toHaveLength(3);
    expect(await pair.flush()).toBeGreaterThan(items);
    await pair.close();
  }

  it.each(['before', 'after'] as const)(
    'by its end %s any step is harmless, and done by the next start',
    async (moment) => {
      const made = makeOnce();
      const ends = await forEachFault({ kind: 'crash', moment }, async (faults: Faults) => {
        const place = await placeWithOldDatabase(made);
        const ended = takeOver(place, faultySwapFiles(faults)).catch((error: Error) => error);
        if ((await ended) instanceof Error) expect(faults.fired).toBeDefined();
        await expectWhole(place, { mayBeDone: true });
      });
      expect(ends).toBe(12);
    },
  );

  it('by a disk that fails is told, and nothing is changed', async () => {
    const made = makeOnce();
    await forEachFault({ kind: 'EIO', only: ['copy', 'sync', 'mode'] }, async (faults) => {
      const place = await placeWithOldDatabase(made);
      const failed = await takeOver(place, faultySwapFiles(faults)).then(
        () => undefined,
        (error: Error) => error.message,
      );
      if (faults.fired) {
        expect(failed).toContain('It holds what it held before');
        expect(itemsIn(place.path)).toBe(items);
        expect(besides(place)).toEqual(['index.db.migrating.lock']);
      }
      await expectWhole(place, { mayBeDone: false });
    });
  });

  it('by a file whose place cannot be taken leaves no copy behind, however often it is tried', async () => {
    const place = await placeWithOldDatabase(makeOnce());
    for (let attempt = 1; attempt <= 3; attempt++) {
      const faults = new Faults({ at: 2, kind: 'EBUSY', only: ['rename'] });
      await expect(takeOver(place, faultySwapFiles(faults))).rejects.toThrow(
        'mount the folder that it is in',
      );
      expect(besides(place)).toEqual(['index.db.migrating.lock']);
      expect(itemsIn(place.path)).toBe(items);
      place.clock.advance(5_000);
    }
    await expectWhole(place, { mayBeDone: false });
  });

  it('by a folder that cannot be synced after the last name keeps the copy', async () => {
    const place = await placeWithOldDatabase(makeOnce());
    const faults = new Faults({ at: 2, kind: 'EIO', only: ['sync-folder'] });
    await expect(takeOver(place, faultySwapFiles(faults))).rejects.toThrow('EIO');
    expect(copies(place)).toHaveLength(1);
    await expectWhole(place, { mayBeDone: false });
  });

  it('by a disk that is full is told so', async () => {
    const place = await placeWithOldDatabase(makeOnce());
    const faults = new Faults();
    faults.failNext('copy', 'ENOSPC');
    await expect(takeOver(place, faultySwapFiles(faults))).rejects.toThrow(
      'there is no room left on its disk',
    );
    expect(itemsIn(place.path)).toBe(items);
  });
});
