// What the owner sees of how Lectern is doing: room, and whether the library is whole.
import { beforeEach, expect, it } from 'vitest';
import { checkLibraryKind } from '../../src/library/check-job.ts';
import { answerOf, type Client, jsonOf, openApi, type TestApi } from '../support/api.ts';
import { onEachEngine } from '../support/engines.ts';
import { fill, published } from '../support/reader.ts';

const link = 'https://example.org/feed';

onEachEngine('operations for the owner', (engine) => {
  let api: TestApi;
  let anna: Client;
  let measured: number;

  beforeEach(async () => {
    measured = 0;
    api = await openApi(engine, {
      measureLibrary: async () => {
        measured += 1;
        if (measured === 1) throw new Error('the disk is busy');
        return [{ folder: 'journal', files: 3, sizeBytes: 4_000 }];
      },
    });
    await api.addUser('anna');
    anna = await api.program('anna', 'write');
    return () => api.close();
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
});
