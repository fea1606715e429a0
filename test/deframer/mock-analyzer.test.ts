import { expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { createAnalyzer } from '../../src/deframer/create-analyzer.ts';
import { createMockAnalyzer } from '../../src/deframer/mock-analyzer.ts';
import { categories, scoreNames } from '../../src/model/deframer.ts';
import { article } from '../support/ai-server.ts';
import { createWorld } from '../support/outbound.ts';

const { signal } = new AbortController();

function mock(pause = async (_millis: number) => {}) {
  return createMockAnalyzer({ pause }, { latencyMs: 100 });
}

it('takes its time, and costs nothing', async () => {
  const pauses: number[] = [];
  const analyzer = mock(async (millis) => void pauses.push(millis));
  const { usage } = await analyzer.analyze({ article, prompt: null }, signal);
  expect(pauses).toEqual([100]);
  const characters = article.title.length + article.description.length + article.text.length;
  expect(usage).toEqual({ calls: 1, tokensIn: Math.ceil(characters / 4), tokensOut: 150, costMicros: 0 });
});

it('says of one title always the same', async () => {
  const first = await mock().analyze({ article, prompt: null }, signal);
  const again = await mock().analyze({ article, prompt: 'another' }, signal);
  expect(again).toEqual(first);
  expect(first.analysis).toMatchObject({
    llm_model: 'mock',
    title_original: article.title,
    title_corrected: `Mock: ${article.title}`,
    description_original: article.description,
  });
});

it('uses the whole scale, its ends too, and every category', async () => {
  const analyses = await Promise.all(
    Array.from({ length: 300 }, async (_, index) => {
      const request = { article: { ...article, title: `Title ${index}` }, prompt: null };
      return (await mock().analyze(request, signal)).analysis;
    }),
  );
  for (const name of scoreNames) {
    const scores = analyses.map((analysis) => analysis[name]);
    expect([Math.min(...scores), Math.max(...scores)]).toEqual([0, 1]);
    expect(new Set(scores).size).toBe(11);
  }
  expect(analyses.every(({ overall }) => overall >= 0 && overall <= 1)).toBe(true);
  expect(new Set(analyses.map(({ category }) => category)).size).toBe(categories.length);
});

it('stops at once when it is told to', async () => {
  const stop = new AbortController();
  const attempt = mock(() => new Promise(() => {})).analyze({ article, prompt: null }, stop.signal);
  const reason = new Error('enough');
  stop.abort(reason);
  await expect(attempt).rejects.toBe(reason);
});

it('and every other analyzer is made from the settings', () => {
  const { outbound, deps } = createWorld();
  const made = (env: Record<string, string>) =>
    createAnalyzer(readConfig(env).config.ai, {
      outbound,
      now: deps.now,
      pause: async () => {},
      random: () => 0.5,
    });
  expect(made({ AI_TYPE: 'mock' }).model).toBe('mock');
  expect(made({}).model).not.toBe('mock');
  for (const AI_TYPE of ['openai', 'anthropic', 'gemini']) {
    expect(made({ AI_TYPE, AI_MODEL: 'm-9', AI_API_KEY: 'k' }).model).toBe('m-9');
  }
});
