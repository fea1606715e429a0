import { beforeEach, expect, it } from 'vitest';
import type { Files } from '../../src/library/files/files.ts';
import { readSets } from '../../src/library/journal/sets.ts';
import { onEachEngine } from '../support/engines.ts';
import {
  folderFiles,
  type OpenedPair,
  openPair,
  reinflateInto,
  temporaryFolder,
} from '../support/library.ts';

onEachEngine('the journal', (engine) => {
  let files: Files;
  let pair: OpenedPair;

  beforeEach(async () => {
    files = await folderFiles(await temporaryFolder());
    pair = await openPair(await engine.freshTarget(), files);
    return () => pair.close();
  });

  const addUser = (username: string, role: 'owner' | 'member' = 'member') =>
    pair.store.users.create({ username, passwordHash: 'x', role });

  it('has nothing to write when nothing has changed', async () => {
    expect(await pair.flush()).toBe(0);
    expect((await readSets(files)).sets).toEqual([]);
  });

  it('writes each changed row once, as it is now', async () => {
    const anna = await addUser('anna', 'owner');
    const { groups } = pair.store.forUser(anna.id);
    const news = await groups.create({ name: 'News' });
    for (const name of ['a', 'b', 'c']) await groups.rename(news.id, { name });
    expect(await pair.flush()).toBe(3);
    expect(await pair.flush()).toBe(0);
    await groups.delete(news.id);
    expect(await pair.flush()).toBe(1);
  });

  it('rebuilds the same index', async () => {
    const anna = await addUser('anna', 'owner');
    const { groups, tokens } = pair.store.forUser(anna.id);
    const news = await groups.create({ name: 'News' });
    await tokens.create({ name: 't', scope: 'read', secretSha256: 'a', feverSha256: 'b' });
    await pair.flush();
    await groups.rename(news.id, { name: 'Papers' });
    const gone = await groups.create({ name: 'gone' });
    await pair.flush();
    await groups.delete(gone.id);
    await pair.flush();
    const before = await pair.store.stateHash();

    const target = await engine.freshTarget({ empty: true });
    await reinflateInto(target, files);
    const rebuilt = await openPair(target, files);
    try {
      expect(await rebuilt.store.stateHash()).toEqual(before);
      const next = await rebuilt.store.forUser(anna.id).groups.create({ name: 'next' });
      expect(next.id).toBeGreaterThan(gone.id);
      expect(await rebuilt.flush()).toBe(1);
    } finally {
      await rebuilt.close();
    }
  });
});
