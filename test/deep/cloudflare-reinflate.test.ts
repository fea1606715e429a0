// The index in D1 may be dropped at any time: what is rebuilt from R2 answers every question as before, in the same order, and
// is the same down to the place of each word. What is not as its hash says stays out, and is told.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fiftyQueries } from '../cloudflare/support/fifty-queries.ts';
import { hashedTables, hashOfIndex, tablesOfIndex } from '../cloudflare/support/index-state.ts';
import { accessToken } from '../cloudflare/support/miniflare.ts';
import { hour, type MirrorWithRaindrop, startWithRaindrop } from '../cloudflare/support/with-raindrop.ts';

interface Found {
  readonly items: readonly { readonly id: number }[];
}

interface Before {
  readonly answers: readonly Found[];
  readonly hash: string;
  readonly vectors: ReadonlyMap<string, unknown>;
  readonly trashed: readonly number[];
}

describe('an index that is rebuilt from the bucket', () => {
  let { raindrop, worker, runToEnd, close } = {} as MirrorWithRaindrop;
  let before: Before;

  beforeAll(async () => {
    ({ raindrop, worker, runToEnd, close } = await startWithRaindrop({ hasVectors: true }));
    const ids = raindrop.account.fillWith(120).map(({ _id }) => _id);
    await runToEnd();
    // An index with a past: some were changed, and some are gone.
    await worker.advance(24 * hour);
    const trashed = [ids[3], ids[50], ids[119]].filter((id) => id !== undefined);
    for (const id of trashed) raindrop.account.trash(id);
    for (const id of ids.slice(60, 75))
      raindrop.account.edit(id, { title: 'Changed since', tags: ['changed', 'garden'] });
    await runToEnd();
    expect(await worker.errors()).toEqual([]);
    before = {
      answers: await answers(),
      hash: await hashOfIndex(worker),
      vectors: await worker.vectors(),
      trashed,
    };
  });

  afterAll(() => close());

  it('is asked fifty questions, most of which find something', () => {
    expect(fiftyQueries).toHaveLength(50);
    const found = before.answers.filter(({ items }) => items.length > 0);
    expect(found.length).toBeGreaterThan(35);
    expect(found.length).toBeLessThan(50);
  });

  it('has no table that its hash leaves out', async () => {
    expect(await tablesOfIndex(worker)).toEqual(hashedTables);
  });

  it('answers as before, from the same state and with the same vectors', async () => {
    await worker.dropIndex();
    await worker.dropVectors();
    expect((await answers()).flatMap(({ items }) => items)).toEqual([]);

    const asked = (await worker.embedded()).length;
    expect(await reinflate({ rag: true })).toEqual({ raindrops: 117, removed: 3, problems: [] });
    expect(await answers()).toEqual(before.answers);
    expect(await hashOfIndex(worker)).toBe(before.hash);
    expect(await worker.vectors()).toEqual(before.vectors);
    expect(await chunksEmbedded(asked)).toHaveLength(before.vectors.size);
  });

  it('embeds nothing that it has embedded', async () => {
    const asked = (await worker.embedded()).length;
    await reinflate({ rag: true });
    expect(await chunksEmbedded(asked)).toEqual([]);
    expect(await hashOfIndex(worker)).toBe(before.hash);
    expect(await worker.vectors()).toEqual(before.vectors);
  });

  it('leaves those out that are in the trash at Raindrop, whose objects stay', async () => {
    const objects = await worker.objects();
    for (const id of before.trashed) {
      expect((await worker.ask(`/api/raindrops/${id}`)).status).toBe(404);
      expect(objects.has(`raindrops/${id}/plain.txt`)).toBe(true);
    }
    expect(await worker.call('index', 'known', before.trashed)).toEqual([]);
    expect(await worker.call('index', 'count')).toBe(117);
  });

  it('leaves one out whose text has one byte that is not its own, and says which', async () => {
    const [id = 0] = raindrop.account.all().map(({ _id }) => _id);
    const key = `raindrops/${id}/plain.txt`;
    const whole = new Uint8Array((await worker.objects()).get(key) ?? []);
    const damaged = whole.with(5, (whole[5] ?? 0) ^ 1);
    await worker.putObject(key, damaged);
    await worker.dropIndex();
    expect(await reinflate({ rag: true })).toEqual({
      raindrops: 116,
      removed: 3,
      problems: [{ id, what: 'plain.txt is not what meta.json says it is' }],
    });
    expect((await worker.ask(`/api/raindrops/${id}`)).status).toBe(404);

    await worker.putObject(key, whole);
    expect(await reinflate({ rag: true })).toMatchObject({ raindrops: 117, problems: [] });
    expect(await hashOfIndex(worker)).toBe(before.hash);
  });

  it('has those too of which no manifest tells any more', async () => {
    const manifests = [...(await worker.objects())].filter(([key]) => /^manifests\/.*\.jsonl$/.test(key));
    expect(manifests.length).toBeGreaterThan(0);
    for (const [key, bytes] of manifests) {
      const lines = new TextDecoder().decode(bytes).split('\n');
      // Every second line is lost, and one is cut off in the middle.
      const left = lines.filter((_, n) => n % 2 === 0).join('\n');
      await worker.putObject(key, left.slice(0, -20));
    }
    await worker.dropIndex();
    expect(await reinflate({ rag: true })).toEqual({ raindrops: 117, removed: 3, problems: [] });
    expect(await hashOfIndex(worker)).toBe(before.hash);
  });

  it('is kept up from there by the next run', async () => {
    await worker.advance(24 * hour);
    const { _id } = raindrop.account.add({ title: 'Petrichor', tags: ['later'] });
    await runToEnd();
    expect(await worker.errors()).toEqual([]);
    expect(await search({ q: 'petrichor' })).toMatchObject({ items: [{ id: _id, tags: ['later'] }] });
    expect(await worker.call('index', 'count')).toBe(118);
  });

  async function search(parameters: Record<string, string>): Promise<Found> {
    const answer = await worker.ask(`/api/search?${new URLSearchParams(parameters)}`);
    expect([parameters, answer.status]).toEqual([parameters, 200]);
    return (await answer.json()) as Found;
  }

  /** With the cursor of the next page, in which the rank of the last hit stands. */
  async function answers(): Promise<Found[]> {
    return Promise.all(fiftyQueries.map(search));
  }

  async function reinflate(options: { rag: boolean }): Promise<unknown> {
    const answer = await worker.ask('/api/mirror/reinflate', {
      method: 'POST',
      headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
      body: JSON.stringify(options),
    });
    expect(answer.status).toBe(202);
    await worker.waitUntilIdle();
    expect(await worker.errors()).toEqual([]);
    const { reinflate: progress } = (await (await worker.ask('/api/mirror')).json()) as {
      reinflate: { raindrops: number; removed: number; problems: unknown; rag: boolean; left: number };
    };
    const { raindrops, removed, problems, ...end } = progress;
    expect(end).toMatchObject({ ...options, left: 0 });
    return { raindrops, removed, problems };
  }

  async function chunksEmbedded(since: number): Promise<string[]> {
    return (await worker.embedded()).slice(since).flatMap(({ text }) => text);
  }
});
