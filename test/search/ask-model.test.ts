// Models of three providers, on loopback servers that stream, break off, hang and refuse.
import { describe, expect, it } from 'vitest';
import { type Model, ModelFailure } from '../../src/search/answer/ask-model.ts';
import { hiddenHost, providers, type Script, secretKey, startModel } from '../support/model-server.ts';

const prompt = { system: 'Rules.', user: 'A question.' };

async function read(model: Model, signal = new AbortController().signal) {
  const answer = model.answer(prompt, signal);
  let text = '';
  for (;;) {
    const next = await answer.next();
    if (next.done) return { text, ending: next.value };
    text += next.value;
  }
}

/** What a person is told, which names no secret. */
async function failureOf(model: Model, signal?: AbortSignal): Promise<string> {
  const error = await read(model, signal).then(
    (answer) => new Error(`answered: ${JSON.stringify(answer)}`),
    (failure: unknown) => failure as Error,
  );
  expect(error).toBeInstanceOf(ModelFailure);
  expect(error.message).not.toContain(secretKey);
  expect(error.message).not.toContain(hiddenHost);
  expect(String((error.cause as Error)?.message)).not.toContain(secretKey);
  return error.message;
}

describe.each(providers)('%s', (provider) => {
  it('answers piece by piece', async () => {
    const { model, asked } = await startModel(provider, (answer) => {
      answer.says('The lighthouse ', 'is red', ' [1].');
      answer.ends();
    });
    expect(await read(model)).toEqual({ text: 'The lighthouse is red [1].', ending: 'whole' });
    const [{ path, headers, body } = { path: '', headers: {}, body: '' }] = asked;
    expect(path).toMatch(/^\/base\/.*api-version=1/);
    expect(JSON.stringify(headers)).toContain(secretKey);
    expect(path + body).not.toContain(secretKey);
    expect(body).toContain('A question.');
    expect(body).toContain('Rules.');
  });

  it('says when it was made to stop', async () => {
    const { model } = await startModel(provider, (answer) => {
      answer.says('A long');
      answer.ends('limit');
    });
    expect(await read(model)).toEqual({ text: 'A long', ending: 'limit' });
  });

  const failures: [string, Script, RegExp][] = [
    ['a refusal', (answer) => answer.ends('refused'), /declined to answer$/],
    ['an error on the way', (answer) => answer.says('A').ends('error'), /error of its own$/],
    ['an end before the end', (answer) => answer.says('A').closes(), /the answer broke off$/],
    ['a cut', (answer) => answer.says('A').breaks(), /broke off$/],
    ['no events', (answer) => answer.raw('{"choices":').closes(), /as its API does$/],
    ['other events', (answer) => answer.raw('data: [1, {"a": 2}]\n\ndata: x\n\n').closes(), /API does$/],
    ['a rate limit', (answer) => answer.status(429, { 'retry-after': '60' }), /left alone for a while$/],
    ['a wrong key', (answer) => answer.status(401), /the key was refused$/],
    ['an unknown model', (answer) => answer.status(404), /not known$/],
    ['a redirect', (answer) => answer.status(307, { location: 'http://127.0.0.1/' }), /leads elsewhere$/],
    ['a server in trouble', (answer) => answer.status(500), /problem of its own \(status 500\)$/],
    ['a connection that is closed', (answer) => answer.breaks(), /could not be reached$/],
  ];
  it.each(failures)('says what %s is, and nothing that is secret', async (_, script, expected) => {
    const { model } = await startModel(provider, script);
    expect(await failureOf(model)).toMatch(expected);
  });

  it.each(['at once', 'in the middle'])('is not waited for when it falls silent %s', async (when) => {
    const timers: { delayMs: number; run: () => void }[] = [];
    const spoke = Promise.withResolvers<void>();
    const { model } = await startModel(
      provider,
      (answer) => {
        if (when === 'in the middle') answer.says('A');
        spoke.resolve();
      },
      {
        after: (delayMs, run) => {
          const timer = { delayMs, run };
          timers.push(timer);
          return () => void timers.splice(timers.indexOf(timer), 1);
        },
      },
    );
    const answer = model.answer(prompt, new AbortController().signal);
    if (when === 'in the middle') expect(await answer.next()).toEqual({ done: false, value: 'A' });
    const waiting = answer.next().then(
      () => 'answered',
      (error: Error) => error.message,
    );
    await spoke.promise;
    // All of the time is over at once, however it is divided.
    await new Promise((resolve) => setImmediate(resolve));
    for (const { run } of [...timers]) run();
    expect(await waiting).toMatch(when === 'at once' ? /did not answer in time$/ : /fell silent$/);
  });

  it('is left when nobody waits any more', async () => {
    const { model, gone } = await startModel(provider, (answer) => answer.says('A'));
    const stop = new AbortController();
    const answer = model.answer(prompt, stop.signal);
    expect(await answer.next()).toEqual({ done: false, value: 'A' });
    stop.abort();
    await expect(answer.next()).rejects.toBeInstanceOf(ModelFailure);
    await gone;
  });

  it('is left when its answer is not read to the end', async () => {
    const { model, gone } = await startModel(provider, (answer) => answer.says('A'));
    const answer = model.answer(prompt, new AbortController().signal);
    expect(await answer.next()).toEqual({ done: false, value: 'A' });
    await answer.return('whole');
    await expect(gone).resolves.toBeUndefined();
  });
});
