// The only door to other hosts.
import type { Clock, RandomText } from '../model/glossary.ts';
import { createConnections } from './connections.ts';
import { decode, parseEncodings } from './decode.ts';
import { type OpenSocket, openTcpSocket } from './dial.ts';
import { isBodiless } from './exchange.ts';
import { Failure, toFailure } from './failure.ts';
import { type Arrived, type FollowDeps, follow, type Journey } from './follow.ts';
import { parseContentType } from './headers.ts';
import { joinShared } from './join-shared.ts';
import { type After, afterTimeout, defaultLimits, type Limits } from './limits.ts';
import {
  type BodyStream,
  type Failed,
  failedStatus,
  failedWith,
  fetched,
  type NotModified,
  type OutboundRequest,
  type Outcome,
  type StreamOutcome,
  type Validators,
} from './outcome.ts';
import { createPace, defaultPacing, type Pacing, type PauseMemory } from './pace.ts';
import { openPinningProxy, type PinningLimits, type PinningProxy } from './pinning-proxy.ts';
import type { Resolve } from './resolve.ts';
import { systemResolver } from './system-resolver.ts';

export interface OutboundDeps {
  readonly now: Clock;
  readonly randomText: RandomText;
  readonly userAgent: string;
  readonly allowPrivateNetworks: boolean;
  readonly pauses: PauseMemory;
  readonly limits?: Partial<Limits>;
  readonly pacing?: Partial<Pacing>;
  /** The rest is the world, for tests to stand in for. */
  readonly resolve?: Resolve;
  readonly openSocket?: OpenSocket;
  readonly after?: After;
  readonly trustedAuthorities?: string;
}

export interface Outbound {
  /** Never throws for what the other side does. */
  request(input: OutboundRequest): Promise<Outcome>;
  /** The same, with the body as it comes in. It holds a turn at the host until it is read to its end or left. */
  stream(input: OutboundRequest): Promise<StreamOutcome>;
  /** The same guard for a program that makes its own connections. Whoever opens it closes it. */
  openPinningProxy(limits?: Partial<PinningLimits>): Promise<PinningProxy>;
  /** Ends what is under way, and every kept connection. */
  close(): Promise<void>;
}

export function createOutbound(deps: OutboundDeps): Outbound {
  const { now, userAgent, allowPrivateNetworks, pauses, after = afterTimeout } = deps;
  const connections = createConnections();
  const closing = new AbortController();
  const baseLimits = { ...defaultLimits, ...deps.limits };
  const following: FollowDeps = {
    now,
    userAgent,
    pauses,
    after,
    connections,
    guard: { allowPrivateNetworks, resolve: deps.resolve ?? systemResolver({ allowPrivateNetworks }) },
    openSocket: deps.openSocket ?? openTcpSocket,
    trustedAuthorities: deps.trustedAuthorities,
    pace: createPace({ now, after }, { ...defaultPacing, ...deps.pacing }),
  };

  const stream = async (given: OutboundRequest): Promise<StreamOutcome> => {
    const limits = { ...baseLimits, ...given.limits };
    const signal = given.signal ? AbortSignal.any([given.signal, closing.signal]) : closing.signal;
    const input = { ...given, signal };
    const journey: Journey = { url: shownUrl(given.url), hops: [] };
    try {
      const arrived = await follow(following, input, limits, journey);
      return 'answer' in arrived ? await read(input, limits, journey, arrived) : arrived;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return failedWith(journey, error);
    }
  };

  return {
    stream,
    async request(input) {
      const outcome = await stream(input);
      if (outcome.kind !== 'body') return outcome;
      const { stream: pieces, ...facts } = outcome;
      try {
        const { maxBytes } = { ...baseLimits, ...input.limits };
        return { ...facts, bytes: await (input.shared ? joinShared(pieces, maxBytes) : collect(pieces)) };
      } catch (error) {
        return failedWith(outcome, toFailure(error));
      }
    },
    openPinningProxy: (limits) => openPinningProxy({ ...following, randomText: deps.randomText }, limits),
    async close() {
      closing.abort(new Failure('cancelled'));
      await connections.close();
    },
  };
}

/** What an answer means. The hop ends here, or with the body's stream. */
async function read(
  input: OutboundRequest,
  limits: Limits,
  { url, hops }: Journey,
  { answer, isConditional }: Arrived,
): Promise<BodyStream | NotModified | Failed> {
  const { status, headers } = answer;
  const where = { url, hops };
  const leave = <T>(outcome: T): T => {
    answer.discard();
    return outcome;
  };
  const sent: Validators = { url, etag: headers.etag, lastModified: headers['last-modified'] };
  const answered = { ...where, status, headers, sentence: fetched };

  if (status === 304 && isConditional) {
    const { etag = input.validators?.etag, lastModified = input.validators?.lastModified } = sent;
    // Waited for, so that the next request to this server finds the connection free.
    answer.discard();
    await answer.over;
    return { kind: 'not-modified', ...answered, validators: { url, etag, lastModified } };
  }
  const isManualRedirect = input.redirect === 'manual' && status >= 300 && status < 400;
  const isAccepted = (status >= 200 && status < 300) || isManualRedirect || input.acceptStatus?.(status);
  if (!isAccepted) return leave(failedStatus(where, status, headers));

  const { mediaType, charset } = parseContentType(headers['content-type']);
  if (input.mediaTypes && !input.mediaTypes.some((wanted) => isOfType(mediaType, wanted))) {
    return leave(failedWith(where, new Failure('media-type')));
  }
  let encodings: string[];
  try {
    encodings = isBodiless(input.method ?? 'GET', status) ? [] : parseEncodings(headers['content-encoding']);
    if (Number(headers['content-length']) > limits.maxBytes && input.method !== 'HEAD')
      throw new Failure('too-large');
  } catch (error) {
    return leave(failedWith(where, toFailure(error)));
  }
  const stream = leavable(decode(answer.body, encodings, limits.maxBytes), answer.discard);
  return { kind: 'body', ...answered, validators: sent, mediaType, charset, stream };
}

/** A generator that was never started has no `finally` to run, so leaving it before the first read is made to work. */
function leavable(
  pieces: AsyncGenerator<Uint8Array, void, undefined>,
  discard: () => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  const leave = (result: Promise<IteratorResult<Uint8Array, void>>) => {
    discard();
    return result;
  };
  return {
    next: () =>
      pieces.next().catch((error) => {
        discard();
        throw error;
      }),
    return: () => leave(pieces.return(undefined)),
    throw: (error) => leave(pieces.throw(error)),
    [Symbol.asyncIterator]() {
      return this;
    },
    [Symbol.asyncDispose]: async () => {
      await leave(pieces.return(undefined));
    },
  };
}

async function collect(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of pieces) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function isOfType(mediaType: string | undefined, wanted: string): boolean {
  if (mediaType === undefined) return false;
  return wanted.endsWith('/') ? mediaType.startsWith(wanted) : mediaType === wanted;
}

/** What may be reported of a URL that could not be used, whatever is wrong with it. */
function shownUrl(text: string): string {
  if (!URL.canParse(text)) return '';
  const url = new URL(text);
  url.username = '';
  url.password = '';
  return url.href;
}
