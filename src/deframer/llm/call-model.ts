// One call to a model, and what is to be made of whatever came of it.
import type { Clock } from '../../model/glossary.ts';
import type { FailureReason } from '../../outbound/failure.ts';
import type { Outbound } from '../../outbound/outbound.ts';
import type { Body, Failed, Outcome } from '../../outbound/outcome.ts';
import { namedRetryAfter } from '../../outbound/retry-after.ts';
import type { Dialect, LlmSettings, Question, Tokens } from './dialect.ts';
import type { Problem } from './parse-answer.ts';

export interface CallDeps {
  readonly outbound: Pick<Outbound, 'request'>;
  readonly now: Clock;
}

export type Called = Partial<Tokens> &
  (
    | { readonly kind: 'answered'; readonly content: unknown }
    | { readonly kind: 'malformed'; readonly problem: Problem; readonly cause?: unknown }
    /** Worth another try, after as long as the server has said. */
    | {
        readonly kind: 'not-now';
        readonly sentence: string;
        readonly afterMs?: number | undefined;
        readonly cause?: unknown;
      }
    | {
        readonly kind: 'over';
        readonly scope: 'article' | 'service';
        readonly sentence: string;
        readonly cause?: unknown;
      }
    /** The same without this parameter may be accepted. */
    | { readonly kind: 'parameter-refused'; readonly parameter: string; readonly cause: unknown }
  );

const maxBytes = 1024 * 1024;
const longestComplaint = 2_000;
/** Of what a server said, for the log. */
const maxDetail = 1_000;

export async function callModel(
  { outbound, now }: CallDeps,
  { dialect, settings, question }: { dialect: Dialect; settings: LlmSettings; question: Question },
  signal: AbortSignal,
): Promise<Called> {
  const { apiKey, timeoutMs } = settings;
  const outcome = await outbound.request({
    url: urlBelow(settings.baseUrl.reveal(), dialect.path(settings.model)),
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', ...dialect.headers },
    ...(apiKey && { credentials: { headers: dialect.keyHeaders(apiKey.reveal()) } }),
    body: JSON.stringify(dialect.body(question)),
    limits: { firstByteMs: timeoutMs, idleMs: timeoutMs, totalMs: timeoutMs, maxBytes },
    signal,
    unpaced: true,
    // Our own waiting is shorter than what is remembered for feeds.
    evenPaused: true,
    redirect: 'manual',
    acceptStatus: () => true,
  });
  // An answer that is there was paid for, whatever has happened meanwhile.
  if (outcome.kind !== 'body') signal.throwIfAborted();
  return calledFrom({ dialect, settings, question, now }, outcome);
}

/** With the query that Azure wants, if there is one. */
function urlBelow(baseUrl: string, path: string): string {
  const url = new URL(baseUrl);
  url.pathname = url.pathname.replace(/\/+$/, '') + path;
  return url.href;
}

interface Context {
  readonly dialect: Dialect;
  readonly settings: LlmSettings;
  readonly question: Question;
  readonly now: Clock;
}

function calledFrom(context: Context, outcome: Outcome): Called {
  switch (outcome.kind) {
    case 'body':
      return fromBody(context, outcome);
    case 'rate-limited': {
      const { named, status } = outcome;
      const afterMs = named === undefined ? undefined : named - context.now();
      return { kind: 'not-now', sentence: busy, afterMs, cause: new Error(`status ${status}`) };
    }
    case 'failed':
      return fromFailure(outcome);
    case 'gone':
    case 'not-modified':
      return { kind: 'over', scope: 'service', sentence: unknownHere };
  }
}

const busy = 'asks to be left alone for a while';
const unknownHere = 'the model or address is not known';
const notAccepted = 'the request was not accepted';

/** Another try would end the same way. */
const settled: readonly FailureReason[] = ['bad-url', 'blocked-address', 'cancelled'];

function fromFailure({ reason, cause }: Failed): Called {
  // No server answers at such length by itself: the model was made to.
  if (reason === 'too-large') return { kind: 'malformed', problem: 'length', cause };
  const sentence = reason.startsWith('timeout-') ? 'did not answer in time' : `no answer (${reason})`;
  return settled.includes(reason)
    ? { kind: 'over', scope: 'service', sentence, cause }
    : { kind: 'not-now', sentence, cause };
}

function fromBody(context: Context, outcome: Body): Called {
  const { status } = outcome;
  const text = new TextDecoder().decode(outcome.bytes);
  const cause = new Error(`status ${status}: ${detailOf(context.settings, text)}`);
  const over = (scope: 'article' | 'service', sentence: string): Called => ({
    kind: 'over',
    scope,
    sentence,
    cause,
  });
  if (status >= 200 && status < 300) return fromAnswer(context, text, cause);
  if (status >= 300 && status < 400) return over('service', 'the address leads elsewhere');
  if (status === 401 || status === 403) return over('service', 'the key was refused');
  if (status === 402) return over('service', 'the account has no money left');
  if (status === 404 || status === 410) return over('service', unknownHere);
  if (status === 400 || status === 413 || status === 422) return fromComplaint(context, text, cause);
  if (status === 408 || status === 409 || status === 425 || status >= 500) {
    const at = namedRetryAfter(outcome.headers['retry-after'], context.now());
    const afterMs = at === undefined ? undefined : at - context.now();
    const sentence = status === 529 || status === 503 ? busy : `has a problem of its own (status ${status})`;
    return { kind: 'not-now', sentence, afterMs, cause };
  }
  return over('service', `${notAccepted} (status ${status})`);
}

function fromAnswer({ dialect }: Context, text: string, cause: unknown): Called {
  const answer = parseJson(text);
  const tokens = dialect.tokens(answer);
  const reply = dialect.read(answer);
  switch (reply.kind) {
    case 'answer':
      return { kind: 'answered', content: reply.content, ...tokens };
    case 'cut-off':
      return { kind: 'malformed', problem: 'length', ...tokens };
    case 'refused':
      return { kind: 'over', scope: 'article', sentence: 'declined to answer', cause, ...tokens };
    case 'odd':
      return { kind: 'not-now', sentence: 'did not answer as its API does', cause, ...tokens };
  }
}

/** The server blames what it was sent: a parameter, the account behind it, or the article. */
function fromComplaint({ dialect, question }: Context, text: string, cause: unknown): Called {
  // Not in what a server repeats of the question: an article may well be about temperature.
  const complaint = text.slice(0, longestComplaint);
  const parameter = dialect.optional.find(
    (name) =>
      !question.without.has(name) &&
      new RegExp(`\\b${name}\\b`).test(complaint) &&
      !new RegExp(`\\b${name}\\b`).test(question.user),
  );
  if (parameter !== undefined) return { kind: 'parameter-refused', parameter, cause };
  if (dialect.blamesAccount?.test(text))
    return { kind: 'over', scope: 'service', sentence: 'the key or the account was refused', cause };
  return { kind: 'over', scope: 'article', sentence: notAccepted, cause };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** For the log, where the key has no place even if the server repeats it. */
function detailOf({ apiKey }: LlmSettings, text: string): string {
  return (apiKey?.maskedIn(text) ?? text).slice(0, maxDetail);
}
