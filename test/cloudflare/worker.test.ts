// What Cloudflare lends to the mirror, each by itself, and how cron and queue go together: in workerd, on the R2, D1, KV and
// queue of Miniflare.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cutToBytes } from '../../cloudflare/src/cut-to-bytes.ts';
import { parseIngestMessage } from '../../cloudflare/src/ingest-message.ts';
import { createKvState } from '../../cloudflare/src/kv-state.ts';
import type { MirroredRaindrop, TextChunk } from '../../src/mirror/host.ts';
import { mirroredRaindrop as raindrop, sha256 } from '../support/mirrored-raindrop.ts';
import { type CloudflareHarness, startCloudflare } from './support/miniflare.ts';

const model = '@cf/baai/bge-m3';
const startAt = '2026-03-01T05:15:00.000Z';
let worker: CloudflareHarness;

beforeAll(async () => {
  // Nobody answers there: these tests never get so far.
  worker = await startCloudflare({ apiUrl: 'http://127.0.0.1:9/rest/v1', startAt, hasVectors: true });
});

afterAll(async () => {
  await worker.dispose();
});

describe('the index in D1', () => {
  it('keeps a raindrop, its tags and the note of its text', async () => {
    await upsert(raindrop(101, { tags: ['reading', 'war & peace'], text: 'one two three', wordCount: 3 }));

    expect(await worker.query('SELECT * FROM raindrops WHERE id = 101')).toEqual([
      {
        id: 101,
        link: 'https://example.org/101',
        title: 'Title 101',
        excerpt: 'Excerpt 101',
        domain: 'example.org',
        created_at: '2025-01-02T03:04:05.678Z',
        updated_at: '2025-02-03T04:05:06.789Z',
      },
    ]);
    expect(await tagsOf(101)).toEqual(['reading', 'war & peace']);
    expect(await worker.query('SELECT * FROM raindrop_text_state WHERE raindrop_id = 101')).toEqual([
      { raindrop_id: 101, text_sha256: sha256('one two three'), word_count: 3, indexed_at: startAt },
    ]);
  });

  it('replaces a raindrop that changed, and finds it by its new words alone', async () => {
    await upsert(raindrop(102, { title: 'Aubergine', text: 'about vegetables' }));
    await upsert(raindrop(102, { title: 'Eggplant', text: 'about fruit' }));

    expect(await found('aubergine OR vegetables')).toEqual([]);
    expect(await found('eggplant')).toEqual([102]);
    expect(await found('body : fruit')).toEqual([102]);
    expect(await worker.query('SELECT title FROM raindrops WHERE id = 102')).toEqual([{ title: 'Eggplant' }]);
  });

  it('retags a raindrop, and drops tags that none has any more', async () => {
    await upsert(raindrop(103, { tags: ['kept', 'shared', 'lost'] }), raindrop(104, { tags: ['shared'] }));
    await upsert(raindrop(103, { tags: ['kept', 'new'] }));

    expect(await tagsOf(103)).toEqual(['kept', 'new']);
    expect(await tagsOf(104)).toEqual(['shared']);
    expect(await tagNames()).toEqual(expect.arrayContaining(['kept', 'new', 'shared']));
    expect(await tagNames()).not.toContain('lost');
    expect(await found('tags_txt : lost')).toEqual([]);
  });

  it('finds a removed raindrop no more, neither its tags nor its text nor its vectors', async () => {
    await upsert(raindrop(105, { tags: ['alone'], text: 'ephemeral' }));
    await worker.call('embeddings', 'update', 105, [chunk(105, 0, 'ephemeral')]);
    await upsert(raindrop(105, { tags: ['alone'], text: 'ephemeral', removedAt: startAt }));

    expect(await worker.query('SELECT id FROM raindrops WHERE id = 105')).toEqual([]);
    expect(await worker.query('SELECT * FROM raindrop_text_state WHERE raindrop_id = 105')).toEqual([]);
    expect(await worker.query('SELECT * FROM rag_state WHERE raindrop_id = 105')).toEqual([]);
    expect([...(await worker.vectors()).keys()].filter((id) => id.startsWith('rd-105-'))).toEqual([]);
    expect(await found('ephemeral')).toEqual([]);
    expect(await tagNames()).not.toContain('alone');
  });

  it('finds words without their diacritics, in the note too', async () => {
    await upsert(raindrop(106, { title: 'Crème brûlée', note: 'Zürich', text: 'Łódź, Việt Nam' }));

    expect(await found('creme brulee')).toEqual([106]);
    expect(await found('excerpt : zurich')).toEqual([106]);
    expect(await found('viet')).toEqual([106]);
  });

  it('searches the beginning of a text that is too long for D1, cut between two characters', async () => {
    const begin = 'alpha '.repeat(10_000);
    const text = `${begin}${'日本語 '.repeat(200_000)}omega`;
    expect(Buffer.byteLength(text)).toBeGreaterThan(2_000_000);
    await upsert(raindrop(107, { text }));

    expect(await found('alpha')).toEqual([107]);
    expect(await found('日本語')).toEqual([107]);
    expect(await found('omega')).toEqual([]);
    // Half a character would be a word of its own.
    expect(await found('日 OR 日本 OR \ufffd')).toEqual([]);
  });

  it('takes many long texts at once', async () => {
    const long = Array.from({ length: 12 }, (_, at) =>
      raindrop(120 + at, { text: `quick${at} `.repeat(100_000) }),
    );
    await upsert(...long);
    expect(await found('quick0 OR quick11')).toEqual([120, 131]);
  });

  it('keeps more tags than a statement of D1 has parameters', async () => {
    const tags = Array.from({ length: 250 }, (_, at) => `tag ${String(at).padStart(3, '0')}`);
    await upsert(raindrop(108, { tags }));
    expect(await tagsOf(108)).toEqual(tags);

    await upsert(raindrop(108, { tags: tags.slice(0, 1) }));
    expect(await tagsOf(108)).toEqual(['tag 000']);
    expect((await tagNames()).filter((name) => name.startsWith('tag '))).toEqual(['tag 000']);
  });

  it('keeps a tag that is there twice, and one that is written with other capitals', async () => {
    await upsert(raindrop(109, { tags: ['Twice', 'Twice', 'twice'] }));
    expect(await tagsOf(109)).toEqual(['Twice', 'twice']);
  });

  it('keeps the last of what is given twice at once', async () => {
    await upsert(raindrop(110, { tags: ['first'] }), raindrop(110, { title: 'Last', tags: ['last'] }));
    expect(await tagsOf(110)).toEqual(['last']);
    expect(await tagNames()).not.toContain('first');
  });

  it('keeps vectors in mind when their raindrop is written again', async () => {
    await upsert(raindrop(111));
    await worker.call('embeddings', 'update', 111, [chunk(111, 0, 'the same')]);
    await upsert(raindrop(111, { title: 'Another' }));
    expect(await worker.query('SELECT chunk_key FROM rag_state WHERE raindrop_id = 111')).toEqual([
      { chunk_key: 'rd-111-c00' },
    ]);
  });

  it('writes all of a raindrop or nothing of it', async () => {
    await upsert(raindrop(112, { title: 'Before', tags: ['before'] }));
    // Its last statement fails: there is no text state without a hash.
    const broken = { ...raindrop(112, { title: 'After', tags: ['after'] }), textSha256: null };
    await expect(worker.call('index', 'upsert', [broken])).rejects.toThrow();

    expect(await worker.query('SELECT title FROM raindrops WHERE id = 112')).toEqual([{ title: 'Before' }]);
    expect(await tagsOf(112)).toEqual(['before']);
    expect(await found('title : after')).toEqual([]);
    expect(await found('title : before')).toEqual([112]);
  });
});

describe('the objects in R2', () => {
  it('tell the hash of what others have put too', async () => {
    await worker.putObject('raindrops/2/raw.json', 'theirs');
    expect(await worker.call('objects', 'sha256', 'raindrops/2/raw.json')).toBe(sha256('theirs'));
  });

  it('are listed in order when they are more than R2 gives at once', async () => {
    const keys = Array.from({ length: 1_100 }, (_, at) => `listed/${String(at).padStart(5, '0')}`);
    for (const group of Array.from({ length: 11 }, (_, at) => keys.slice(at * 100, at * 100 + 100)))
      await Promise.all(group.map((key) => worker.putObject(key, '')));
    expect(await worker.call('objects', 'list', 'listed/')).toEqual(keys);
  });
});

describe('the state in KV', () => {
  it('is kept under the very names that it is asked for by', async () => {
    expect(await worker.call('state', 'get', 'kv:raindrop:test')).toBeNull();
    await worker.call('state', 'set', 'kv:raindrop:test', 'one');
    await worker.call('state', 'set', 'kv:raindrop:test', 'two');
    expect(await worker.call('state', 'get', 'kv:raindrop:test')).toBe('two');
    expect(await worker.state('kv:raindrop:test')).toBe('two');
  });
});

describe('the state in a KV that refuses', () => {
  const pauses: number[] = [];
  const pause = async (ms: number) => {
    pauses.push(ms);
  };
  const refusing = (message: string, times: number) => {
    let puts = 0;
    const put = async () => {
      puts += 1;
      if (puts <= times) throw new Error(message);
    };
    return { state: createKvState({ get: async () => null, put }, { pause }), puts: () => puts };
  };

  it('is written again a second later when a key was written too often', async () => {
    const { state, puts } = refusing('KV PUT failed: 429 Too Many Requests', 2);
    await state.set('kv:raindrop:run', '{}');
    expect(puts()).toBe(3);
    expect(pauses).toHaveLength(2);
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(1_000);
  });

  it('gives up after a few times, and at once for another reason', async () => {
    const often = refusing('KV PUT failed: 429 Too Many Requests', 100);
    await expect(often.state.set('kv:raindrop:run', '{}')).rejects.toThrow('429');
    expect(often.puts()).toBe(5);
    const down = refusing('KV PUT failed: 503 Service Unavailable', 100);
    await expect(down.state.set('kv:raindrop:run', '{}')).rejects.toThrow('503');
    expect(down.puts()).toBe(1);
  });
});

describe('a text that is cut to bytes', () => {
  it.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'abc'],
    ['aé', 2, 'a'],
    ['aé', 3, 'aé'],
    ['日本', 5, '日'],
    ['a😀b', 4, 'a'],
    ['a😀b', 5, 'a😀'],
  ])('%j within %i bytes is %j', (text, bytes, cut) => {
    expect(cutToBytes(text, bytes)).toBe(cut);
  });
});

describe('a message of the ingest queue', () => {
  const cursor = '2026-01-01T00:00:00.000Z';

  it('is a batch or a piece of a reinflate', () => {
    expect(parseIngestMessage({ page: 2, cursor, more: 1 })).toEqual({ page: 2, cursor });
    const piece = { reinflate: { after: 7, rag: true } };
    expect(parseIngestMessage(piece)).toEqual(piece);
  });

  it.each([
    [undefined],
    [[]],
    [{ page: '0', cursor }],
    [{ page: 0.5, cursor }],
    [{ page: 0, cursor: 'yesterday' }],
    [{ page: 0 }],
    [{ reinflate: true }],
    [{ reinflate: { after: 'x', rag: true } }],
    [{ reinflate: { after: null } }],
  ])('is not %j', (body) => {
    expect(parseIngestMessage(body)).toBeUndefined();
  });
});

describe('vectors of chunks', () => {
  it('are made for what is new or changed, and taken away with what is gone', async () => {
    await upsert(raindrop(301));
    const before = (await worker.embedded()).length;
    await worker.call('embeddings', 'update', 301, [
      chunk(301, 0, 'aa'),
      chunk(301, 1, 'bb'),
      chunk(301, 2, 'cc'),
    ]);
    await worker.call('embeddings', 'update', 301, [chunk(301, 0, 'aa'), chunk(301, 1, 'b2')]);

    const asked = (await worker.embedded()).slice(0).map(({ text }) => text);
    expect(asked).toHaveLength(before + 2);
    expect(asked).toEqual(expect.arrayContaining([['aa', 'bb', 'cc'], ['b2']]));
    const mine = new Map([...(await worker.vectors())].filter(([id]) => id.startsWith('rd-301-')));
    expect([...mine.keys()]).toEqual(['rd-301-c00', 'rd-301-c01']);
    expect(mine.get('rd-301-c01')?.metadata).toEqual({
      raindrop_id: 301,
      model,
      sha256: sha256('b2'),
    });
    expect(await worker.query('SELECT * FROM rag_state WHERE raindrop_id = 301 ORDER BY chunk_key')).toEqual([
      ragRow(301, 0, 'aa'),
      ragRow(301, 1, 'b2'),
    ]);
  });

  it('are not made again for the same text and the same model', async () => {
    await upsert(raindrop(302));
    await worker.call('embeddings', 'update', 302, [chunk(302, 0, 'unchanged')]);
    const before = await worker.embedded();
    await worker.call('embeddings', 'update', 302, [chunk(302, 0, 'unchanged')]);
    expect(await worker.embedded()).toHaveLength(before.length);

    await worker.query("UPDATE rag_state SET model = 'another' WHERE raindrop_id = 302");
    await worker.call('embeddings', 'update', 302, [chunk(302, 0, 'unchanged')]);
    expect(await worker.embedded()).toHaveLength(before.length + 1);
  });

  it('leave those of another raindrop alone whose id begins alike', async () => {
    await upsert(raindrop(303), raindrop(3033));
    await worker.call('embeddings', 'update', 303, [chunk(303, 0, 'short')]);
    await worker.call('embeddings', 'update', 3033, [chunk(3033, 0, 'long')]);
    await worker.call('embeddings', 'update', 303, []);
    expect((await worker.vectors()).has('rd-3033-c00')).toBe(true);
    expect((await worker.vectors()).has('rd-303-c00')).toBe(false);
  });

  it('are asked for twenty-five texts at a time', async () => {
    await upsert(raindrop(304));
    const chunks = Array.from({ length: 120 }, (_, at) => chunk(304, at, `part ${at}`));
    await worker.call('embeddings', 'update', 304, chunks);
    const sizes = (await worker.embedded())
      .filter(({ text }) => text[0]?.startsWith('part '))
      .map(({ text }) => text.length);
    expect(sizes.toSorted((a, b) => a - b)).toEqual([20, 25, 25, 25, 25]);
    await worker.call('embeddings', 'update', 304, []);
    expect(await worker.query('SELECT * FROM rag_state WHERE raindrop_id = 304')).toEqual([]);
  });
});

async function upsert(...raindrops: MirroredRaindrop[]): Promise<void> {
  await worker.call('index', 'upsert', raindrops);
}

async function found(query: string): Promise<number[]> {
  const rows = await worker.query<{ rowid: number }>(
    'SELECT rowid FROM raindrop_fts WHERE raindrop_fts MATCH ? ORDER BY rowid',
    query,
  );
  return rows.map((row) => row.rowid);
}

async function tagsOf(id: number): Promise<string[]> {
  const rows = await worker.query<{ name: string }>(
    'SELECT name FROM raindrop_tags JOIN tags ON tags.id = tag_id WHERE raindrop_id = ? ORDER BY name',
    id,
  );
  return rows.map((row) => row.name);
}

async function tagNames(): Promise<string[]> {
  return (await worker.query<{ name: string }>('SELECT name FROM tags ORDER BY name')).map((row) => row.name);
}

function chunk(id: number, at: number, text: string): TextChunk {
  return { k: chunkKey(id, at), t: text, s: sha256(text) };
}

function chunkKey(id: number, at: number): string {
  return `rd-${id}-c${String(at).padStart(2, '0')}`;
}

function ragRow(id: number, at: number, text: string) {
  return {
    chunk_key: chunkKey(id, at),
    raindrop_id: id,
    text_sha256: sha256(text),
    model,
    embedded_at: startAt,
  };
}
