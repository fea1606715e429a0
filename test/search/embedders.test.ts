// What is asked of every embedder, held against the real model on this machine and against one behind an API.
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { TemporaryFailure, Upstream } from '../../src/errors.ts';
import { type Embedder, TextRefused } from '../../src/search/meaning/embedder.ts';
import { createLocalEmbedder } from '../../src/search/meaning/local-embedder.ts';
import { startEmbeddings, usualData } from '../support/embedding-server.ts';
import { TestTimers } from '../support/timers.ts';

const never = new AbortController().signal;
const texts = ['The bank raised its rates.', 'A cat sleeps in the sun.', 'Rates went up at the bank.', '?!'];
const cosine = (a: Float32Array = new Float32Array(), b: Float32Array = new Float32Array()) =>
  a.reduce((sum, value, n) => sum + value * (b[n] ?? Number.NaN), 0);

const local = createLocalEmbedder();
afterAll(() => local.close());

describe.each([
  ['on this machine', async () => local as Embedder],
  ['behind an API', async () => (await startEmbeddings()).embedder],
])('an embedder %s', (_where, open) => {
  let embedder: Embedder;
  beforeEach(async () => {
    embedder = await open();
  });

  it('gives a vector for each text, all of one size and of length 1', async () => {
    const vectors = await embedder.embed(texts, never);
    expect(vectors).toHaveLength(texts.length);
    for (const vector of vectors) {
      expect(vector).toHaveLength(embedder.dimensions as number);
      expect(Math.hypot(...vector)).toBeCloseTo(1, 4);
    }
  });

  it('gives the same vector for the same text, whatever stands beside it', async () => {
    const together = await embedder.embed(texts, never);
    const [alone] = await embedder.embed([texts[1] as string], never);
    expect(cosine(alone, together[1])).toBeCloseTo(1, 5);
  });

  it('has texts that speak of the same nearer to each other', async () => {
    const [rates, cat, alsoRates] = await embedder.embed(texts, never);
    expect(cosine(rates, alsoRates)).toBeGreaterThan(cosine(rates, cat) + 0.1);
  });

  it('takes no texts, empty ones, and more than fit at once', async () => {
    expect(await embedder.embed([], never)).toEqual([]);
    expect(await embedder.embed([''], never)).toHaveLength(1);
    const many = Array.from({ length: embedder.atOnce + 3 }, (_, n) => `number ${n}`);
    expect(await embedder.embed(many, never)).toHaveLength(many.length);
  });

  it('stops waiting when it is told to', async () => {
    await expect(embedder.embed(texts, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
    const stop = new AbortController();
    const asked = embedder.embed(texts, stop.signal);
    stop.abort(new Error('enough'));
    await expect(asked).rejects.toThrow();
  });
});

describe('the model on this machine', () => {
  it('knows which scripts it cannot read', () => {
    expect(local.canRead('Überall ein bißchen Text, 2026')).toBe(true);
    expect(local.canRead('日本語のテキスト')).toBe(false);
    expect(local.canRead('Привет, мир')).toBe(false);
  });

  it('runs only from the first text to a while after the last, and again for the next', async () => {
    const timers = new TestTimers();
    const embedder = createLocalEmbedder({ after: timers.after });
    expect(embedder.isRunning).toBe(false);
    await embedder.embed(['one'], never);
    expect(embedder.isRunning).toBe(true);
    await timers.advance(5 * 60_000);
    expect(embedder.isRunning).toBe(false);
    await embedder.embed(['two'], never);
    expect(embedder.isRunning).toBe(true);
    await embedder.close();
    expect(timers.pending).toBe(0);
    await expect(embedder.embed(['three'], never)).rejects.toThrow(TemporaryFailure);
  });

  it('fails clearly when its thread does, and tries again with the next text', async () => {
    const script = new URL(`data:text/javascript,throw new Error('no such model')`);
    const embedder = createLocalEmbedder({ script });
    const failure = await embedder.embed(['one'], never).catch((error) => error);
    expect(failure).toBeInstanceOf(TemporaryFailure);
    expect((failure.cause as Error).message).toBe('no such model');
    expect(embedder.isRunning).toBe(false);
    await expect(embedder.embed(['one'], never)).rejects.toThrow('could not be run');
  });
});

describe('a model behind an API', () => {
  it('is asked as OpenAI is, with the key, or without one', async () => {
    const { embedder, asked } = await startEmbeddings();
    await embedder.embed(['a', 'b'], never);
    expect(asked).toEqual([
      {
        path: '/v1/embeddings',
        authorization: 'Bearer sk-hunter22',
        body: { model: 'm-1', input: ['a', 'b'], encoding_format: 'float' },
      },
    ]);
    const without = await startEmbeddings([], { apiKey: '' });
    await without.embedder.embed(['a'], never);
    expect(without.asked[0]?.authorization).toBeUndefined();
  });

  it('is waited for as long as it asks, and then asked again', async () => {
    const { embedder, asked, pauses } = await startEmbeddings([
      { status: 429, headers: { 'retry-after': '7' } },
      { status: 503 },
      { does: 'reset' },
    ]);
    expect(await embedder.embed(['a'], never)).toHaveLength(1);
    expect(asked).toHaveLength(4);
    expect(pauses).toEqual([7_000, 2_000, 4_000]);
  });

  it('is left for the next time when it wants to be left alone for long', async () => {
    const { embedder, asked, pauses } = await startEmbeddings([
      { status: 429, headers: { 'retry-after': '3600' } },
    ]);
    const failure = await embedder.embed(['a'], never).catch((error) => error);
    expect(failure).toBeInstanceOf(Upstream);
    expect(failure.retryAfterMs).toBe(3_600_000);
    expect([asked.length, pauses.length]).toEqual([1, 0]);
  });

  it('is not asked for ever', async () => {
    const { embedder, asked } = await startEmbeddings(Array.from({ length: 9 }, () => ({ status: 500 })));
    await expect(embedder.embed(['a'], never)).rejects.toThrow('a problem of its own (status 500)');
    expect(asked).toHaveLength(5);
  });

  it.each([
    [401, 'refused the key', Upstream],
    [402, 'no money left', Upstream],
    [404, 'does not know the model', Upstream],
    [302, 'did not accept the request', Upstream],
    [400, 'did not accept the text', TextRefused],
    [413, 'did not accept the text', TextRefused],
  ])('that says %i is asked once: %s', async (status, sentence, kind) => {
    const { embedder, asked } = await startEmbeddings([{ status, body: 'sk-hunter22' }]);
    const failure = await embedder.embed(['a'], never).catch((error) => error);
    expect(failure).toBeInstanceOf(kind);
    expect(failure.message).toContain(sentence);
    expect(failure.message).not.toContain('hunter22');
    expect(failure.cause.message).toBe(`status ${status}: [secret]`);
    expect(asked).toHaveLength(1);
  });

  it.each([
    ['too few', (inputs: readonly string[]) => usualData(inputs.slice(1), 4)],
    ['none', () => undefined],
    ['the same place twice', () => usualData(['a', 'b'], 4).map((row) => ({ ...row, index: 0 }))],
    ['a place that is none', () => usualData(['a', 'b'], 4).map((row) => ({ ...row, index: 7 }))],
    ['what is no number', () => usualData(['a', 'b'], 4).map((row) => ({ ...row, embedding: [1, null] }))],
    ['no direction', () => usualData(['a', 'b'], 4).map((row) => ({ ...row, embedding: [0, 0] }))],
    [
      'different sizes',
      () => usualData(['a', 'b'], 4).map((row, n) => ({ ...row, embedding: n === 0 ? [1] : [1, 2] })),
    ],
  ])('that answers with %s is not believed', async (_what, data) => {
    const { embedder } = await startEmbeddings([{ data }]);
    await expect(embedder.embed(['a', 'b'], never)).rejects.toThrow(Upstream);
  });

  it('that changes its size is not believed', async () => {
    const { embedder } = await startEmbeddings([{ data: (inputs) => usualData(inputs, 8) }], {
      dimensions: 16,
    });
    await embedder.embed(['a'], never);
    expect(embedder.dimensions).toBe(8);
    await expect(embedder.embed(['a'], never)).rejects.toThrow('16 numbers for a text, and 8 before');
  });
});
