// Cron, queue and Worker together, over a few raindrops: a run goes from batch to batch by itself, there is one at a time, and
// the index comes back from the objects. What a run does with raindrops is tested elsewhere.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hour, type MirrorWithRaindrop, startWithRaindrop } from '../cloudflare/support/with-raindrop.ts';

const timeOf = (id: number) => new Date(Date.parse('2025-06-01T00:00:00Z') + id * 60_000).toISOString();
const kept = { html: '<title>Seven</title><p>Kept for good: <b>petrichor</b></p>' };

/** Raindrops from 1 on, each a minute after the one before; the seventh has a permanent copy. */
async function startBoth(count: number, hasVectors: boolean): Promise<MirrorWithRaindrop> {
  const both = await startWithRaindrop({ hasVectors });
  for (let id = 1; id <= count; id += 1)
    both.raindrop.account.add({
      ...{ id, title: `Raindrop ${id}`, tags: [`tag${id % 3}`], created: timeOf(id), lastUpdate: timeOf(id) },
      ...(id === 7 && { copy: kept }),
    });
  return both;
}

describe('a run on Cloudflare', () => {
  let { raindrop, worker, runToEnd, close } = {} as MirrorWithRaindrop;

  beforeAll(async () => {
    ({ raindrop, worker, runToEnd, close } = await startBoth(120, true));
    await runToEnd();
  });

  afterAll(() => close());

  it('takes fifty raindrops an hour, each message with page and cursor', async () => {
    const sent = await worker.sent();
    expect(await worker.errors()).toEqual([]);
    expect(sent.map(({ delayMs }) => delayMs)).toEqual([0, hour, hour]);
    expect(sent.map(({ message }) => message)).toEqual([
      { page: 0, cursor: '1970-01-01T00:00:00.000Z' },
      { page: 0, cursor: timeOf(50) },
      { page: 0, cursor: timeOf(100) },
    ]);
    expect(await worker.state('kv:raindrop:last_cursor')).toBe(timeOf(120));
    expect(await worker.query('SELECT count(*) AS n FROM raindrops')).toEqual([{ n: 120 }]);
  });

  it('keeps every raindrop in R2, with the permanent copy to which Raindrop has led', async () => {
    const objects = await worker.objects();
    expect([...objects.keys()].filter((key) => key.endsWith('/raw.json'))).toHaveLength(120);
    expect([...objects.keys()].filter((key) => key.startsWith('raindrops/7/'))).toEqual(
      ['chunks.jsonl', 'meta.json', 'permacopy.html', 'plain.txt', 'raw.json'].map(
        (name) => `raindrops/7/${name}`,
      ),
    );
    expect(new TextDecoder().decode(objects.get('raindrops/7/raw.json'))).toBe(
      JSON.stringify(raindrop.account.get(7)),
    );
    expect(await found('petrichor')).toEqual([7]);
    expect((await worker.vectors()).has('rd-7-c00')).toBe(true);
  });

  it('drops a message that comes again, and what is none of its own', async () => {
    const before = { requests: raindrop.requests.length, sent: (await worker.sent()).length };
    for (const message of [
      { page: 0, cursor: '1970-01-01T00:00:00.000Z' },
      { page: -1, cursor: '' },
      'hello',
      null,
    ])
      await worker.send(message);
    await worker.waitUntilIdle();
    expect(raindrop.requests.length).toBe(before.requests);
    expect(await worker.sent()).toHaveLength(before.sent + 4);
    expect(await worker.errors()).toEqual([]);
  });

  it('is left alone by a cron that comes while it is under way', async () => {
    const run = await worker.state('kv:raindrop:run');
    const schedule = await worker.state('kv:raindrop:schedule');
    const before = (await worker.sent()).length;
    await worker.setState('kv:raindrop:run', JSON.stringify({ ...JSON.parse(run ?? ''), phase: 'updates' }));
    await worker.setState('kv:raindrop:schedule', new Date((await worker.now()) + hour).toISOString());
    await worker.cron();
    expect(await worker.sent()).toHaveLength(before);
    await worker.setState('kv:raindrop:run', run ?? '');
    await worker.setState('kv:raindrop:schedule', schedule ?? '');
  });

  it('comes back from the objects in pieces after the index was lost, vectors too', async () => {
    const before = await wholeIndex();
    const known = (await worker.sent()).length;
    await worker.dropIndex();
    expect(await found('petrichor')).toEqual([]);

    await worker.send({ reinflate: { after: null, rag: true } });
    await worker.waitUntilIdle();
    expect(await worker.errors()).toEqual([]);
    expect(await wholeIndex()).toEqual(before);
    expect(await found('petrichor')).toEqual([7]);
    const pieces = (await worker.sent()).slice(known).map(({ message }) => message);
    expect(pieces).toMatchObject([null, 50, 100].map((after) => ({ reinflate: { after, rag: true } })));
    expect(JSON.parse((await worker.state('kv:raindrop:reinflate')) ?? '')).toMatchObject({
      raindrops: 120,
      removed: 0,
      problems: [],
      left: 0,
    });
  });

  it('finds the next day what was changed and what was removed', async () => {
    await worker.advance(24 * hour);
    const lastUpdate = new Date(await worker.now()).toISOString();
    raindrop.account.edit(3, { title: 'Changed since', tags: ['fresh'], lastUpdate });
    raindrop.account.trash(4);
    await runToEnd();

    expect(await worker.errors()).toEqual([]);
    expect(await found('since')).toEqual([3]);
    expect(await worker.query('SELECT id FROM raindrops WHERE id IN (3, 4)')).toEqual([{ id: 3 }]);
    expect((await worker.vectors()).has('rd-4-c00')).toBe(false);
    expect(await worker.query("SELECT name FROM tags WHERE name = 'fresh'")).toHaveLength(1);
  });

  async function found(query: string): Promise<number[]> {
    const rows = await worker.query<{ rowid: number }>(
      'SELECT rowid FROM raindrop_fts WHERE raindrop_fts MATCH ? ORDER BY rowid',
      query,
    );
    return rows.map((row) => row.rowid);
  }

  /** But for when it was written. */
  async function wholeIndex() {
    return {
      raindrops: await worker.query('SELECT * FROM raindrops ORDER BY id'),
      tags: await worker.query(
        'SELECT raindrop_id, name FROM raindrop_tags JOIN tags ON tags.id = tag_id ORDER BY raindrop_id, name',
      ),
      texts: await worker.query(
        'SELECT raindrop_id, text_sha256, word_count FROM raindrop_text_state ORDER BY raindrop_id',
      ),
      vectors: await worker.query('SELECT chunk_key, text_sha256, model FROM rag_state ORDER BY chunk_key'),
    };
  }
});

describe('a batch that fails on Cloudflare', () => {
  let { worker, runToEnd, close } = {} as MirrorWithRaindrop;

  beforeEach(async () => {
    ({ worker, runToEnd, close } = await startBoth(5, false));
  });

  afterEach(() => close());

  it('is tried again by the queue, and by the next cron after that', async () => {
    await worker.query('ALTER TABLE raindrop_text_state RENAME TO gone');
    await runToEnd();
    expect(await worker.errors()).toHaveLength(3);
    expect(await worker.state('kv:raindrop:last_cursor')).toBeNull();
    expect(await worker.query('SELECT count(*) AS n FROM raindrops')).toEqual([{ n: 0 }]);

    await worker.query('ALTER TABLE gone RENAME TO raindrop_text_state');
    await worker.advance(24 * hour);
    await runToEnd();
    expect(await worker.query('SELECT count(*) AS n FROM raindrops')).toEqual([{ n: 5 }]);
    expect(await worker.state('kv:raindrop:last_cursor')).toBe(timeOf(5));
  });
});
