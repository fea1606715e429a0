import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { countHeapBytes, findAnonymousBytes } from '../../src/jobs/anonymous-memory.ts';

const megabyte = 1024 * 1024;
/** Elsewhere than on Linux the worker judges by the heap. */
const measure = () => findAnonymousBytes() ?? countHeapBytes();

it('counts what the process takes for itself', () => {
  const before = { own: measure(), heap: countHeapBytes() };
  const eaten = Buffer.alloc(64 * megabyte, 1);
  expect(measure() - before.own).toBeGreaterThan(50 * megabyte);
  expect(countHeapBytes() - before.heap).toBeGreaterThan(50 * megabyte);
  expect(eaten.at(-1)).toBe(1);
});

it('does not count the pages of an index that SQLite has mapped', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-mapped-'));
  const db = new DatabaseSync(join(folder, 'large.db'));
  try {
    db.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; CREATE TABLE large (data BLOB);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 24000)
      INSERT INTO large SELECT zeroblob(4000) FROM n;
      PRAGMA mmap_size = 268435456`);
    const before = { own: measure(), resident: process.memoryUsage.rss() };
    db.prepare("SELECT sum(instr(data, x'01')) FROM large").get();
    expect(process.memoryUsage.rss() - before.resident).toBeGreaterThan(60 * megabyte);
    expect(measure() - before.own).toBeLessThan(30 * megabyte);
  } finally {
    db.close();
    rmSync(folder, { recursive: true });
  }
});
