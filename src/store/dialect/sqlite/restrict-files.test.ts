import { chmodSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { restrictFiles } from './restrict-files.ts';

it('leaves the index and the files beside it to their owner, and other files as they are', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-modes-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const names = [
    'index.db',
    'index.db-wal',
    'index.db.schema-3.bak',
    'index.db.replaced-17',
    'indexes',
    'notes.txt',
  ];
  for (const name of names) {
    writeFileSync(join(folder, name), '');
    chmodSync(join(folder, name), 0o644);
  }
  symlinkSync('nowhere', join(folder, 'index.db.gone'));
  restrictFiles(join(folder, 'index.db'));
  const modes = names.map((name) => (statSync(join(folder, name)).mode & 0o777).toString(8));
  expect(modes).toEqual(['600', '600', '600', '600', '644', '644']);
});
