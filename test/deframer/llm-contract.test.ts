// What an analyzer that asks a model elsewhere does with whatever that model does: one contract for all providers.
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { AnalyzerFailure, addUsage, noUsage } from '../../src/deframer/analyzer.ts';
import {
  article,
  dialectNames,
  goodAnswer,
  type Options,
  type Step,
  secretKey,
  startAi,
} from '../support/ai-server.ts';
import { TestTimers } from '../support/timers.ts';
import { until } from '../support/until.ts';

const request = { article, prompt: null };
const good = { says: goodAnswer } as const;
const ms = (low: number, high: number) => expect.toSatisfy((value: number) => value >= low && value <= high);

describe.each(dialectNames)('%s', (dialect) => {
  const start = (script: [Step, ...Step[]], options?: Options) => startAi(dialect, script, options);

  async function failureOf(script: [Step, ...Step[]], options?: Options) {
    const ai = await start(script, options);
    const error = await ai.analyzer.analyze(request, ai.signal).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof AnalyzerFailure)) throw new Error('no failure', { cause: error });
    return { ...ai, error };
  }

  it('gives the analysis, with what is ours in it set by us', async () => {
    const claims = { title_original: 'another', description_original: 'another', llm_model: 'another' };
    const { analyzer, questions, pauses, signal } = await start([
      { says: { ...goodAnswer, ...claims }, tokens: [900, 120] },
    ]);
    const { analysis, usage } = await analyzer.analyze(request, signal);
    expect(analysis).toEqual({
      ...goodAnswer,
      llm_model: 'm-1',
      title_original: article.title,
      description_original: article.description,
    });
    expect(usage).toEqual({ calls: 1, tokensIn: 900, tokensOut: 120, costMicros: null });
    expect(analyzer.model).toBe('m-1');
    expect([questions.length, pauses]).toEqual([1, []]);
  });

  it('asks at the path of the provider, with the key in a header alone, soberly and for JSON', async () => {
    const { analyzer, questions, signal } = await start([good]);
    await analyzer.analyze(request, signal);
    const [asked] = questions;
    const paths = {
      openai: '/base/chat/completions',
      anthropic: '/base/v1/messages',
      gemini: '/base/v1beta/models/m-1:generateContent',
    };
    const keys = {
      openai: { authorization: `Bearer ${secretKey}` },
      anthropic: { 'x-api-key': secretKey, 'anthropic-version': '2023-06-01' },
      gemini: { 'x-goog-api-key': secretKey },
    };
    expect(asked?.path).toBe(paths[dialect]);
    expect(asked?.headers).toMatchObject({ ...keys[dialect], 'content-type': 'application/json' });
    expect(asked?.body).not.toContain(secretKey);
    expect(asked?.temperature).toBe(0);
    const body = JSON.parse(asked?.body ?? '');
    const schemas = {
      openai: () => [body.response_format.json_schema.strict, body.response_format.json_schema.schema],
      anthropic: () => [body.tool_choice.name === body.tools[0].name, body.tools[0].input_schema],
      gemini: () => [
        body.generationConfig.responseMimeType === 'application/json',
        body.generationConfig.responseSchema,
      ],
    };
    const [isForced, schema] = schemas[dialect]();
    expect(isForced).toBe(true);
    expect([...schema.required].sort()).toEqual(Object.keys(goodAnswer).sort());
    expect(Object.keys(schema.properties).sort()).toEqual(Object.keys(goodAnswer).sort());
  });

  it('asks without a key where there is none', async () => {
    const { analyzer, questions, signal } = await start([good], { apiKey: undefined });
    await analyzer.analyze(request, signal);
    const names = Object.keys(questions[0]?.headers ?? {});
    expect(names.filter((name) => /auth|key/.test(name))).toEqual([]);
  });

  it('counts what it costs, of all calls together', async () => {
    const price = { microsPerTokenIn: 0.15, microsPerTokenOut: 0.6 };
    const script: [Step, ...Step[]] = [
      { says: 'no', tokens: [1000, 10] },
      { ...good, tokens: [1001, 120] },
    ];
    const { analyzer, signal } = await start(script, { price });
    const { usage } = await analyzer.analyze(request, signal);
    expect(usage).toEqual({ calls: 2, tokensIn: 2001, tokensOut: 130, costMicros: 378 });
    expect(addUsage(noUsage, usage)).toEqual(usage);
  });

  it.each([
    ['no JSON', 'The bridge is closed.', 'was not one JSON object'],
    ['half of a JSON object', JSON.stringify(goodAnswer).slice(0, 200), 'was not one JSON object'],
    ['a list', JSON.stringify([goodAnswer]), 'was not one JSON object'],
    ['a score that is too high', { ...goodAnswer, framing: 1.2 }, 'a score was not a number'],
    ['a score as text', { ...goodAnswer, clickbait: '0.5' }, 'a score was not a number'],
    ['a score of null', { ...goodAnswer, overall: null }, 'a score was not a number'],
    ['a category of its own', { ...goodAnswer, category: 'gossip' }, 'the category was none of those'],
    ['a field too few', { ...goodAnswer, title_corrected: undefined }, 'did not have every field'],
  ])('asks again for %s, and says what was wrong', async (_what, says, told) => {
    const { analyzer, questions, pauses, signal } = await start([{ says, tokens: [5, 7] }, good]);
    const { analysis, usage } = await analyzer.analyze(request, signal);
    expect(analysis).toMatchObject(goodAnswer);
    expect(usage).toMatchObject({ calls: 2, tokensIn: 5, tokensOut: 7 });
    expect(pauses).toEqual([]);
    expect(questions[0]?.messages[0]?.text).not.toContain('last answer');
    expect(questions[1]?.messages[0]?.text).toContain(told);
    expect(questions[1]?.messages.length).toBe(1);
    expect(questions[1]?.system).toBe(questions[0]?.system);
  });

  it('asks again for an answer that was cut off', async () => {
    const cut = JSON.stringify(goodAnswer).slice(0, 100);
    const { analyzer, questions, signal } = await start([{ isCutOff: cut, tokens: [5, 8000] }, good]);
    expect((await analyzer.analyze(request, signal)).usage).toMatchObject({ calls: 2, tokensOut: 8000 });
    expect(questions[1]?.messages[0]?.text).toContain('was too long and was cut off');
  });

  it('gives up an article after three answers of no use, and says what they took', async () => {
    const { error, questions } = await failureOf([
      { says: '{}', tokens: [10, 1] },
      { isCutOff: 'x', tokens: [10, 2] },
      { says: { ...goodAnswer, speculative: -0.1 }, tokens: [10, 3] },
      good,
    ]);
    expect(error).toMatchObject({ scope: 'article', usage: { calls: 3, tokensIn: 30, tokensOut: 6 } });
    expect(error.message).toBe(`${dialect}: gave no answer that can be used`);
    expect(questions.length).toBe(3);
  });

  it.each(['by itself', 'by a filter'] as const)('takes a refusal %s for an answer', async (refuses) => {
    const { error, questions } = await failureOf([{ refuses, tokens: [10, 2] }, good]);
    expect(error).toMatchObject({ scope: 'article', usage: { calls: 1, tokensIn: 10, tokensOut: 2 } });
    expect(error.message).toBe(`${dialect}: declined to answer`);
    expect(questions.length).toBe(1);
  });

  it.each([429, 503, 529])('waits as long as a %i says, and asks again', async (status) => {
    const step = { status, headers: { 'retry-after': '7' } };
    const { analyzer, questions, pauses, signal } = await start([step, good]);
    expect((await analyzer.analyze(request, signal)).usage.calls).toBe(2);
    expect(pauses).toEqual([7_000]);
    // Nothing was wrong with an answer.
    expect(questions[1]?.messages[0]?.text).not.toContain('last answer');
  });

  it('waits until the date that a server names, and never longer than a minute', async () => {
    const at = new Date(Date.UTC(2026, 0, 1, 0, 0, 12)).toUTCString();
    const script: [Step, ...Step[]] = [
      { status: 429, headers: { 'retry-after': at } },
      { status: 429, headers: { 'retry-after': '86400' } },
      good,
    ];
    const { analyzer, pauses, signal } = await start(script);
    await analyzer.analyze(request, signal);
    expect(pauses).toEqual([12_000, 60_000]);
  });

  it.each([429, 503, 529, 500, 502])('gives up the service after three answers of %i', async (status) => {
    const { error, questions, pauses } = await failureOf([{ status }], { random: () => 0.999 });
    expect(error).toMatchObject({ scope: 'service', usage: { calls: 3, tokensIn: 0, tokensOut: 0 } });
    expect(questions.length).toBe(3);
    expect(pauses).toEqual([ms(2_900, 3_000), ms(11_900, 12_000)]);
  });

  it('asks the same host for the next article, although it has asked to be left alone', async () => {
    const limit: Step = { status: 429, headers: { 'retry-after': '3600' } };
    const { analyzer, signal } = await start([limit, limit, limit, good]);
    await expect(analyzer.analyze(request, signal)).rejects.toThrow(AnalyzerFailure);
    expect((await analyzer.analyze(request, signal)).usage.calls).toBe(1);
  });

  it('asks again after a connection that was lost', async () => {
    const { analyzer, pauses, signal } = await start([{ does: 'reset' }, { does: 'reset' }, good]);
    expect((await analyzer.analyze(request, signal)).usage.calls).toBe(3);
    expect(pauses).toEqual([2_500, 10_000]);
    const { error } = await failureOf([{ does: 'reset' }]);
    expect(error).toMatchObject({ scope: 'service', message: `${dialect}: no answer (reset)` });
  });

  it('waits for a model that hangs as long as it was told, three times', async () => {
    const timers = new TestTimers();
    const { now, after } = timers;
    const { analyzer, questions, signal } = await start([{ does: 'hang' }], { outbound: { now, after } });
    const failed = analyzer.analyze(request, signal).catch((error: unknown) => error);
    for (const call of [1, 2, 3]) {
      await until(`call ${call}`, () => questions.length === call);
      await timers.advance(119_000);
      expect(questions.length).toBe(call);
      await timers.advance(1_000);
    }
    const message = `${dialect}: did not answer in time`;
    expect(await failed).toMatchObject({ scope: 'service', message, usage: { calls: 3 } });
    expect(timers.pending).toBe(0);
  });

  it.each([
    [401, 'service', 'the key was refused'],
    [403, 'service', 'the key was refused'],
    [402, 'service', 'the account has no money left'],
    [404, 'service', 'the model or address is not known'],
    [410, 'service', 'the model or address is not known'],
    [400, 'article', 'the request was not accepted'],
    [413, 'article', 'the request was not accepted'],
    [422, 'article', 'the request was not accepted'],
    [418, 'service', 'the request was not accepted (status 418)'],
  ])('takes a status of %i for its last word', async (status, scope, sentence) => {
    const { error, questions, pauses } = await failureOf([{ status }, good]);
    expect(error).toMatchObject({ scope, message: `${dialect}: ${sentence}`, usage: { calls: 1 } });
    expect([questions.length, pauses]).toEqual([1, []]);
  });

  it.each([301, 302, 307, 308])('goes nowhere else, even if a %i says so', async (status) => {
    const headers = { location: 'http://ai.hidden.example/elsewhere' };
    const { error, questions } = await failureOf([{ status, headers }, good]);
    expect(error).toMatchObject({ scope: 'service', message: `${dialect}: the address leads elsewhere` });
    expect(questions.length).toBe(1);
  });

  it.each([
    [200, '<!doctype html><title>Log in</title>', 'did not answer as its API does'],
    [200, '', 'did not answer as its API does'],
    [200, '{}', 'did not answer as its API does'],
    [200, 'null', 'did not answer as its API does'],
    [502, '<html>Bad gateway</html>', 'has a problem of its own (status 502)'],
  ])('finds no model behind a status of %i with %j', async (status, body, sentence) => {
    const { error } = await failureOf([{ status, body, headers: { 'content-type': 'text/html' } }]);
    const message = `${dialect}: ${sentence}`;
    expect(error).toMatchObject({ scope: 'service', message, usage: { calls: 3 } });
  });

  it('reads no more than a megabyte of an answer', async () => {
    const huge = { says: { ...goodAnswer, title_corrected: 'x'.repeat(5_000_000) } };
    const { error } = await failureOf([huge]);
    expect(error).toMatchObject({ scope: 'article', usage: { calls: 3 } });
    const { analyzer, signal } = await start([huge, good]);
    expect((await analyzer.analyze(request, signal)).analysis).toMatchObject(goodAnswer);
  });

  it('leaves out the temperature for a model that does not accept it, from then on', async () => {
    const complaint = { error: { message: "Unsupported value: 'temperature' does not support 0." } };
    const refused: Step = { status: 400, body: JSON.stringify(complaint) };
    const { analyzer, questions, pauses, signal } = await start([refused, good]);
    expect((await analyzer.analyze(request, signal)).usage.calls).toBe(2);
    expect((await analyzer.analyze(request, signal)).usage.calls).toBe(1);
    expect(questions.map(({ temperature }) => temperature)).toEqual([0, undefined, undefined]);
    expect(pauses).toEqual([]);
  });

  it('keeps the temperature if it was not to blame', async () => {
    const complaint: Step = { status: 400, body: '{"error":"A text about temperature was not accepted."}' };
    const { analyzer, questions, signal } = await start([complaint, complaint, good]);
    await expect(analyzer.analyze(request, signal)).rejects.toMatchObject({ scope: 'article' });
    await analyzer.analyze(request, signal);
    expect(questions.map(({ temperature }) => temperature)).toEqual([0, undefined, 0]);
  });

  it('says nothing of the key, the address and what the server wrote', async () => {
    for (const status of [400, 401, 404, 429, 500, 302]) {
      const body = `Incorrect API key: ${secretKey} at ai.hidden.example`;
      const { error } = await failureOf([{ status, body }]);
      expect(error.message).toMatch(new RegExp(`^${dialect}: [a-z ()0-9-]+$`, 'i'));
      expect(error.message).not.toMatch(/hunter22|hidden|Incorrect/);
      expect(inspect(error, { depth: 9 })).not.toContain(secretKey);
      // For the log there is more; of a 429 nothing is read.
      if (status !== 429) expect(inspect(error.cause)).toContain('Incorrect API key: [secret]');
    }
  });

  it('stops waiting at once when it is told to, and says what it took until then', async () => {
    const stop = new AbortController();
    const reason = new Error('the job was cancelled');
    const pause = () => {
      stop.abort(reason);
      return new Promise<void>(() => {});
    };
    const { analyzer, questions } = await start([{ status: 500 }], { pause });
    const error = await analyzer.analyze(request, stop.signal).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ cause: reason, usage: { calls: 1 } });
    expect(questions.length).toBe(1);
  });

  it('asks before every attempt whether it may call, and reports what it used when it may not', async () => {
    const stop = new AbortController();
    const lost = new Error('the lease is lost');
    const { analyzer, questions } = await start([{ status: 500 }]);
    let asked = 0;
    const beforeCall = async () => {
      if (++asked === 1) return;
      stop.abort(lost);
      throw lost;
    };
    const error = await analyzer.analyze(request, stop.signal, beforeCall).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ cause: lost, usage: { calls: 1 } });
    expect(questions.length).toBe(1);
  });

  it('tells what a call cost when the next one must not be made', async () => {
    const { analyzer, questions, signal } = await start([{ status: 500 }]);
    const away = new Error('the index does not answer');
    let asked = 0;
    const beforeCall = async () => {
      if (++asked > 1) throw away;
    };
    const error = await analyzer.analyze(request, signal, beforeCall).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AnalyzerFailure);
    expect(error).toMatchObject({ scope: 'interrupted', cause: away, usage: { calls: 1 } });
    expect(questions.length).toBe(1);
  });

  it('stops in the middle of a call, and does not begin one, when it is told to', async () => {
    const stop = new AbortController();
    const reason = new Error('the job was cancelled');
    const { analyzer, questions } = await start([{ does: 'hang' }]);
    const attempt = analyzer.analyze(request, stop.signal).catch((error: unknown) => error);
    await until('the call', () => questions.length === 1);
    stop.abort(reason);
    expect(await attempt).toBeInstanceOf(AnalyzerFailure);
    expect(await attempt).toMatchObject({ cause: reason, usage: { calls: 1 } });
    // Nothing was sent, so there is nothing to pay.
    await expect(analyzer.analyze(request, stop.signal)).rejects.toBe(reason);
    expect(questions.length).toBe(1);
  });

  it('believes no number of tokens that is none', async () => {
    const tokens = ['many', -5] as unknown as [number, number];
    const { analyzer, signal } = await start([{ ...good, tokens }]);
    expect((await analyzer.analyze(request, signal)).usage).toMatchObject({ tokensIn: 0, tokensOut: 0 });
    const most = await start([{ ...good, tokens: [1e300, 12] }]);
    expect((await most.analyzer.analyze(request, signal)).usage).toMatchObject({
      tokensIn: 0,
      tokensOut: 12,
    });
  });
});

describe('a provider with ways of its own', () => {
  const failure = async (dialect: 'gemini' | 'anthropic', body: string) => {
    const { analyzer, signal } = await startAi(dialect, [{ status: 400, body }]);
    return analyzer.analyze(request, signal).catch((error: unknown) => error);
  };

  it('says by a 400 that the key is wrong', async () => {
    const body = '{"error":{"status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}';
    expect(await failure('gemini', body)).toMatchObject({ scope: 'service' });
  });

  it('says by a 400 that there is no money left', async () => {
    const body = '{"error":{"message":"Your credit balance is too low to access the API."}}';
    expect(await failure('anthropic', body)).toMatchObject({ scope: 'service' });
  });

  it('knows no schema, or no limit for the length', async () => {
    const steps: [Step, ...Step[]] = [
      { status: 400, body: '{"error":"This response_format type is unavailable now"}' },
      { status: 422, body: '{"detail":[{"loc":["body","max_completion_tokens"]}]}' },
      good,
    ];
    const { analyzer, questions, signal } = await startAi('openai', steps);
    expect((await analyzer.analyze(request, signal)).usage.calls).toBe(3);
    const bodies = questions.map(({ body }) => JSON.parse(body));
    expect(bodies.map((body) => 'response_format' in body)).toEqual([true, false, false]);
    expect(bodies.map((body) => 'max_completion_tokens' in body)).toEqual([true, true, false]);
    expect(bodies[2].temperature).toBe(0);
  });

  it('lets no model be made to use a tool', async () => {
    const body = '{"error":{"message":"tool_choice: may not force tool use with this model"}}';
    const { analyzer, questions, signal } = await startAi('anthropic', [
      { status: 400, body },
      { says: JSON.stringify(goodAnswer) },
    ]);
    expect((await analyzer.analyze(request, signal)).analysis).toMatchObject(goodAnswer);
    expect(questions.map((asked) => 'tool_choice' in JSON.parse(asked.body))).toEqual([true, false]);
  });

  it('has models with names that are no part of a path', async () => {
    const { analyzer, questions, signal } = await startAi('gemini', [good], { model: 'models/../a?key=b#c' });
    await analyzer.analyze(request, signal);
    expect(questions[0]?.path).toBe('/base/v1beta/models/..%2Fa%3Fkey%3Db%23c:generateContent');
  });
});
