import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { beforeEach, expect, it } from 'vitest';
import type { Files } from '../../src/library/files/files.ts';
import type { Target } from '../../src/store/open.ts';
import { onOneEngine } from '../support/engines.ts';
import {
  folderFiles,
  type OpenedPair,
  openPair,
  reinflateInto,
  temporaryFolder,
} from '../support/library.ts';

onOneEngine('sqlite', 'an index whose file is deleted while it is open', (engine) => {
  let target: Extract<Target, { engine: 'sqlite' }>;
  let files: Files;
  let pair: OpenedPair;
  let onPut: () => void;

  beforeEach(async () => {
    const fresh = await engine.freshTarget();
    if (fresh.engine !== 'sqlite') throw new Error('expected a file');
    target = fresh;
    const folder = await folderFiles(await temporaryFolder());
    onPut = () => {};
    files = {
      ...folder,
      put: (key, data) => {
        onPut();
        return folder.put(key, data);
      },
    };
    pair = await openPair(target, files);
    await pair.store.users.create({ username: 'anna', passwordHash: null, role: 'owner' });
    await pair.flush();
  });

  const deleteIndex = () => {
    for (const suffix of ['', '-wal', '-shm']) rmSync(target.path + suffix, { force: true });
  };

  it('notices it', async () => {
    expect(pair.store.index.isInPlace()).toBe(true);
    deleteIndex();
    expect(pair.store.index.isInPlace()).toBe(false);
    writeFileSync(target.path, 'another file');
    expect(pair.store.index.isInPlace()).toBe(false);
    await pair.close();
  });

  it('writes later changes to the library and makes no new file', async () => {
    deleteIndex();
    await pair.store.forUser(1).groups.create({ name: 'after the file was deleted' });
    expect(await pair.flush()).toBe(1);
    expect(await pair.flush()).toBe(0);
    const before = await pair.store.stateHash();
    await pair.close();
    expect(existsSync(target.path)).toBe(false);

    const again = await engine.freshTarget();
    await reinflateInto(again, files);
    const rebuilt = await openPair(again, files);
    expect(await rebuilt.store.stateHash()).toEqual(before);
    await rebuilt.close();
  });

  it('is flushed while its state is hashed', async () => {
    deleteIndex();
    await pair.store.forUser(1).groups.create({ name: 'after the file was deleted' });
    let hashing: Promise<unknown> | undefined;
    // The flush is in its transaction here.
    onPut = () => {
      hashing = pair.store.stateHash();
    };
    expect(await pair.flush()).toBe(1);
    expect(await hashing).toEqual(await pair.store.stateHash());
    await pair.close();
  });

  it('leaves the WAL of the file that replaced it alone', async () => {
    const other = await engine.freshTarget();
    if (other.engine !== 'sqlite') throw new Error('expected a file');
    deleteIndex();
    renameSync(other.path, target.path);
    writeFileSync(`${target.path}-wal`, 'of the other index');
    await pair.store.forUser(1).groups.create({ name: 'after the file was replaced' });
    expect(await pair.flush()).toBe(1);
    await pair.close();
    expect(existsSync(`${target.path}-wal`)).toBe(true);
  });
});
