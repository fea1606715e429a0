// What the owner sees of background work, and does about it.
import { beforeEach, describe, expect, it } from 'vitest';
import { answerOf, type Client, jsonOf, openApi, openEmptyApi, type TestApi } from '../support/api.ts';
import { onEachEngine } from '../support/engines.ts';
import { EventReader } from '../support/event-reader.ts';
import { makeJob, testKind } from '../support/jobs.ts';

interface JobBody {
  id: string;
  state: string;
  progress: unknown;
}

onEachEngine('jobs over HTTP', (engine) => {
  let api: TestApi;
  let anna: Client;

  beforeEach(async () => {
    api = await openEmptyApi(engine);
    await api.addUser('anna');
    anna = await api.program('anna', 'admin');
  });

  const list = async (query: string) =>
    jsonOf<{ data: JobBody[]; next_cursor: string | null }>(await anna.get(`/api/v1/jobs${query}`));

  it('lists them in pages, the newest first, by state and by name', async () => {
    const ids: string[] = [];
    for (const state of ['done', 'dead', 'waiting', 'dead'] as const)
      ids.push(String(await makeJob(api, state)));
    const page = await list('?limit=3');
    expect(page.data.map(({ id }) => id)).toEqual(ids.toReversed().slice(0, 3));
    const rest = await list(`?limit=3&cursor=${page.next_cursor}`);
    expect(rest).toMatchObject({ data: [{ id: ids[0] }], next_cursor: null });
    expect((await list('?state=dead')).data.map(({ id }) => id)).toEqual([ids[3], ids[1]]);
    expect((await list('?name=test')).data).toHaveLength(4);
    expect((await list('?name=other')).data).toEqual([]);
  });

  it.each(['?state=lost', '?limit=0', '?limit=201', '?limit=x', '?cursor=-1'])(
    'refuses %s',
    async (query) => {
      const { status, body } = await answerOf(await anna.get(`/api/v1/jobs${query}`));
      expect(status).toBe(400);
      expect(body).toEqual({ error: { code: 'invalid', message: expect.stringContaining(':') } });
    },
  );

  it('shows one with its payload, and says in the form of this API that there is none', async () => {
    const id = await makeJob(api, 'dead');
    expect(await answerOf(await anna.get(`/api/v1/jobs/${id}`))).toMatchObject({
      status: 200,
      body: {
        id: String(id),
        name: 'test',
        state: 'dead',
        payload: { about: 'nothing' },
        last_error: 'It could not be done.',
        finished_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      },
    });
    expect(await answerOf(await anna.get('/api/v1/jobs/999'))).toEqual({
      status: 404,
      body: { error: { code: 'not_found', message: 'job 999 not found' } },
    });
  });

  it('tries a dead one again, cancels one that waits, and refuses what makes no sense', async () => {
    const [dead, waiting] = [await makeJob(api, 'dead'), await makeJob(api, 'waiting')];
    const post = async (id: number, what: string) =>
      answerOf(await anna.post(`/api/v1/jobs/${id}/${what}`, {}));
    expect(await post(dead, 'retry')).toMatchObject({ status: 200, body: { state: 'waiting' } });
    expect(await post(waiting, 'cancel')).toMatchObject({ status: 200, body: { state: 'cancelled' } });
    expect(await post(dead, 'retry')).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
    expect(await post(waiting, 'cancel')).toMatchObject({
      status: 409,
      body: { error: { code: 'conflict' } },
    });
  });

  describe('as a stream', () => {
    it('shows a job as it is, then each change, and ends with it', async () => {
      const { id } = await api.opened.store.jobs.enqueue(testKind, { about: 'watching' });
      const response = await anna.get(`/api/v1/jobs/${id}/events`);
      expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
      const events = new EventReader(response);
      expect(await events.next()).toMatchObject({ event: 'job', data: { id: String(id), state: 'waiting' } });

      const { jobs } = api.opened.store;
      const request = { holder: 'w', leaseMs: 60_000, names: ['test'], total: 1, background: 1, low: 1 };
      const [fence] = await jobs.settleAndClaim([], { ...request, first: 'interactive', suspect: true });
      if (!fence) throw new Error('there was a job to claim');
      expect(await events.next()).toMatchObject({ data: { state: 'running', progress: null } });
      const progress = { done: 3, total: 10, note: 'reading' };
      await jobs.writeProgress([{ fence, progress }]);
      expect(await events.next()).toMatchObject({ data: { state: 'running', progress } });
      await jobs.settleAndClaim([{ fence, outcome: { kind: 'done' } }]);
      expect(await events.next()).toMatchObject({ data: { state: 'done' } });
      expect(await events.next()).toBeUndefined();
    });

    it('shows the whole queue: counts, what runs, and how that ended', async () => {
      const id = await makeJob(api, 'running');
      const events = new EventReader(await anna.get('/api/v1/jobs/events'));
      expect(await events.next()).toMatchObject({
        event: 'counts',
        data: { waiting: 0, running: 1, dead: 0 },
      });
      expect(await events.next()).toMatchObject({ event: 'job', data: { id: String(id), state: 'running' } });
      await api.opened.store.jobs.settleAndClaim([
        { fence: { id, epoch: 1 }, outcome: { kind: 'dead', error: 'No.' } },
      ]);
      expect(await events.next()).toMatchObject({
        event: 'counts',
        data: { waiting: 0, running: 0, dead: 1 },
      });
      expect(await events.next()).toMatchObject({ event: 'job', data: { state: 'dead', last_error: 'No.' } });
      await events.cancel();
    });

    it('is refused when too many are open, and possible again when one is closed', async () => {
      const open = [];
      for (let n = 0; n < 8; n++) open.push(new EventReader(await anna.get('/api/v1/jobs/events')));
      const refused = await anna.get('/api/v1/jobs/events');
      expect(refused.headers.get('retry-after')).toBe('30');
      expect(await answerOf(refused)).toMatchObject({
        status: 429,
        body: { error: { code: 'too_many_requests' } },
      });
      await open[0]?.cancel();
      expect((await anna.get('/api/v1/jobs/events')).status).toBe(200);
    });

    it('ends without a word to the client when it fails, and with one to the log', async () => {
      const broken = await openApi(engine);
      await broken.addUser('anna');
      const { id } = await broken.opened.store.jobs.enqueue(testKind, { about: 'watching' });
      const client = await broken.program('anna', 'admin');
      const events = new EventReader(await client.get(`/api/v1/jobs/${id}/events`));
      await events.next();
      const before = events.text;
      await broken.close();
      expect(await events.next()).toBeUndefined();
      expect(events.text).toBe(before);
      expect(broken.logLines.join('')).toContain('a stream of events failed');
    });
  });

  it('are all tried again when they are dead, or those of one name', async () => {
    for (let n = 0; n < 2; n++) await makeJob(api, 'dead');
    const retry = async (query: string) =>
      answerOf(await anna.post(`/api/v1/jobs/retry-dead${query}`, undefined));
    expect(await retry('?name=other')).toEqual({ status: 200, body: { data: { retried: 0 } } });
    expect(await retry('?name=test')).toEqual({ status: 200, body: { data: { retried: 2 } } });
    expect(await retry('')).toEqual({ status: 200, body: { data: { retried: 0 } } });
    expect((await list('?state=waiting')).data).toHaveLength(2);
  });

  it('are counted at /metrics, whichever process did them', async () => {
    await makeJob(api, 'dead');
    await makeJob(api, 'waiting');
    await api.opened.store.jobs.counters.add([
      { name: 'test', counter: 'done', n: 4 },
      { name: 'test', counter: 'le:0.1', n: 3 },
      { name: 'test', counter: 'le:+Inf', n: 1 },
      { name: 'test', counter: 'ms', n: 2500 },
    ]);
    const metrics = await (await anna.get('/metrics')).text();
    expect(metrics).toContain('lectern_jobs{name="test",lane="normal",state="dead"} 1');
    expect(metrics).toContain('lectern_jobs{name="test",lane="normal",state="waiting"} 1');
    expect(metrics).toMatch(/lectern_jobs_oldest_ready_seconds \d/);
    expect(metrics).toContain('lectern_job_attempts_total{name="test",outcome="done"} 4');
    expect(metrics).toContain('lectern_job_duration_seconds_bucket{name="test",le="0.01"} 0');
    expect(metrics).toContain('lectern_job_duration_seconds_bucket{name="test",le="0.5"} 3');
    expect(metrics).toContain('lectern_job_duration_seconds_count{name="test"} 4');
    expect(metrics).toContain('lectern_job_duration_seconds_sum{name="test"} 2.5');
  });
});
