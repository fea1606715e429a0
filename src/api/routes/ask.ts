// Questions to the library. The one route whose contract is to wait for a language model.
import { z } from '@hono/zod-openapi';
import { TemporaryFailure } from '../../errors.ts';
import { searchKinds } from '../../model/search.ts';
import { askLibrary, askLimits } from '../../search/answer/ask-library.ts';
import { countQuestion } from '../../search/answer/ask-limit.ts';
import { createAskTurns } from '../../search/answer/ask-turns.ts';
import type { Gate } from '../authenticate.ts';
import type { ApiDeps } from '../context.ts';
import type { Router } from '../router.ts';
import { ErrorBodyV1, eventStream, json, jsonBody } from '../schemas.ts';
import { type SentEvent, sendEvents } from '../send-events.ts';

const AskInput = z
  .object({
    q: z.string().trim().min(1, 'expected a question').max(askLimits.question),
    kinds: z
      .array(z.enum(searchKinds))
      .min(1)
      .max(searchKinds.length)
      .optional()
      .openapi({ description: 'All when absent' }),
    limit: z
      .int()
      .min(1)
      .max(askLimits.most)
      .default(askLimits.usual)
      .openapi({ description: 'How many passages the answer may rest on' }),
  })
  .openapi('AskRequest');

/** Returns how to end the answers that are under way, and to refuse new questions. */
export function askRoutes(
  router: Router,
  { store, searchSources: sources, askModel: model, askPerDay, randomText, log, now, meaning }: ApiDeps,
  gate: Gate,
): { close(): void } {
  const turns = createAskTurns();
  const running = new Set<AbortController>();
  let isClosed = false;

  router.user(
    {
      method: 'post',
      path: '/api/v1/ask',
      tags: ['search'],
      summary: 'Ask your library; the answer names the passages that it rests on',
      request: { body: jsonBody(AskInput) },
      responses: {
        200: eventStream(
          'Server-sent events: `sources` with the numbered passages (n, kind, id, title, url, text), `delta` with a piece of the answer as `text`, then `done` with the `citations` used, whether it was `answered` and a `notice`, or `error` with a `code` and a `message`. Without a language model there are only `sources` and `done`',
        ),
        403: json(ErrorBodyV1, 'Not allowed: a foreign origin, or members may not ask questions here'),
        429: json(
          ErrorBodyV1,
          'Too many questions are being answered, or this member has reached the limit of the day; Retry-After says when to ask again',
        ),
      },
    },
    async (c) => {
      if (isClosed) throw new TemporaryFailure('this server stops; ask again');
      const { q, kinds, limit } = c.req.valid('json');
      const { user, rows } = c.get('actor');
      const giveBack = turns.take(user.id);
      const stop = new AbortController();
      running.add(stop);
      const onEnd = () => {
        giveBack();
        running.delete(stop);
      };
      try {
        // After everything else that may refuse a question. Without a model, a question costs nothing.
        if (model) await countQuestion(rows, { user, perDay: askPerDay, now: now() });
        const events = askLibrary(
          {
            ...{ store, sources, model, randomText, now, meaning },
            onFailure: (err) => log.warn({ err, requestId: c.get('requestId') }, 'a model did not answer'),
          },
          { userId: user.id, q, limit, ...(kinds && { kinds }) },
          stop.signal,
        );
        // What was found is awaited here: a failure until then is an answer like any other.
        const first = await events.next();
        return sendEvents(c, {
          events: startingWith(first, events),
          stop,
          onEnd,
          // A login that has ended may not cost the owner any more.
          isLoggedIn: () => gate.isLoggedIn(c),
          log,
        }) as never;
      } catch (error) {
        onEnd();
        throw error;
      }
    },
    // By POST, since a question is too private for a log of addresses.
    { scope: 'read' },
  );

  return {
    close() {
      isClosed = true;
      for (const stop of [...running]) stop.abort();
    },
  };
}

async function* startingWith<T extends SentEvent>(
  first: IteratorResult<T>,
  rest: AsyncGenerator<T>,
): AsyncGenerator<SentEvent> {
  try {
    if (!first.done) yield first.value;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}
