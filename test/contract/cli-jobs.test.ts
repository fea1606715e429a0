// `lectern jobs`, as an operator uses it.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JobQueue } from '../../src/store/job-queue/job-queue.ts';
import type { CommandResult } from '../support/command-line.ts';
import { onEachEngine, openFreshStore } from '../support/engines.ts';
import { makeJob } from '../support/jobs.ts';
import { databaseUrl, useLectern } from '../support/lectern-process.ts';

onEachEngine('lectern jobs', (engine) => {
  const lectern = useLectern(afterAll);
  let opened: Awaited<ReturnType<typeof openFreshStore>>;
  let queue: JobQueue;

  beforeAll(async () => {
    opened = await openFreshStore(engine);
    queue = opened.store.jobs;
    return () => opened.store.close();
  });

  const run = (...args: string[]): Promise<CommandResult> =>
    lectern.run(['jobs', ...args], { env: { LECTERN_DATABASE_URL: databaseUrl(opened.target) } });

  it('lists, shows, retries and cancels', async () => {
    expect((await run('list')).stdout).toBe('There is no such job.\n');
    const dead = await makeJob({ opened }, 'dead');
    const waiting = await makeJob({ opened }, 'waiting');

    const listed = await run('list');
    expect(listed.stdout).toMatch(/^ID +NAME +LANE +STATE +TRIES +PROGRESS +CREATED +ERROR\n/);
    expect(listed.stdout).toMatch(
      new RegExp(`^${dead} +test +normal +dead +1/8 .*It could not be done\\.$`, 'm'),
    );
    const json = JSON.parse((await run('list', '--state', 'waiting', '--json')).stdout);
    expect(json).toMatchObject([{ id: String(waiting), state: 'waiting', payload: { about: 'nothing' } }]);

    const shown = await run('show', String(dead));
    expect(shown.stdout).toMatch(new RegExp(`^JOB +#${dead}\\n`));
    expect(shown.stdout).toMatch(/^payload +\{"about":"nothing"\}$/m);
    expect(shown.stdout).toMatch(/^error +It could not be done\.$/m);

    expect((await run('retry', String(dead))).stdout).toBe(`Job ${dead} is tried again.\n`);
    expect((await queue.get(dead)).state).toBe('waiting');
    expect((await run('cancel', String(waiting))).stdout).toBe(`Job ${waiting} is cancelled.\n`);
    expect((await queue.get(waiting)).state).toBe('cancelled');
    expect((await run('retry', '--all-dead')).stdout).toBe('There is no dead job to try again.\n');
  });

  it('says in one line what is wrong', async () => {
    const wrong: [string[], number, RegExp][] = [
      [['show', '999'], 1, /^job 999 not found\n$/],
      [['show', 'x'], 1, /^the id of a job: expected a whole number, got "x"\n$/],
      [['retry'], 1, /^expected the id of a job, or --all-dead\n$/],
      [['list', '--limit', '0'], 1, /^--limit: expected a whole number from 1 to 1000, got "0"\n$/],
      [['list', '--state', 'lost'], 2, /Allowed choices are waiting, running, done, dead, cancelled/],
    ];
    for (const [args, code, words] of wrong) {
      const ended = await run(...args);
      expect(ended.stderr).toMatch(words);
      expect(ended.code).toBe(code);
    }
  });
});
