// What the owner sees of how Lectern is doing: room, and whether the library is whole.
import { beforeEach, expect, it } from 'vitest';
import { createPullTally } from '../../src/feeds/pull-tally.ts';
import { checkLibraryKind } from '../../src/library/check-job.ts';
import { answerOf, type Client, jsonOf, openEmptyApi, type TestApi } from '../support/api.ts';
import { onEachEngine } from '../support/engines.ts';
import { fill, published, takeFence } from '../support/reader.ts';

const link = 'https://example.org/feed';

onEachEngine('operations for the owner', (engine) => {
  let api: TestApi;
  let anna: Client;
  let measured: number;

  beforeEach(async () => {
    measured = 0;
    api = await openEmptyApi(engine, {
      measureLibrary: async () => {
        measured += 1;
        if (measured === 1) throw new Error('the disk is busy');
        return [{ folder: 'journal', files: 3, sizeBytes: 4_000 }];
      },
    });
    await api.addUser('anna');
    anna = await api.program('anna', 'admin');
  });

  it('measures the index and the library, and not again for everybody who looks', async () => {
    await anna.post('/api/feeds', { link });
    await fill(api.opened.store, link, [published('a'), published('b')]);
    await anna.post('/api/bookmarks', { link: 'https://example.org/page' });
    const path = '/api/v1/operations/storage';
    expect((await anna.get(path)).status).toBe(500);
    const { data } = await jsonOf<{ data: { index_bytes: number } }>(await anna.get(path));
    expect(data).toEqual({
      measured_at: new Date(api.clock.now()).toISOString(),
      index_bytes: expect.any(Number),
      library: [{ kind: 'journal', files: 3, bytes: 4_000 }],
      counts: { users: 1, feeds: 1, entries: 2, bookmarks: 1 },
    });
    expect(data.index_bytes).toBeGreaterThan(10_000);
    await Promise.all([anna.get(path), anna.get(path)]);
    expect(measured).toBe(2);
    api.clock.advance(10_000);
    await Promise.all([anna.get(path), anna.get(path)]);
    expect(measured).toBe(3);
  });

  it('checks the library in the background, one check at a time', async () => {
    const path = '/api/v1/operations/library-check';
    const nothing = { at: null, progress: null, objects: 0, problem_count: 0, problems: [] };
    expect(await answerOf(await anna.get(path))).toEqual({
      status: 200,
      body: { data: { state: 'never', ...nothing } },
    });
    const begun = await answerOf(await anna.post(path, undefined));
    expect(begun).toEqual({ status: 202, body: { data: { job_id: expect.stringMatching(/^\d+$/) } } });
    expect(await answerOf(await anna.post(path, undefined))).toEqual(begun);
    const state = async () => jsonOf<{ data: object }>(await anna.get(path));
    expect(await state()).toEqual({ data: { state: 'running', ...nothing } });

    const { jobs, libraryChecks } = api.opened.store;
    const [fence] = await jobs.settleAndClaim([], {
      holder: 'test',
      leaseMs: 60_000,
      names: [checkLibraryKind.name],
      total: 1,
      background: 1,
      low: 1,
      first: 'interactive',
      suspect: false,
    });
    if (!fence) throw new Error('the check is not in the queue');
    const progress = { done: 5, total: null, note: null };
    await jobs.writeProgress([{ fence, progress }]);
    expect(await state()).toMatchObject({ data: { state: 'running', progress } });
    const problems = [{ key: 'journal/x.jsonl', what: 'it is missing' }];
    await libraryChecks.keep({ at: 5_000, objects: 7, problemCount: 1, problems });
    await jobs.settleAndClaim([{ fence, outcome: { kind: 'done' } }]);
    const broken = { at: '1970-01-01T00:00:05.000Z', progress: null, objects: 7, problem_count: 1, problems };
    expect(await state()).toEqual({ data: { state: 'broken', ...broken } });
    await libraryChecks.keep({ at: 5_000, objects: 7, problemCount: 0, problems: [] });
    expect(await state()).toMatchObject({ data: { state: 'whole', objects: 7 } });
  });

  it('shows entries and pulls of each day, without gaps', async () => {
    await anna.post('/api/feeds', { link });
    const [today, day] = [api.clock.now(), 86_400_000];
    await fill(api.opened.store, link, [
      published('a', { pubDate: today }),
      published('b', { pubDate: today - 2 * day }),
      published('c', { pubDate: today - 2 * day + 1_000 }),
      published('d', { pubDate: today - 40 * day }),
    ]);
    const tally = createPullTally(api.clock.now);
    for (const outcome of ['new', 'failed', 'new'] as const) tally.count(outcome);
    const { activity } = api.opened.store;
    await activity.add(tally.take());
    expect(tally.take()).toEqual([]);
    tally.count('new');
    await activity.add(tally.take());
    await activity.add([]);
    const { data } = await jsonOf<{ data: { days: object[] } }>(
      await anna.get('/api/v1/operations/activity?days=3'),
    );
    const none = { new: 0, unchanged: 0, failed: 0, put_off: 0 };
    expect(data.days).toEqual([
      { day: '2025-12-30', entries: 2, pulls: none },
      { day: '2025-12-31', entries: 0, pulls: none },
      { day: '2026-01-01', entries: 1, pulls: { ...none, new: 3, failed: 1 } },
    ]);
    const usual = await jsonOf<{ data: { days: object[] } }>(await anna.get('/api/v1/operations/activity'));
    expect(usual.data.days).toHaveLength(30);
    for (const days of ['0', '367', 'x'])
      expect((await anna.get(`/api/v1/operations/activity?days=${days}`)).status).toBe(400);
    // Counts are kept for 400 days.
    expect(await activity.pullsSince('2000-01-01')).toHaveLength(2);
    await activity.deleteOld(api.clock.now() + 399 * day);
    expect(await activity.pullsSince('2000-01-01')).toHaveLength(2);
    await activity.deleteOld(api.clock.now() + 402 * day);
    expect(await activity.pullsSince('2000-01-01')).toEqual([]);
  });

  it("names the owner's feeds that fail now, and of other people's only the host", async () => {
    await api.addUser('ben');
    const ben = await api.program('ben', 'write');
    const at = api.clock.now();
    const fail = async (client: Client, url: string, state: object) => {
      const { data } = await jsonOf<{ data: { id: number } }>(await client.post('/api/feeds', { link: url }));
      const { pulls } = api.opened.store;
      const target = { link: url, proxy: '' };
      await pulls.settle(
        await takeFence(api.opened.store),
        target,
        [data.id],
        () => ({ state }),
        () => false,
      );
      return data.id;
    };
    const broken = { consecutive_failures: 2, last_error: 'It is broken.', next_check_at: at + 1_000 };
    const id = await fail(anna, link, { ...broken, last_success_at: at - 1_000 });
    const other = await fail(anna, 'https://other.example/', { ...broken, consecutive_failures: 5 });
    await fail(anna, 'https://well.example/', { consecutive_failures: 0 });
    const suspended = await fail(anna, 'https://off.example/', broken);
    await anna.patch(`/api/feeds/${suspended}`, { suspended: true });
    for (const n of [1, 2]) await fail(ben, `https://secret.example/${n}`, broken);
    const { data } = await jsonOf<{ data: { failing: object } }>(
      await anna.get('/api/v1/operations/activity'),
    );
    const shown = { reason: 'It is broken.', next_check_at: new Date(at + 1_000).toISOString() };
    expect(data.failing).toEqual({
      own: [
        {
          id: other,
          name: 'https://other.example/',
          since: new Date(at).toISOString(),
          consecutive_failures: 5,
          ...shown,
        },
        { id, name: link, since: new Date(at - 1_000).toISOString(), consecutive_failures: 2, ...shown },
      ],
      others: [{ host: 'secret.example', feeds: 2 }],
    });
  });
});
