import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { LibraryLost, StartupError, Unavailable } from '../../src/errors.ts';
import type { Files } from '../../src/library/files/files.ts';
import { flushJournal, flushUnder, journalLease, leaseTtlMs } from '../../src/library/journal/flush.ts';
import { readSets } from '../../src/library/journal/sets.ts';
import { beginLibrary, findIdentity, restoreIdentity } from '../../src/library/library.ts';
import { TestClock } from '../support/clock.ts';
import { onEachEngine } from '../support/engines.ts';
import {
  folderFiles,
  type OpenedPair,
  openPair,
  randomText,
  reinflateInto,
  temporaryFolder,
} from '../support/library.ts';

onEachEngine('an index and its library', (engine) => {
  let folder: string;
  let files: Files;
  let pair: OpenedPair;

  beforeEach(async () => {
    folder = await temporaryFolder();
    files = await folderFiles(folder);
    pair = await openPair(await engine.emptyDatabase(), files);
    await pair.store.users.create({ username: 'anna', passwordHash: null, role: 'owner' });
    return () => pair.close();
  });

  it('find each other again', async () => {
    const target = await engine.freshTarget();
    const other = await folderFiles(await temporaryFolder());
    const ids = new Set<string>();
    for (let start = 0; start < 3; start++) {
      const again = await openPair(target, other);
      ids.add(again.library.id);
      await again.close();
    }
    expect(ids.size).toBe(1);
  });

  it('start together when several processes start at once', async () => {
    const target = await engine.freshTarget();
    const other = await folderFiles(await temporaryFolder());
    const pairs = await Promise.all([1, 2, 3].map(() => openPair(target, other)));
    for (const each of pairs) await each.flush();
    for (const each of pairs) await each.close();
    expect(new Set(pairs.map(({ library }) => library.writer)).size).toBe(1);
  });

  it.each(['before', 'after'] as const)(
    'start together when one process makes the library just %s another looks for it',
    async (moment) => {
      const target = await engine.freshTarget();
      const other = await folderFiles(await temporaryFolder());
      let first: OpenedPair | undefined;
      const slow: Files = {
        ...other,
        read: async (key) => {
          if (moment === 'before') first ??= await openPair(target, other);
          const found = await other.read(key);
          first ??= await openPair(target, other);
          return found;
        },
      };
      const second = await openPair(target, slow);
      await second.flush();
      await first?.flush();
      await second.close();
      await first?.close();
      expect(first?.library.writer).toBe(second.library.writer);
    },
  );

  it('are refused to a second index, empty or not', async () => {
    await pair.flush();
    await expect(openPair(await engine.freshTarget(), files)).rejects.toThrow('lectern reinflate');
    const target = await engine.freshTarget();
    const own = await openPair(target, await folderFiles(await temporaryFolder()));
    await own.store.users.create({ username: 'ben', passwordHash: null, role: 'owner' });
    await own.close();
    await expect(openPair(target, files)).rejects.toThrow('belongs to another index');
  });

  it('part when another index has taken the library over: the old one writes no more', async () => {
    await pair.flush();
    await reinflateInto(await engine.freshTarget({ empty: true }), files);
    await pair.store.forUser(1).groups.create({ name: 'late' });
    const before = (await readSets(files)).sets.length;
    await expect(pair.flush()).rejects.toThrow(LibraryLost);
    expect((await readSets(files)).sets.length).toBe(before);
  });

  it('are refused when the index is older than the library, as one is that was put back from a copy', async () => {
    const target = await engine.freshTarget();
    const own = await folderFiles(await temporaryFolder());
    const first = await openPair(target, own);
    await first.store.users.create({ username: 'anna', passwordHash: null, role: 'owner' });
    await first.flush();
    await first.database.write((trx) =>
      trx.updateTable('meta').set({ value: '0' }).where('key', '=', 'journal_ordinal').execute(),
    );
    await first.close();
    await expect(openPair(target, own)).rejects.toThrow('older than its library');
  });

  it('write nothing when the library is not there, as when a disk is not mounted', async () => {
    rmSync(join(folder, 'library.json'));
    await expect(pair.flush()).rejects.toThrow('Is the disk mounted?');
  });

  it('are not parted by an empty place: a lost library is renewed only when asked', async () => {
    const target = await engine.freshTarget();
    const first = await openPair(target, await folderFiles(await temporaryFolder()));
    await first.store.users.create({ username: 'anna', passwordHash: null, role: 'owner' });
    await first.flush();
    const state = await first.store.stateHash();
    const elsewhere = await folderFiles(await temporaryFolder());
    await expect(openPair(target, elsewhere)).rejects.toThrow('lectern library repair --all');

    await beginLibrary({ files: elsewhere, index: first.store.index, randomText });
    await first.close();
    const second = await openPair(target, elsewhere);
    await second.flush();
    await second.close();
    const rebuilt = await engine.freshTarget({ empty: true });
    await reinflateInto(rebuilt, elsewhere);
    const last = await openPair(rebuilt, elsewhere);
    expect(await last.store.stateHash()).toEqual(state);
    await last.close();
  });

  describe('a flusher', () => {
    it('waits while another holds the lease, and takes over when it runs out', async () => {
      const lease = await pair.store.leases.acquire(journalLease, 'other', leaseTtlMs);
      expect(lease).toBeDefined();
      expect(await flushJournal(pair.flushDeps, 'us')).toBeUndefined();
      pair.database.timeOffsetMs = () => leaseTtlMs + 1;
      expect(await flushJournal(pair.flushDeps, 'us')).toEqual({ facts: 2 });
    });

    it('that slept past its lease clears nothing, and what it wrote late does not win', async () => {
      const { groups } = pair.store.forUser(1);
      const group = await groups.create({ name: 'old' });
      const slow = await pair.store.leases.acquire(journalLease, 'slow', leaseTtlMs);
      if (!slow) throw new Error('expected the lease');

      // It sleeps with the old row read, until another has flushed the new one.
      const { put } = files;
      const late: Files = {
        ...files,
        put: async (key, data) => {
          pair.database.timeOffsetMs = () => leaseTtlMs + 1;
          await groups.rename(group.id, { name: 'new' });
          await pair.flush();
          await groups.rename(group.id, { name: 'newest' });
          return put.call(files, key, data);
        },
      };
      const library = { ...pair.library, files: late };
      const kept = { lease: slow, signal: new AbortController().signal };
      await expect(flushUnder({ ...pair.flushDeps, library }, kept)).rejects.toThrow('lease');
      expect(await pair.store.journal.pending(10)).toBe(1);

      const target = await engine.freshTarget({ empty: true });
      await pair.flush();
      const state = await pair.store.stateHash();
      await reinflateInto(target, files);
      const rebuilt = await openPair(target, files);
      expect(await rebuilt.store.stateHash()).toEqual(state);
      await rebuilt.close();
    });
  });

  describe('a reinflate', () => {
    it('refuses an index that has rows', async () => {
      const target = await engine.freshTarget();
      const other = await openPair(target, await folderFiles(await temporaryFolder()));
      await other.store.users.create({ username: 'ben', passwordHash: null, role: 'owner' });
      await other.close();
      await expect(reinflateInto(target, files)).rejects.toThrow('has rows already');
    });

    it('fills an index that was opened before and stayed empty, and leaves nothing to flush', async () => {
      await pair.flush();
      const target = await engine.freshTarget();
      await expect(openPair(target, files)).rejects.toThrow(StartupError);
      await reinflateInto(target, files);
      const rebuilt = await openPair(target, files);
      expect(await rebuilt.store.journal.pending(1)).toBe(0);
      await rebuilt.close();
    });

    it('goes on where it was interrupted, and until then nothing else starts', async () => {
      const { groups } = pair.store.forUser(1);
      for (let n = 0; n < 5; n++) {
        await groups.create({ name: `group ${n}` });
        await pair.flush();
      }
      const gone = await groups.create({ name: 'gone' });
      await groups.delete(gone.id);
      await pair.flush();
      const state = await pair.store.stateHash();

      const target = await engine.freshTarget({ empty: true });
      for (let interruptAt = 1; interruptAt <= 6; interruptAt++) {
        let seen = 0;
        const interrupted = reinflateInto(target, files, {
          onProgress: () => {
            seen += 1;
            if (seen >= 2) throw new Error('interrupted');
          },
        });
        const ended = await interrupted.then(
          () => true,
          () => false,
        );
        if (ended) break;
        await expect(openPair(target, files)).rejects.toThrow('A reinflate was interrupted');
      }
      const { resumed } = await reinflateInto(target, files).catch(() => ({ resumed: true }));
      expect(resumed).toBe(true);
      const rebuilt = await openPair(target, files, new TestClock());
      expect(await rebuilt.store.stateHash()).toEqual(state);
      expect((await rebuilt.store.forUser(1).groups.create({ name: 'next' })).id).toBeGreaterThan(gone.id);
      await rebuilt.close();
    });
  });

  describe('a lost library.json', () => {
    const restore = ({ store }: OpenedPair, from = files) =>
      restoreIdentity({ files: from, index: store.index, journal: store.journal });
    const lose = () => rmSync(join(folder, 'library.json'));

    it('is written again by the index that wrote the newest segment', async () => {
      await pair.flush();
      expect(await restore(pair)).toBe(false);
      lose();
      expect(await restore(pair)).toBe(true);
      await pair.library.requireWriter();
    });

    it('is written again by an index that was rebuilt and has written nothing yet', async () => {
      await pair.flush();
      const target = await engine.freshTarget();
      await reinflateInto(target, files);
      const rebuilt = await openPair(target, files);
      try {
        lose();
        expect(await restore(rebuilt)).toBe(true);
        await rebuilt.library.requireWriter();
      } finally {
        await rebuilt.close();
      }
    });

    it('is not written by an index that another index has replaced', async () => {
      await pair.flush();
      const target = await engine.freshTarget();
      await reinflateInto(target, files);
      const rebuilt = await openPair(target, files, new TestClock(Date.UTC(2026, 0, 2)));
      try {
        await rebuilt.store.users.create({ username: 'ben', passwordHash: null, role: 'member' });
        await rebuilt.flush();
        lose();
        expect(await restore(pair)).toBe(false);
      } finally {
        await rebuilt.close();
      }
    });

    it('is also one with any bit changed, and a library.json of an earlier version is not', async () => {
      await pair.flush();
      const path = join(folder, 'library.json');
      const whole = readFileSync(path);
      for (let at = 0; at < whole.length - 1; at++) {
        for (const bit of [1, 2, 32]) {
          const changed = Buffer.from(whole);
          changed.writeUInt8(changed.readUInt8(at) ^ bit, at);
          writeFileSync(path, changed);
          expect(await findIdentity(files), changed.toString('latin1')).toBeUndefined();
        }
      }
      expect(await restore(pair)).toBe(true);
      expect(readFileSync(path)).toEqual(whole);
      const { id, writer } = pair.library;
      writeFileSync(path, JSON.stringify({ id, writer }));
      expect(await findIdentity(files)).toEqual({ id, writer });
    });

    it('is not assumed when library.json cannot be read', async () => {
      await pair.flush();
      const read: Files['read'] = async () => {
        throw new Unavailable('library', 'the library does not answer');
      };
      const put: Files['put'] = async () => {
        throw new Error('library.json was written');
      };
      await expect(restore(pair, { ...files, read, put })).rejects.toThrow('does not answer');
    });
  });
});
