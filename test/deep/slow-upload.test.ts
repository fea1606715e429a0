// Five processes that share a library, in a bucket behind a line that carries 100 KB/s. LECTERN_TEST_SCALE=10 uploads 20,000 rows,
// which takes five minutes for each engine.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { openFiles } from '../../src/library/files/open-files.ts';
import { readSets } from '../../src/library/journal/sets.ts';
import type { Target } from '../../src/store/open.ts';
import { onEachEngine, openFreshStore } from '../support/engines.ts';
import { startFaultProxy } from '../support/fault-proxy.ts';
import { testFilesDeps } from '../support/libraries.ts';
import { startS3Server } from '../support/s3-server.ts';
import { until } from '../support/until.ts';

const rows = Number(process.env.LECTERN_TEST_SCALE ?? 1) >= 10 ? 20_000 : 2_000;
const rowBytes = 1_300;
const bytesPerSecond = 100_000;
const processes = 5;
const uploadMs = ((rows * rowBytes) / bytesPerSecond) * 1_000;

const script = fileURLToPath(new URL('../support/flushing-process.ts', import.meta.url));

async function startFlushing(target: Target, libraryUrl: string): Promise<string[]> {
  const where = target.engine === 'sqlite' ? target.path : target.url.reveal();
  const child = spawn(
    process.execPath,
    [script, JSON.stringify({ engine: target.engine, where, libraryUrl })],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const lines: string[] = [];
  child.stdout.on('data', (text) => lines.push(...String(text).trim().split('\n')));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });
  await until('the process is ready', () => lines.includes('ready'));
  return lines;
}

onEachEngine('five processes and a slow bucket', (engine) => {
  it(
    'upload each segment once, and nothing stays pending',
    async () => {
      const server = await startS3Server();
      onTestFinished(() => server.stop());
      await server.createBucket('slow');
      const proxy = await startFaultProxy({ host: '127.0.0.1', port: Number(new URL(server.url).port) });
      onTestFinished(() => proxy.stop());
      const libraryUrl = server
        .libraryUrl('slow')
        .reveal()
        .replace(encodeURIComponent(server.url), encodeURIComponent(`http://127.0.0.1:${proxy.port}`));
      const { store, database, target } = await openFreshStore(engine);
      onTestFinished(() => database.close());
      const { journal, users } = store;
      const { id } = await users.create({ username: 'anna', passwordHash: 'x', role: 'owner' });
      const outputs: string[][] = [];
      for (let count = 0; count < processes; count++) outputs.push(await startFlushing(target, libraryUrl));
      await until('the first rows are written', async () => (await journal.pending(1)) === 0);

      await proxy.set({ kind: 'throttle', bytesPerSecond, direction: 'up' });
      const before = proxy.counters.upBytes;
      await database.write((trx) =>
        sql`INSERT INTO groups (user_id, name, created_at, updated_at)
          WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${sql.lit(rows)})
          SELECT ${sql.lit(id)}, CAST(i AS text) || ${'x'.repeat(rowBytes - 150)}, 0, 0 FROM n`.execute(trx),
      );
      const startedAt = performance.now();
      let highestLagMs = 0;
      await until(
        'no row is pending',
        async () => {
          const { pending, lagMs } = await journal.lag(1);
          highestLagMs = Math.max(highestLagMs, lagMs);
          return pending === 0;
        },
        3 * uploadMs + 60_000,
      );
      const seconds = (performance.now() - startedAt) / 1_000;
      const uploadedBytes = proxy.counters.upBytes - before;

      const direct = await openFiles(
        { kind: 's3', url: server.libraryUrl('slow'), shown: 'slow' },
        testFilesDeps,
      );
      const { sets, superseded } = await readSets(direct);
      const written = sets.filter(({ facts }) => facts > 100);
      const setBytes = written.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
      const stored = await Array.fromAsync(direct.listAll('journal/'));
      process.stdout.write(
        `${engine.name}: ${rows} rows, ${setBytes} bytes in segments, ${uploadedBytes} bytes uploaded ` +
          `(${(uploadedBytes / setBytes).toFixed(2)}), ${seconds.toFixed(0)} s, highest lag ${highestLagMs} ms, ` +
          `${stored.length} segments\n`,
      );
      expect(superseded).toEqual([]);
      expect(written.reduce((sum, { facts }) => sum + facts, 0)).toBe(rows);
      expect(stored).toHaveLength(sets.flatMap(({ parts }) => parts).length);
      expect(uploadedBytes / setBytes).toBeLessThan(1.2);
      expect(outputs.flat()).toEqual(Array(processes).fill('ready'));
      expect((await journal.lag(1)).lagMs).toBe(0);
    },
    4 * uploadMs + 120_000,
  );
});
