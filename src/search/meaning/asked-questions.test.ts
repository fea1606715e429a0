import { describe, expect, it } from 'vitest';
import { createWordEmbedder } from '../../../test/support/word-embedder.ts';
import { TemporaryFailure } from '../../errors.ts';
import { AskedQuestions } from './asked-questions.ts';

describe('questions that were asked', () => {
  it('are embedded once, also when several ask at the same time', async () => {
    const embedder = createWordEmbedder();
    const asked = new AskedQuestions(embedder);
    const [one, other] = await Promise.all([asked.vectorOf('apples'), asked.vectorOf('apples')]);
    expect(other).toBe(one);
    expect(await asked.vectorOf('apples')).toBe(one);
    expect(await asked.vectorOf('pears')).not.toEqual(one);
    expect(embedder.texts).toEqual(['apples', 'pears']);
  });

  it('are forgotten when they failed, for all who waited and for none after them', async () => {
    const embedder = createWordEmbedder();
    const asked = new AskedQuestions(embedder);
    let tries = 0;
    embedder.before = () => {
      tries += 1;
      if (tries === 1) throw new TemporaryFailure('not now');
    };
    const both = await Promise.allSettled([asked.vectorOf('apples'), asked.vectorOf('apples')]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect(asked.vectorOf('apples')).resolves.toBeInstanceOf(Float32Array);
    expect(tries).toBe(2);
  });

  it('are forgotten when many others were asked since, those asked least recently first', async () => {
    const embedder = createWordEmbedder();
    const asked = new AskedQuestions(embedder, 3);
    for (const text of ['a', 'b', 'c', 'a', 'd']) await asked.vectorOf(text);
    expect(embedder.texts).toEqual(['a', 'b', 'c', 'd']);
    for (const text of ['a', 'c', 'd']) await asked.vectorOf(text);
    expect(embedder.texts).toEqual(['a', 'b', 'c', 'd']);
    await asked.vectorOf('b');
    expect(embedder.texts).toEqual(['a', 'b', 'c', 'd', 'b']);
  });
});
