// One signed request to the bucket: its deadline, its retries, and what a refusal means.
import { AwsV4Signer } from 'aws4fetch';
import { Unavailable } from '../../errors.ts';
import type { Clock } from '../../model/glossary.ts';
import { parseErrorCode } from './s3-list-xml.ts';
import type { S3Location } from './s3-url.ts';

export interface S3Deps {
  readonly now: Clock;
  /** Waits between two attempts. */
  readonly pause: (millis: number) => Promise<void>;
  readonly fetch?: typeof fetch;
  /** The fixed part of the time limit of a request; see `timeLimitMs`. */
  readonly timeoutMs?: number;
  /** Where a large stream waits until its hash is known; the system's temporary folder unless given. */
  readonly spoolFolder?: string;
}

export interface S3Request {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  /** The whole key, prefix included; none is the bucket itself. */
  readonly objectKey?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: {
    readonly content: Uint8Array | Blob;
    readonly sizeBytes: number;
    readonly sha256: string;
  };
  /** Aborting it ends the request with the reason. */
  readonly signal?: AbortSignal | undefined;
}

/** The transfer of an answer's body, under the request's own deadline until it is taken over. */
export interface Transfer {
  takeOver(): void;
  stop(reason: Error): void;
}

/** What a request leads to, read from an answer with status 2xx, or 404 for a key. */
export type ReadAnswer<T> = (response: Response, transfer: Transfer) => Promise<T> | T;

type RequestBody = NonNullable<RequestInit['body']>;

const maxAttempts = 5;
const firstPauseMs = 200;
const defaultTimeoutMs = 30_000;
/** A slower transfer than this is taken for a dead one. */
const minBytesPerMs = 64;
const sha256OfNothing = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** Refusals with another status than 5xx that pass: see "Error responses" in the reference of S3. */
const transientCodes = new Set(['RequestTimeout', 'SlowDown', 'OperationAborted']);

/** Worth another attempt: the server or the way to it failed, not the request. */
export class Transient extends Error {
  override readonly name = 'Transient';
}

/**
 * Everything sent here may be sent twice: a PUT replaces the whole object, a DELETE of nothing is fine. A server that does not
 * answer is not waited for five times: no attempt begins after the time limit of the first one, unless the server did answer and
 * the transfer broke off.
 */
export async function send<T>(
  deps: S3Deps,
  location: S3Location,
  request: S3Request,
  read: ReadAnswer<T>,
): Promise<T> {
  const limitMs = timeLimitMs(deps, request.body?.sizeBytes);
  const startedAt = performance.now();
  for (let attempt = 1; ; attempt++) {
    request.signal?.throwIfAborted();
    let hasAnswered = false;
    const readAnswer: ReadAnswer<T> = (response, transfer) => {
      hasAnswered = true;
      return read(response, transfer);
    };
    try {
      return await sendOnce(deps, location, { ...request, limitMs }, readAnswer);
    } catch (error) {
      if (!(error instanceof Transient)) throw error;
      const isTooLate = !hasAnswered && performance.now() - startedAt >= limitMs;
      if (attempt === maxAttempts || isTooLate) {
        throw new Unavailable(
          'library',
          `LECTERN_LIBRARY_URL: ${location.shown} did not answer as it should in ${attempt} ` +
            `${attempt === 1 ? 'attempt' : 'attempts'} (${error.message})`,
          { cause: error, publicMessage },
        );
      }
      await deps.pause(firstPauseMs * 2 ** (attempt - 1));
    }
  }
}

/** Bucket and endpoint are for the operator alone. */
export const publicMessage = 'The library cannot be reached at the moment.';

export function timeoutOf(deps: S3Deps): number {
  return deps.timeoutMs ?? defaultTimeoutMs;
}

/** A fixed part, and the time that the body takes at the lowest accepted speed. */
function timeLimitMs(deps: S3Deps, bodyBytes = 0): number {
  return timeoutOf(deps) + bodyBytes / minBytesPerMs;
}

async function sendOnce<T>(
  deps: S3Deps,
  location: S3Location,
  request: S3Request & { readonly limitMs: number },
  read: ReadAnswer<T>,
): Promise<T> {
  const { limitMs } = request;
  const { url, headers } = await sign(deps, location, request);
  const controller = new AbortController();
  const stop = (reason: Error) => controller.abort(reason);
  const timer = setTimeout(
    () => stop(new Transient(`no answer in ${Math.round(limitMs / 1000)} s`)),
    limitMs,
  );
  try {
    const response = await (deps.fetch ?? fetch)(url, {
      method: request.method,
      headers,
      ...(request.body ? { body: request.body.content as RequestBody } : {}),
      // A redirect names another region; followed, its signature would be wrong.
      redirect: 'manual',
      signal: request.signal ? AbortSignal.any([request.signal, controller.signal]) : controller.signal,
    });
    if (!response.ok) await refusal(location, request, response);
    return await read(response, { takeOver: () => clearTimeout(timer), stop });
  } catch (error) {
    throw transientIfNetwork(error);
  } finally {
    clearTimeout(timer);
  }
}

async function sign(deps: S3Deps, location: S3Location, request: S3Request) {
  const url = new URL(
    request.objectKey === undefined ? location.bucketUrl : `${location.bucketUrl}/${request.objectKey}`,
  );
  for (const [name, value] of Object.entries(request.query ?? {})) url.searchParams.set(name, value);
  const signed = await new AwsV4Signer({
    method: request.method,
    url: url.href,
    headers: { ...request.headers, 'x-amz-content-sha256': request.body?.sha256 ?? sha256OfNothing },
    accessKeyId: location.credentials.accessKeyId,
    secretAccessKey: location.credentials.secretAccessKey.reveal(),
    service: 's3',
    region: location.region,
    datetime: new Date(deps.now()).toISOString().replace(/[:-]|\.\d{3}/g, ''),
  }).sign();
  // After signing: proxies (Google's, Cloudflare's) rewrite this header, which would break the signature.
  signed.headers.set('accept-encoding', 'identity');
  return signed;
}

/** Returns for a 404 that means "no such key"; throws for every other refusal. */
async function refusal(location: S3Location, request: S3Request, response: Response): Promise<void> {
  const { status } = response;
  const code = parseErrorCode(await beginningOf(response));
  const answered = `${status}${code ? ` ${code}` : ''}`;
  if (status >= 500 || status === 429 || status === 408 || (code !== undefined && transientCodes.has(code))) {
    throw new Transient(`it answered ${answered}`);
  }
  const isKeyMissing = request.objectKey !== undefined && status === 404 && code !== 'NoSuchBucket';
  if (isKeyMissing) return;
  throw new Unavailable(
    'library',
    `LECTERN_LIBRARY_URL: ${meaningOf({ location, response, code, answered })}`,
    { publicMessage },
  );
}

function meaningOf(refused: {
  location: S3Location;
  response: Response;
  code: string | undefined;
  answered: string;
}): string {
  const { location, response, code, answered } = refused;
  const region = response.headers.get('x-amz-bucket-region');
  if (response.status === 404)
    return `there is no bucket "${location.bucket}" (${location.shown}, ${answered})`;
  if (response.status >= 300 && response.status < 400) {
    const hint = region && /^[a-z0-9-]{1,40}$/.test(region) ? `; set region=${region}` : '';
    return `${location.shown} is in another region or at another address (${answered})${hint}`;
  }
  if (code === 'RequestTimeTooSkewed') {
    return `${location.shown} refuses, because the clock of this machine is wrong (${answered})`;
  }
  if (response.status === 401 || response.status === 403) {
    return `${location.shown} refuses the key id and secret, or what they may do (${answered})`;
  }
  return `${location.shown} answered ${answered}`;
}

/** Enough of an error to find its code. A HEAD has no body at all. */
async function beginningOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    sizeBytes += chunk.byteLength;
    if (sizeBytes > 16_384) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** fetch() rejects with a TypeError when the network fails, at once or in the middle of a body. */
export function transientIfNetwork(error: unknown): unknown {
  if (!(error instanceof TypeError) || !/^(fetch failed|terminated)$/.test(error.message)) return error;
  const cause = error.cause instanceof Error ? error.cause : error;
  return new Transient('code' in cause ? String(cause.code) : cause.message, { cause: error });
}
