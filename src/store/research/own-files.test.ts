import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Invalid } from '../../errors.ts';
import { refuseOwnFiles } from './own-files.ts';

describe('db_path of Research', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-own-files-'));
  const at = (...names: string[]) => join(folder, ...names);
  // The index lies outside LECTERN_HOME, so that only its inode gives it away.
  const own = { home: at('home'), database: { engine: 'sqlite', path: at('db', 'index.db') } } as const;
  const refusal = (path: string): unknown => {
    try {
      refuseOwnFiles(path, own);
    } catch (error) {
      return error;
    }
    return 'accepted';
  };

  beforeAll(() => {
    for (const name of ['home', 'home/library', 'db', 'other']) mkdirSync(at(name));
    for (const name of [
      'db/index.db',
      'db/index.db-wal',
      'db/index.db-shm',
      'home/file.db',
      'other/research.db',
    ])
      writeFileSync(at(name), name);
    symlinkSync(at('db', 'index.db'), at('other', 'symlink.db'));
    linkSync(at('db', 'index.db'), at('other', 'hardlink.db'));
    linkSync(at('db', 'index.db-wal'), at('other', 'hardlink.db-wal'));
    symlinkSync(at('home'), at('other', 'to-home'));
    symlinkSync(at('db'), at('other', 'to-db'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([
    'db/index.db',
    'db/index.db-wal',
    'db/index.db-shm',
    'db/../db/index.db',
    'other/symlink.db',
    'other/hardlink.db',
    'other/hardlink.db-wal',
    'other/to-db/index.db',
  ])('is refused when it is the index: %s', (name) => {
    const error = refusal(`${folder}/${name}`);
    expect(error).toBeInstanceOf(Invalid);
    expect((error as Error).message).toMatch(/^db_path: .*own index/);
  });

  it.each([
    'home',
    'home/file.db',
    'home/library/not-yet/research.db',
    'other/to-home/file.db',
    'other/../home/new.db',
  ])('is refused below LECTERN_HOME: %s', (name) => {
    const error = refusal(`${folder}/${name}`);
    expect(error).toBeInstanceOf(Invalid);
    expect((error as Error).message).toMatch(/^db_path: .*LECTERN_HOME/);
  });

  it.each(['other/research.db', 'other/not-yet.db', 'homely/research.db', 'db/research.db'])(
    'is accepted anywhere else: %s',
    (name) => {
      expect(refusal(at(name))).toBe('accepted');
    },
  );
});
