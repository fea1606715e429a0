// Asks for a page, once and politely, and says what came of it: something to read, a host that wants to be left alone, or
// a failure that passes or does not.
import type { Clock, Millis } from '../model/glossary.ts';
import { Failure, type FailureReason, sentenceOf } from '../outbound/failure.ts';
import type { HostTurns } from '../outbound/host-turns.ts';
import type { Outbound } from '../outbound/outbound.ts';
import type { BodyStream, StreamOutcome } from '../outbound/outcome.ts';
import { namedRetryAfter } from '../outbound/retry-after.ts';
import { imageKind } from './page/image-kind.ts';

export interface FetchPageDeps {
  readonly outbound: Pick<Outbound, 'stream'>;
  /** So that one slow host does not fill all places of a worker. */
  readonly turns: HostTurns;
  readonly now: Clock;
}

export interface FetchedPage {
  readonly kind: 'page';
  /** Where the redirects led. */
  readonly url: string;
  /** One of those that can be read; undefined for anything else, which was not fetched. */
  readonly mediaType: string | undefined;
  readonly charset: string | undefined;
  readonly bytes: Uint8Array;
}

/** The host wants no request now. Nothing has failed. */
export interface PutOff {
  readonly kind: 'put-off';
  readonly until: Millis;
  /** False when nothing was asked, since the host had said so before or others came first. */
  readonly wasAsked: boolean;
  readonly sentence: string;
}

export interface PageFailure {
  readonly kind: 'failed';
  /** Asking again would end the same way. */
  readonly isForGood: boolean;
  readonly reason: FailureReason | 'gone';
  readonly status: number | undefined;
  /** For people: nothing of addresses or of our own network is in it. */
  readonly sentence: string;
  readonly retryAfterMs: number | undefined;
}

export type PageOutcome = FetchedPage | PutOff | PageFailure;

const headBytes = 1024;
const megabyte = 1024 * 1024;
const mostHtmlBytes = 10 * megabyte;
const mostBytes = 30 * megabyte;
const accept =
  'text/html, application/xhtml+xml, application/pdf;q=0.9, text/plain;q=0.9, image/*;q=0.8, */*;q=0.5';

/** Throws Later when a worker has enough of that host in hand, and what the signal was aborted with. */
export async function fetchPage(
  { outbound, turns, now }: FetchPageDeps,
  { url, proxy, signal }: { url: string; proxy?: string | undefined; signal: AbortSignal },
): Promise<PageOutcome> {
  const leave = turns.enter(url);
  try {
    const outcome = await outbound.stream({
      url,
      proxy,
      signal,
      headers: { accept },
      limits: { totalMs: 30_000, maxBytes: mostBytes },
      maxWaitMs: 20_000,
    });
    const page = outcome.kind === 'body' ? await readBody(outcome) : failureOf(outcome, now());
    signal.throwIfAborted();
    return page;
  } finally {
    leave();
  }
}

async function readBody(answer: BodyStream): Promise<FetchedPage | PageFailure> {
  const { url, charset, stream } = answer;
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    let mediaType = readableType(answer.mediaType);
    if (mediaType === 'unknown') {
      pieces.push(await readHead(stream));
      mediaType = typeByContent(pieces[0] ?? new Uint8Array());
    }
    if (mediaType === undefined) {
      await stream.return();
      return { kind: 'page', url, mediaType, charset, bytes: new Uint8Array() };
    }
    const most = isDocument(mediaType) ? mostBytes : mostHtmlBytes;
    for (const piece of pieces) size += piece.length;
    for await (const piece of stream) {
      pieces.push(piece);
      size += piece.length;
      if (size > most) throw new Failure('too-large');
    }
    return { kind: 'page', url, mediaType, charset, bytes: Buffer.concat(pieces) };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return failed(error.reason);
  }
}

/** What can be made a copy or a picture of. `unknown` for what a server says of files that it knows nothing about. */
export function readableType(mediaType: string | undefined): string | undefined {
  if (mediaType === undefined || /^(application|binary)\/octet-stream$/.test(mediaType)) return 'unknown';
  const isReadable =
    /^(text|image)\//.test(mediaType) ||
    /^application\/(xhtml\+xml|pdf|x-pdf|json|xml)$|^application\/[\w.-]+\+(json|xml)$/.test(mediaType);
  return isReadable ? mediaType : undefined;
}

/** So much as it takes to tell what it is, however small the pieces that a server sends. */
async function readHead(stream: BodyStream['stream']): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for (let size = 0; size < headBytes; ) {
    const { value, done } = await stream.next();
    if (done) break;
    pieces.push(value);
    size += value.length;
  }
  return Buffer.concat(pieces);
}

function typeByContent(bytes: Uint8Array): string | undefined {
  const beginning = Buffer.from(bytes.subarray(0, headBytes)).toString('latin1');
  if (beginning.startsWith('%PDF-')) return 'application/pdf';
  const image = imageKind(bytes);
  if (image) return image === 'svg' ? 'image/svg+xml' : `image/${image}`;
  return /^[\s\xef\xbb\xbf]*<(!doctype html|html|head|body|!--)/i.test(beginning) ? 'text/html' : undefined;
}

function isDocument(mediaType: string): boolean {
  return /pdf$|^image\//.test(mediaType);
}

/** How long each failure lasts. What is not in our hands may be otherwise in a minute; what a site says of itself is not. */
const passing: Readonly<Record<Exclude<FailureReason, 'http-status'>, boolean>> = {
  'blocked-address': false,
  dns: true,
  refused: true,
  'timeout-connect': true,
  'timeout-first-byte': true,
  'timeout-idle': true,
  'timeout-total': true,
  tls: false,
  'too-large': false,
  'too-many-redirects': false,
  'bad-redirect': false,
  'bad-encoding': false,
  'headers-too-large': false,
  reset: true,
  truncated: true,
  'media-type': false,
  protocol: false,
  'bad-url': false,
  cancelled: true,
  proxy: true,
};

/** 408: too slow; 425: too early; 429: too often, by a server that pauses did not stop; the rest is their own trouble. */
function isPassingStatus(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500;
}

/** Pure, and the one place where it is decided which failures are tried again. */
export function failureOf(outcome: Exclude<StreamOutcome, BodyStream>, now: Millis): PutOff | PageFailure {
  switch (outcome.kind) {
    case 'rate-limited':
      return {
        kind: 'put-off',
        until: outcome.retryAt,
        wasAsked: outcome.status !== undefined,
        sentence: outcome.sentence,
      };
    case 'gone':
      return { ...failed('gone', outcome.status), sentence: outcome.sentence };
    case 'not-modified':
      return failed('protocol', outcome.status);
    case 'failed': {
      const { reason, status, sentence, headers } = outcome;
      const retryAt = namedRetryAfter(headers?.['retry-after'], now);
      const retryAfterMs = retryAt === undefined ? undefined : Math.max(0, retryAt - now);
      return { ...failed(reason, status), sentence, retryAfterMs };
    }
  }
}

function failed(reason: PageFailure['reason'], status?: number): PageFailure {
  const isPassing =
    reason === 'gone' ? false : reason === 'http-status' ? isPassingStatus(status ?? 0) : passing[reason];
  const sentence = reason === 'gone' ? '' : sentenceOf(reason);
  return { kind: 'failed', isForGood: !isPassing, reason, status, sentence, retryAfterMs: undefined };
}
