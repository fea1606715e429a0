// What a request can be asked and what can come of it.
import type { Millis } from '../model/glossary.ts';
import { type Failure, type FailureReason, sentenceOf, sentenceOfStatus } from './failure.ts';
import type { Limits } from './limits.ts';

/**
 * What a server gave to ask "has it changed?" by: kept and sent back byte for byte, and to this URL only, since an ETag
 * means nothing elsewhere. After a redirect the URL is the last one.
 */
export interface Validators {
  readonly url: string;
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
}

/** Sent to the origin of the URL that was asked for, and to no other. */
export interface Credentials {
  readonly basic?: { readonly username: string; readonly password: string };
  /** Such as Authorization, Cookie, X-Api-Key. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface OutboundRequest {
  /** http: or https:. A user and password in it are taken as Basic credentials and never reported. */
  readonly url: string;
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Authorization, Cookie and the like are treated as credentials here too. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly validators?: Validators | undefined;
  readonly credentials?: Credentials | undefined;
  /** http:, https:, socks5: or socks5h:, with user:password@ where it needs them. */
  readonly proxy?: string | undefined;
  readonly limits?: Partial<Limits>;
  readonly signal?: AbortSignal | undefined;
  /** Whose turn it takes on a private network; the URL unless given. */
  readonly paceKey?: string | undefined;
  /** No waiting for a turn: for an API that the operator has set up. Pauses that it asks for are still kept. */
  readonly unpaced?: boolean;
  /** Ask although the host has asked to be left alone: for a person who insists. */
  readonly evenPaused?: boolean;
  /** How long to wait for a turn, at each host on the way: `rate-limited` after that. Until it comes, unless given. */
  readonly maxWaitMs?: number | undefined;
  /** `manual`: a redirect is an answer like any other. */
  readonly redirect?: 'follow' | 'manual';
  /** Media types of an answer that is wanted: `text/html`, or `image/` for all of a kind. */
  readonly mediaTypes?: readonly string[];
  /** Which statuses besides 2xx come as `body`. */
  readonly acceptStatus?: (status: number) => boolean;
  /** The bytes of the answer are wanted in shared memory, for a thread that reads them. */
  readonly shared?: boolean;
}

/** A redirect that was followed. */
export interface Hop {
  readonly url: string;
  readonly status: number;
  /** 301 or 308: the server says that the old address may be forgotten. */
  readonly permanent: boolean;
}

interface Common {
  /** The last URL that was asked for, without credentials. */
  readonly url: string;
  readonly hops: readonly Hop[];
  /** For people. Says nothing of addresses, ports or our own network. */
  readonly sentence: string;
}

export interface Answered extends Common {
  readonly status: number;
  /** Names in lower case; without cookies. */
  readonly headers: Readonly<Record<string, string>>;
  /** To be kept in place of the old ones, both: one that is undefined was not sent, and is to be forgotten. */
  readonly validators: Validators;
}

export interface BodyFacts extends Answered {
  readonly kind: 'body';
  /** In lower case, without parameters. */
  readonly mediaType: string | undefined;
  readonly charset: string | undefined;
}

export interface Body extends BodyFacts {
  readonly bytes: Uint8Array;
}

export interface BodyStream extends BodyFacts {
  /** Decoded, under the same limits; throws a Failure when it breaks off. Must be read to its end or left by return(). */
  readonly stream: AsyncGenerator<Uint8Array, void, undefined>;
}

export interface NotModified extends Answered {
  readonly kind: 'not-modified';
}

export interface RateLimited extends Common {
  readonly kind: 'rate-limited';
  readonly retryAt: Millis;
  /** The time that the server named in this answer, if it did: up to a year away. */
  readonly named: Millis | undefined;
  /** Undefined when nothing was asked: the host had said so before, or others were still waiting for their turn. */
  readonly status: number | undefined;
  /** Of that answer: some say in words of their own for how long. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface Gone extends Common {
  readonly kind: 'gone';
  readonly status: 410;
}

export interface Failed extends Common {
  readonly kind: 'failed';
  readonly reason: FailureReason;
  readonly status?: number | undefined;
  /** Of an answer that was not what was asked for. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** For the log, never for the asker. */
  readonly cause?: unknown;
}

export type Outcome = Body | NotModified | RateLimited | Gone | Failed;
export type StreamOutcome = BodyStream | NotModified | RateLimited | Gone | Failed;

type Where = Pick<Common, 'url' | 'hops'>;

/** By then several of those who wait will have had their turn. */
const crowdedOutMs = 30_000;

export const fetched = 'The server has answered.';

/** Outcomes are made from others, and only this much of them carries over. */
const whereOf = ({ url, hops }: Where): Where => ({ url, hops });

export function rateLimited(
  where: Where,
  retryAt: Millis,
  answer: {
    readonly status?: number;
    readonly named?: Millis | undefined;
    readonly headers?: Readonly<Record<string, string>>;
  } = {},
): RateLimited {
  return {
    kind: 'rate-limited',
    ...whereOf(where),
    retryAt,
    named: answer.named,
    status: answer.status,
    headers: answer.headers,
    sentence: 'The server asks to be left alone for a while.',
  };
}

/** The host is well, and has said nothing: there were too many of us. */
export function crowdedOut(where: Where, nowMs: Millis): RateLimited {
  const sentence = 'Other requests to this host come first.';
  return { ...rateLimited(where, nowMs + crowdedOutMs), sentence };
}

export function gone(where: Where): Gone {
  return {
    kind: 'gone',
    ...whereOf(where),
    status: 410,
    sentence: 'The server says that this is gone for good.',
  };
}

export function failedWith(where: Where, failure: Failure): Failed {
  const { reason, cause } = failure;
  return { kind: 'failed', ...whereOf(where), reason, cause: cause ?? failure, sentence: sentenceOf(reason) };
}

export function failedStatus(
  where: Where,
  status: number,
  headers: Readonly<Record<string, string>>,
): Failed {
  const isChallenge = status === 403 && headers['cf-mitigated'] === 'challenge';
  return {
    kind: 'failed',
    ...whereOf(where),
    reason: 'http-status',
    status,
    headers,
    sentence: sentenceOfStatus(status, isChallenge),
  };
}
