import { expect, it } from 'vitest';
import { createLlmAnalyzer } from '../../src/deframer/llm/llm-analyzer.ts';
import { openai } from '../../src/deframer/llm/openai.ts';
import { Secret } from '../../src/model/secret.ts';
import { article, goodAnswer } from '../support/ai-server.ts';

it('an answer that is there is taken, although we are told to stop: it was paid for', async () => {
  const stop = new AbortController();
  const message = { role: 'assistant', content: JSON.stringify(goodAnswer) };
  const answer = {
    choices: [{ finish_reason: 'stop', message }],
    usage: { prompt_tokens: 9, completion_tokens: 4 },
  };
  const analyzer = createLlmAnalyzer(
    {
      outbound: {
        request: async ({ url }) => {
          stop.abort(new Error('the worker stops'));
          const where = { url, hops: [], sentence: '', validators: { url } };
          const bytes = Buffer.from(JSON.stringify(answer));
          const type = { mediaType: 'application/json', charset: undefined };
          return { kind: 'body', status: 200, headers: {}, bytes, ...where, ...type };
        },
      },
      now: () => 0,
      pause: async () => {},
      random: () => 0.5,
    },
    openai,
    {
      model: 'm-1',
      apiKey: undefined,
      baseUrl: new Secret('http://ai.example/v1'),
      timeoutMs: 1_000,
      price: undefined,
    },
  );
  const { analysis, usage } = await analyzer.analyze({ article, prompt: null }, stop.signal);
  expect(analysis.title_corrected).toBe(goodAnswer.title_corrected);
  expect(usage).toEqual({ calls: 1, tokensIn: 9, tokensOut: 4, costMicros: null });
});
