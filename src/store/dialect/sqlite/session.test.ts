import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { sqliteSession } from './session.ts';

it('a read of a session waits while another connection has the file locked', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-test-'));
  const open = () => new DatabaseSync(join(folder, 'index.db'), { timeout: 0 });
  const [other, own] = [open(), open()];
  onTestFinished(() => {
    other.close();
    own.close();
    rmSync(folder, { recursive: true, force: true });
  });
  other.exec('CREATE TABLE feeds (id INTEGER); INSERT INTO feeds VALUES (1); BEGIN EXCLUSIVE');
  const rows = sqliteSession(own).rows('SELECT id FROM feeds WHERE id = $1', [1]);
  other.exec('COMMIT');
  expect(await rows).toEqual([{ id: 1 }]);
});
