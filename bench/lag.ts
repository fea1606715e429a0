// How far the library lags behind the index while three clients send Light syncs of 6,000 changed highlights in a loop, and
// whether feeds are fetched and pages are read meanwhile. The figures are limits, not ratios: they are for a quiet machine.
// `npm run bench -- lag [SECONDS]` says how long the syncs last; 120 without it.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeToken, printGoals, probe, withServer } from './measured-server.ts';

const clients = fileURLToPath(new URL('./lag-clients.ts', import.meta.url));

/** What lag-clients.ts reports at its end. */
export interface LagReport {
  readonly syncs: number;
  readonly refused: number;
  readonly lagsMs: readonly number[];
  /** Markers that no segment has, although they were acknowledged long ago. */
  readonly unwritten: number;
  readonly feeds: number;
  readonly fetchedFeeds: number;
  readonly savedPages: number;
  readonly readPages: number;
  readonly slowestPageMs: number;
}

export async function run([seconds = '120']: readonly string[]): Promise<boolean> {
  process.stdout.write(`load average ${loadavg()[0]?.toFixed(2)}\n`);
  const library = mkdtempSync(join(tmpdir(), 'lectern-lag-'));
  const env = { LECTERN_LIBRARY_URL: `file:${library}`, LECTERN_PULL_INTERVAL: '60' };
  try {
    return await withServer({ role: 'all', env }, async (server) => {
      const token = await makeToken(server);
      const idle = await probe(server, 5_000);
      const child = spawn(process.execPath, [clients, server.url, token, library, seconds], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let output = '';
      child.stdout.on('data', (text) => {
        output += text;
      });
      const ended = new Promise<void>((resolve, reject) => {
        child.once('error', reject);
        child.once('close', (code) =>
          code === 0 ? resolve() : reject(new Error(`the clients ended with code ${code}`)),
        );
      });
      const busy = await probe(server, ended);
      const report = JSON.parse(output) as LagReport;
      process.stdout.write(`${report.syncs} syncs; ${report.lagsMs.length} markers\n`);
      return printGoals([
        { name: '/healthz before, p99', value: idle.p99Ms, unit: 'ms' },
        { name: '/healthz, p99', value: busy.p99Ms, unit: 'ms', limit: 50 },
        {
          name: 'longest time from an answer to the segment',
          value: Math.max(...report.lagsMs),
          unit: 'ms',
          limit: 3_000,
        },
        { name: 'markers not written', value: report.unwritten, unit: '', limit: 1 },
        { name: 'refused syncs', value: report.refused, unit: '', limit: 1 },
        {
          name: `feeds of ${report.feeds} not fetched`,
          value: report.feeds - report.fetchedFeeds,
          unit: '',
          limit: 1,
        },
        {
          name: `pages of ${report.savedPages} not read`,
          value: report.savedPages - report.readPages,
          unit: '',
          limit: 1,
        },
        { name: 'slowest page, from saving to reading', value: report.slowestPageMs, unit: 'ms' },
      ]);
    });
  } finally {
    rmSync(library, { recursive: true, force: true });
  }
}
