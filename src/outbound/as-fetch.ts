// Outbound in the shape of fetch(), for libraries that ask for one: OpenID Connect, the clients of language models.
import { Failure } from './failure.ts';
import type { Outbound } from './outbound.ts';
import type { BodyStream, OutboundRequest, StreamOutcome } from './outcome.ts';

type Defaults = Pick<
  OutboundRequest,
  'limits' | 'proxy' | 'unpaced' | 'evenPaused' | 'paceKey' | 'maxWaitMs'
>;

/** Headers that spoke of the body as it was sent, before it was decoded. */
const ofTheWire = ['content-encoding', 'content-length', 'transfer-encoding'];

export function asFetch(
  outbound: Pick<Outbound, 'stream'>,
  defaults: Defaults = {},
): typeof globalThis.fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const body = request.body === null ? undefined : new Uint8Array(await request.arrayBuffer());
    const outcome = await outbound.stream({
      ...defaults,
      url: request.url,
      method: request.method as NonNullable<OutboundRequest['method']>,
      headers: Object.fromEntries(request.headers),
      ...(body && { body }),
      signal: request.signal,
      redirect: request.redirect === 'follow' ? 'follow' : 'manual',
      acceptStatus: () => true,
    });
    request.signal.throwIfAborted();
    const response = responseOf(outcome);
    if (request.redirect !== 'error' || response.status < 300 || response.status > 399) return response;
    await response.body?.cancel();
    throw new TypeError('fetch failed', { cause: new Failure('bad-redirect') });
  };
}

function responseOf(outcome: StreamOutcome): Response {
  switch (outcome.kind) {
    case 'body':
      try {
        return responseWithBody(outcome);
      } catch (cause) {
        // Nobody else will, and until then the turn at the host is held.
        void outcome.stream.return();
        throw new TypeError('fetch failed', { cause });
      }
    case 'rate-limited':
      return new Response(outcome.sentence, {
        status: outcome.status ?? 429,
        headers: [
          ...Object.entries(outcome.headers ?? {}).filter(([name]) => name.startsWith('x-ratelimit-')),
          ['retry-after', new Date(outcome.retryAt).toUTCString()],
        ],
      });
    case 'gone':
    case 'not-modified':
      return new Response(null, { status: outcome.kind === 'gone' ? 410 : 304 });
    case 'failed':
      throw new TypeError('fetch failed', { cause: new Failure(outcome.reason, { cause: outcome.cause }) });
  }
}

/** Throws for what a server may answer and a Response cannot be, such as a status of 999. */
function responseWithBody({ url, status, headers, stream }: BodyStream): Response {
  if (status < 200 || status > 599) throw new Failure('protocol');
  const isNull = [204, 205, 304].includes(status);
  const response = new Response(isNull ? null : (ReadableStream.from(stream) as never), {
    status,
    headers: Object.entries(headers).filter(([name]) => !ofTheWire.includes(name)),
  });
  if (isNull) void stream.return();
  Object.defineProperty(response, 'url', { value: url });
  return response;
}
