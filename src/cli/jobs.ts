import { Command, Option } from 'commander';
import { Invalid } from '../errors.ts';
import { type Job, type JobState, jobStates } from '../model/job.ts';
import { type Runtime, withStore } from './runtime.ts';
import { printRows, shortTime } from './table.ts';

export function jobsCommand(runtime: Runtime): Command {
  const command = new Command('jobs').description('Look at background work, try it again, cancel it.');

  command
    .command('list')
    .description('List jobs, the newest first.')
    .addOption(new Option('--state <state>', 'only those in this state').choices(jobStates))
    .option('--name <name>', 'only those of this kind')
    .option('--limit <number>', 'at most so many', '50')
    .option('--json', 'print the jobs as JSON')
    .action(async (options: { state?: JobState; name?: string; limit: string; json?: boolean }) => {
      const limit = wholeNumber('--limit', options.limit, 1000);
      const { state, name, json } = options;
      const jobs = await withStore(runtime, ({ store }) => store.jobs.list({ state, name, limit }));
      if (json) return printJson(runtime, jobs.map(toJson));
      printRows(runtime, jobs.map(toRow), { empty: 'There is no such job.' });
    });

  command
    .command('show')
    .description('Show one job, with what it is about and why it failed.')
    .argument('<id>', 'the id that "jobs list" shows')
    .option('--json', 'print the job as JSON')
    .action(async (id: string, { json }: { json?: boolean }) => {
      const job = await withStore(runtime, ({ store }) => store.jobs.get(jobId(id)));
      if (json) return printJson(runtime, toJson(job));
      const facts = Object.entries(toFacts(job)).map(([fact, value]) => ({
        job: fact,
        [`#${job.id}`]: value,
      }));
      printRows(runtime, facts as Record<string, string>[], { empty: '' });
    });

  command
    .command('retry')
    .description('Try a dead or cancelled job again, or all dead ones.')
    .argument('[id]', 'the id that "jobs list" shows')
    .option('--all-dead', 'all that are dead')
    .action(async (id: string | undefined, { allDead = false }: { allDead?: boolean }) => {
      if ((id === undefined) === !allDead) throw new Invalid('expected the id of a job, or --all-dead');
      const said = await withStore(runtime, async ({ store }) => {
        if (id === undefined) return retried(await store.jobs.retryAllDead());
        await store.jobs.retry(jobId(id));
        return `Job ${id} is tried again.`;
      });
      runtime.stdout.write(`${said}\n`);
    });

  command
    .command('cancel')
    .description('Cancel a job: at once if it waits, else as soon as it heeds it.')
    .argument('<id>', 'the id that "jobs list" shows')
    .action(async (id: string) => {
      const { state } = await withStore(runtime, ({ store }) => store.jobs.cancel(jobId(id)));
      runtime.stdout.write(
        state === 'cancelled' ? `Job ${id} is cancelled.\n` : `Job ${id} is running and was asked to stop.\n`,
      );
    });

  return command;
}

function retried(count: number): string {
  if (count === 0) return 'There is no dead job to try again.';
  return count === 1 ? '1 job is tried again.' : `${count} jobs are tried again.`;
}

function toRow(job: Job) {
  return {
    id: job.id,
    name: job.name,
    lane: job.lane,
    state: job.cancelRequested && job.state === 'running' ? 'cancelling' : job.state,
    tries: `${job.attempts}/${job.maxAttempts}`,
    progress: progressText(job),
    created: shortTime(job.createdAt),
    error: job.lastError ?? '',
  };
}

function toFacts(job: Job): Record<string, string> {
  const time = (millis: number | null) => (millis === null ? '-' : shortTime(millis));
  return {
    name: job.name,
    lane: job.lane,
    state: job.state,
    payload: JSON.stringify(job.payload),
    key: job.uniqueKey ?? '-',
    failed: `${job.attempts} of ${job.maxAttempts} times`,
    crashed: `${job.crashes} times`,
    progress: progressText(job) || '-',
    'not before': time(job.runAt),
    created: time(job.createdAt),
    started: time(job.startedAt),
    finished: time(job.finishedAt),
    error: job.lastError ?? '-',
  };
}

function toJson({ progress, ...job }: Job) {
  return {
    id: String(job.id),
    name: job.name,
    lane: job.lane,
    state: job.state,
    payload: job.payload,
    unique_key: job.uniqueKey,
    attempts: job.attempts,
    max_attempts: job.maxAttempts,
    crashes: job.crashes,
    progress: progress ?? null,
    cancel_requested: job.cancelRequested,
    last_error: job.lastError,
    run_at: iso(job.runAt),
    created_at: iso(job.createdAt),
    started_at: iso(job.startedAt),
    finished_at: iso(job.finishedAt),
  };
}

function iso(millis: number | null): string | null {
  return millis === null ? null : new Date(millis).toISOString();
}

function progressText({ progress }: Job): string {
  if (!progress) return '';
  const { done, total, note } = progress;
  return [total === null ? String(done) : `${done}/${total}`, note].filter(Boolean).join(' ');
}

function printJson({ stdout }: Runtime, value: unknown): void {
  stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

function jobId(text: string): number {
  return wholeNumber('the id of a job', text, Number.MAX_SAFE_INTEGER);
}

function wholeNumber(what: string, text: string, max: number): number {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= 1 && value <= max)) {
    throw new Invalid(
      `${what}: expected a whole number${max < Number.MAX_SAFE_INTEGER ? ` from 1 to ${max}` : ''}, got "${text}"`,
    );
  }
  return value;
}
