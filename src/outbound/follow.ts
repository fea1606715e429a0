// A request from its first hop to its last: each one resolved, checked, paced and paused by itself.
import type { Clock } from '../model/glossary.ts';
import { type Destination, findDestination } from './connect.ts';
import { type Answer, type ExchangeDeps, exchange } from './exchange.ts';
import { Failure } from './failure.ts';
import { headersFor, splitHeaders } from './headers.ts';
import { type Limits, Stop } from './limits.ts';
import {
  crowdedOut,
  type Gone,
  gone,
  type Hop,
  type OutboundRequest,
  type RateLimited,
  rateLimited,
} from './outcome.ts';
import { type Pace, type PauseMemory, paceKeyOf, TurnTooLate } from './pace.ts';
import { parseProxy } from './proxy.ts';
import { namedRetryAfter, pauseAfter } from './retry-after.ts';
import { isPermanent, isRedirect, methodAfter, parseLocation, parseTarget } from './target.ts';
import { Turn } from './turn.ts';

export interface FollowDeps extends ExchangeDeps {
  readonly now: Clock;
  readonly userAgent: string;
  readonly pace: Pace;
  readonly pauses: PauseMemory;
}

/** Where a request has come to: changed from hop to hop, and still readable when one of them fails. */
export interface Journey {
  url: string;
  readonly hops: Hop[];
}

export interface Arrived {
  readonly answer: Answer;
  /** Whether the server was asked for changes only: without that, it cannot answer "not modified". */
  readonly isConditional: boolean;
}

/** What the next hop asks for. */
interface Step {
  readonly url: URL;
  readonly method: string;
  readonly body: string | Uint8Array | undefined;
  /** Still at the origin that the caller named, and never away from it since. */
  readonly isOwnOrigin: boolean;
}

/** Throws a Failure; then no turn is held. Of an answer, the turn is held until its hop is over. */
export async function follow(
  deps: FollowDeps,
  input: OutboundRequest,
  limits: Limits,
  journey: Journey,
): Promise<Arrived | RateLimited | Gone> {
  const target = parseTarget(input.url);
  const proxy = input.proxy === undefined ? undefined : parseProxy(input.proxy);
  const split = splitHeaders(input, target);
  const turn = new Turn(deps.pace, input);
  const { userAgent } = deps;
  const { validators, signal } = input;
  let step: Step = { url: target.url, method: input.method ?? 'GET', body: input.body, isOwnOrigin: true };
  let leftMs = limits.totalMs;
  const counted = async <T>(work: () => Promise<T>): Promise<T> => {
    const startedAt = deps.now();
    const result = await work();
    leftMs -= Math.max(0, deps.now() - startedAt);
    return result;
  };

  try {
    for (;;) {
      const { url, body, isOwnOrigin } = step;
      journey.url = url.href;
      const find = () => findDestination(deps, url, proxy);
      const destination = await counted(() => inTime(deps, signal, { ...limits, leftMs }, find));
      if (leftMs <= 0) throw new Failure('timeout-total');
      const key = keyOf(destination, input.paceKey ?? target.url.href);
      const pausedUntil = await takeTurn(deps, turn, key, input.evenPaused);
      if (pausedUntil !== undefined) return turn.endWith(rateLimited(journey, pausedUntil));

      const hasBody = body !== undefined;
      const headers = headersFor({ split, userAgent, url: url.href, isOwnOrigin, hasBody, validators });
      const request = { ...step, destination, headers, limits, leftMs, signal };
      const answer = await counted(() => exchange(deps, request));

      const { status } = answer;
      const retryAt = pauseAfter(status, answer.headers['retry-after'], deps.now());
      if (retryAt !== undefined) {
        answer.discard();
        await deps.pauses.remember(key, retryAt);
        const named = namedRetryAfter(answer.headers['retry-after'], deps.now());
        return turn.endWith(rateLimited(journey, retryAt, { status, named, headers: answer.headers }));
      }
      if (status === 410 && !input.acceptStatus?.(status)) {
        answer.discard();
        return turn.endWith(gone(journey));
      }
      const { location } = answer.headers;
      if (input.redirect === 'manual' || !isRedirect(status) || location === undefined) {
        void answer.over.then(() => turn.end());
        return { answer, isConditional: 'if-none-match' in headers || 'if-modified-since' in headers };
      }
      answer.discard();
      step = redirected(step, status, location, journey);
      if (journey.hops.length > limits.maxRedirects) throw new Failure('too-many-redirects');
    }
  } catch (error) {
    turn.end();
    if (error instanceof TurnTooLate) return crowdedOut(journey, deps.now());
    throw error;
  }
}

function redirected(step: Step, status: number, location: string, { hops }: Journey): Step {
  const url = parseLocation(location, step.url);
  hops.push({ url: step.url.href, status, permanent: isPermanent(status) });
  const method = methodAfter(status, step.method);
  const body = method === step.method ? step.body : undefined;
  const isSameOrigin = url.origin === step.url.origin;
  // A form or a key in a body is as secret as one in a header.
  if (body !== undefined && !isSameOrigin) throw new Failure('bad-redirect');
  // Without cookies, a page that leads back to itself will do so for ever.
  if (method === step.method && hops.some((hop) => hop.url === url.href))
    throw new Failure('too-many-redirects');
  return { url, method, body, isOwnOrigin: step.isOwnOrigin && isSameOrigin };
}

/** Through a proxy it is a key of its own: a user's proxy can forge a 429, and must not pause a domain for all others. */
function keyOf({ host, hostname, proxy }: Destination, callersKey: string): string {
  const key = paceKeyOf(host ?? { hostname, isPrivate: false }, callersKey);
  return proxy ? `via:${proxy.hostname}:${proxy.port}:${key}` : key;
}

/** Until when the host is to be left alone, if it is. Asked once before the turn, so that nobody waits for a "no",
 * and once after, for what was learnt meanwhile. */
async function takeTurn(
  deps: FollowDeps,
  turn: Turn,
  key: string,
  evenPaused = false,
): Promise<number | undefined> {
  const pausedUntil = evenPaused ? undefined : await findPause(deps, key);
  if (pausedUntil !== undefined) return pausedUntil;
  const hasWaited = await turn.take(key);
  return hasWaited && !evenPaused ? findPause(deps, key) : undefined;
}

async function findPause({ pauses, now }: FollowDeps, key: string): Promise<number | undefined> {
  const untilMs = await pauses.find(key);
  return untilMs !== undefined && untilMs > now() ? untilMs : undefined;
}

async function inTime<T>(
  { after }: FollowDeps,
  signal: AbortSignal | undefined,
  { connectMs, leftMs }: { connectMs: number; leftMs: number },
  work: () => Promise<T>,
): Promise<T> {
  const stop = new Stop(after, signal);
  stop.within(connectMs, 'timeout-connect');
  stop.within(leftMs, 'timeout-total');
  try {
    return await stop.race(work);
  } finally {
    stop.dispose();
  }
}
