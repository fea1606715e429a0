import { Command } from 'commander';
import { Invalid, Upstream } from '../errors.ts';
import { syncRaindropHighlights } from '../highlights/raindrop-highlights.ts';
import type { BatchResult } from '../mirror/host.ts';
import { type MirrorDeps, messageNow, notConfigured, runMirrorBatch } from '../mirror/node/mirror.ts';
import { type MirrorStatus, mirrorStatus } from '../mirror/node/mirror-status.ts';
import type { Store } from '../store/store.ts';
import { progressBar } from './progress.ts';
import { type Opened, openOutbound, type Runtime, withStore } from './runtime.ts';
import { printRows, shortTime } from './table.ts';

export function mirrorCommand(runtime: Runtime): Command {
  const command = new Command('mirror').description(
    'The mirror of Raindrop.io: every bookmark and its permanent copy, as files of the library (LECTERN_RAINDROP_TOKEN).',
  );

  command
    .command('run')
    .description(
      'Do the next batch of fifty now, at six to ten requests a minute. A server does that by itself, one batch an hour until everything is there, and then once a day.',
    )
    .option('--no-wait', 'leave out the pauses and go on to the end; Raindrop allows 120 requests a minute')
    .option('--json', 'print where the mirror stands then as JSON')
    .action(async ({ wait, json = false }: { wait: boolean; json?: boolean }) => {
      const status = await withStore(runtime, async (opened) => {
        await run(runtime, opened, { noWait: !wait });
        return statusOf(runtime, opened);
      });
      print(runtime, status, { json });
      // Whoever calls this from a script is to know that it did not come to its end.
      if (status.problem !== null) throw new Upstream(status.problem);
    });

  command
    .command('status')
    .description('Where the mirror stands, and what comes next.')
    .option('--json', 'print it as JSON')
    .action(async ({ json = false }: { json?: boolean }) => {
      print(runtime, await withStore(runtime, (opened) => statusOf(runtime, opened)), { json });
    });

  return command;
}

async function run(runtime: Runtime, opened: Opened, { noWait }: { noWait: boolean }): Promise<void> {
  const { config, store } = opened;
  const { now, randomText } = runtime;
  if (!config.raindrop.token) throw new Invalid(notConfigured);
  const outbound = openOutbound(runtime, opened);
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  process.once('SIGINT', onSignal);
  const deps: MirrorDeps = {
    ...opened,
    outbound,
    raindrop: config.raindrop,
    now,
    random: runtime.random,
    onStored: (userId) => handHighlights(store, userId),
  };
  const bar = progressBar(runtime, 'Mirroring');
  try {
    let result: BatchResult | undefined;
    do {
      const message = await messageNow(deps);
      result = await runMirrorBatch(deps, message, { holder: randomText(12), signal: stop.signal, noWait });
      const { counts, total } = await statusOf(runtime, opened);
      bar.update(counts.live, total ?? counts.live);
    } while (noWait && result && !result.isDone && !(await problemOf(store)));
  } finally {
    bar.end();
    process.off('SIGINT', onSignal);
    await outbound.close();
  }
}

export async function handHighlights(store: Store, userId: number): Promise<void> {
  await syncRaindropHighlights(store.forUser(userId));
}

async function problemOf(store: Store): Promise<string | null> {
  const { problem } = await mirrorStatus(store, { now: () => 0, isConfigured: true });
  return problem;
}

function statusOf({ now }: Runtime, { store, config }: Opened): Promise<MirrorStatus> {
  return mirrorStatus(store, { now, isConfigured: config.raindrop.token !== undefined });
}

function print(runtime: Runtime, status: MirrorStatus, { json }: { json: boolean }): void {
  if (json) {
    runtime.stdout.write(`${JSON.stringify(status, null, 2)}\n`);
    return;
  }
  const { counts, total, estimate } = status;
  const time = (at: string | null) => (at === null ? 'never' : shortTime(Date.parse(at)));
  const rows = [
    { what: 'state', value: stateOf(status) },
    { what: 'raindrops', value: total === null ? String(counts.live) : `${counts.live} of ${total}` },
    { what: 'deleted there', value: String(counts.removed) },
    { what: 'permanent copies', value: copiesOf(status) },
    { what: 'everything until', value: time(status.cursor) },
    { what: 'last run ended', value: time(status.finishedAt) },
    { what: 'next batch', value: status.isConfigured ? time(status.nextRunAt) : 'none: no token is set' },
    ...(estimate
      ? [{ what: 'done at', value: `${time(estimate.doneAt)}, after ${estimate.batches} more batches` }]
      : []),
    ...(status.problem ? [{ what: 'problem', value: status.problem }] : []),
  ];
  printRows(runtime, rows, { empty: '' });
  if (!status.isConfigured) runtime.stdout.write(`\n${notConfigured}\n`);
}

function stateOf({ isRunning, phase }: MirrorStatus): string {
  if (isRunning) return 'running';
  return phase === 'idle' ? 'up to date until the next run' : 'waiting for the next batch';
}

function copiesOf({ counts: { copies }, waitingCopies }: MirrorStatus): string {
  const parts = [
    `${copies.stored} kept`,
    `${copies.none} without`,
    ...(copies.pending > 0 ? [`${copies.pending} not made yet`] : []),
    ...(copies.refused > 0 ? [`${copies.refused} could not be made`] : []),
    ...(copies.failed > 0 ? [`${copies.failed} could not be fetched`] : []),
    ...(waitingCopies > 0 ? [`${waitingCopies} are asked for again`] : []),
  ];
  return parts.join(', ');
}
