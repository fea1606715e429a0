// `npm run faults -- MINUTES`: runs two APIs and three workers on PostgreSQL and S3, breaks connections, processes and
// PostgreSQL while clients write, and reports by kind of fault what that cost. Exits 1 if a promise was broken.
//   --seed N: repeats the faults of a run. --kind NAME: only this kind; may repeat. --list: the names of all kinds.
import { parseArgs } from 'node:util';
import { table } from '../src/cli/table.ts';
import { faultKinds } from '../test/support/fault-run/kinds.ts';
import { problemText, runFaults } from '../test/support/fault-run/run.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string' },
    kind: { type: 'string', multiple: true },
    list: { type: 'boolean', default: false },
  },
});
if (values.list) {
  process.stdout.write(faultKinds.map(({ name }) => `${name}\n`).join(''));
  process.exit(0);
}
const minutes = Number(positionals[0] ?? 10);
if (!(minutes > 0)) throw new Error('expected how many minutes, such as: npm run faults -- 10');
const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000));
const say = (line: string) => process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);
say(`seed ${seed}`);

const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    interrupted.abort(new Error('interrupted'));
  });

const report = await runFaults({
  signal: interrupted.signal,
  seed,
  durationMs: minutes * 60_000,
  faultMs: [2_000, 20_000],
  longFaultMs: 75_000,
  requestsPerSecond: 8,
  feeds: 8,
  apis: 2,
  workers: 3,
  ...(values.kind && { kinds: values.kind }),
  say,
});

const seconds = (ms: number) => (Number.isFinite(ms) ? (ms / 1_000).toFixed(1) : 'never');
const rows = report.kinds.map((kind) => ({
  kind: kind.kind,
  count: kind.count,
  'unavailable s': seconds(kind.longestUnavailableMs),
  'service s': seconds(kind.slowestServiceMs),
  'schedule s': seconds(kind.slowestScheduleMs),
  'journal s': seconds(kind.slowestLagMs),
  refused: kind.refused,
  '500s': kind.failures,
  lost: kind.lost,
  duplicated: kind.duplicated,
}));
process.stdout.write(`\n${table(rows, Number.POSITIVE_INFINITY)}\n`);
say(
  `${report.acknowledged} requests acknowledged, ${report.checkedFacts} facts checked, slowest answer ` +
    `${seconds(report.slowestAnswerMs)} s, slowest stop ${seconds(report.slowestStopMs)} s`,
);
const command = ['npm run faults --', minutes, ...(values.kind ?? []).map((kind) => `--kind "${kind}"`)].join(
  ' ',
);
if (report.problems.length > 0) process.stdout.write(`\n${problemText(report, command)}\n`);
process.exit(report.problems.length > 0 ? 1 : 0);
