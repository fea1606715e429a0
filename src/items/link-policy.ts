// What an answer says about the page of a saved item, and when to ask again. Pure. Only what is surely gone is called dead:
// a server that answers, but not with the page, may simply not want to talk to programs.
import type { Millis } from '../model/glossary.ts';
import type { FailureReason } from '../outbound/failure.ts';
import type { StreamOutcome } from '../outbound/outcome.ts';

export type LinkAnswer =
  | { readonly kind: 'there'; readonly status: number }
  /** Nothing was asked, since the host is to be left alone or others come first. */
  | { readonly kind: 'put-off'; readonly until: Millis }
  | {
      /** The server says that it is gone for good; there is nothing; nobody can say. */
      readonly kind: 'gone' | 'missing' | 'unsure';
      readonly status: number;
      readonly sentence: string;
      /** Not before this, if the server said so. */
      readonly until?: Millis;
    };

/** What is known of a link. */
export interface LinkState {
  readonly state: '' | 'ok' | 'dead' | 'unsure';
  readonly httpStatus: number;
  /** In a row. */
  readonly failures: number;
  readonly deadSince: Millis | null;
  readonly sentence: string;
}

export interface LinkChange extends LinkState {
  readonly nextCheckAt: Millis;
}

const dayMs = 86_400_000;
const whenWellMs = 30 * dayMs;
const whenUnsureMs = 7 * dayMs;
/** After the first failure in a row, the second, the third: the third is at least four days after the first. */
const afterFailuresMs = [1 * dayMs, 3 * dayMs, 7 * dayMs];
const failuresOfTheDead = 3;

export const firstCheckWithinMs = 7 * dayMs;

/** Nobody answers there, or not as the web does. Anything else that fails has a server that is alive. */
const nobodyThere: readonly FailureReason[] = [
  'dns',
  'refused',
  'timeout-connect',
  'timeout-first-byte',
  'timeout-idle',
  'timeout-total',
  'reset',
  'truncated',
  'protocol',
];

export function answerOf(outcome: StreamOutcome): LinkAnswer {
  switch (outcome.kind) {
    case 'body':
    case 'not-modified':
      return { kind: 'there', status: outcome.status };
    case 'gone':
      return { kind: 'gone', status: outcome.status, sentence: outcome.sentence };
    case 'rate-limited': {
      const { status, retryAt, sentence } = outcome;
      if (status === undefined) return { kind: 'put-off', until: retryAt };
      return { kind: 'unsure', status, sentence, until: retryAt };
    }
    case 'failed': {
      const { reason, status = 0, sentence } = outcome;
      const isMissing = reason === 'http-status' ? status === 404 : nobodyThere.includes(reason);
      return { kind: isMissing ? 'missing' : 'unsure', status, sentence };
    }
  }
}

/** Whether a server may only have refused to be asked for the head of a page. */
export function isRefusalOfHead(outcome: StreamOutcome): boolean {
  if (outcome.kind !== 'failed') return false;
  const { reason, status = 0 } = outcome;
  if (reason === 'http-status') return [403, 404, 405, 501].includes(status);
  return ['reset', 'truncated', 'protocol', 'timeout-first-byte'].includes(reason);
}

export function linkAfter(
  before: LinkState,
  answer: Exclude<LinkAnswer, { kind: 'put-off' }>,
  now: Millis,
): LinkChange {
  const { status: httpStatus } = answer;
  if (answer.kind === 'there')
    return { ...well, state: 'ok', httpStatus, sentence: '', nextCheckAt: now + whenWellMs };
  const { sentence } = answer;
  if (answer.kind === 'unsure') {
    const nextCheckAt = Math.max(answer.until ?? 0, now + whenUnsureMs);
    return { ...well, state: 'unsure', httpStatus, sentence, nextCheckAt };
  }
  const failures = before.failures + 1;
  const isDead = answer.kind === 'gone' || failures >= failuresOfTheDead || before.state === 'dead';
  const pauseMs = answer.kind === 'gone' ? whenWellMs : (afterFailuresMs[failures - 1] ?? whenWellMs);
  return {
    state: isDead ? 'dead' : 'unsure',
    httpStatus,
    failures,
    deadSince: isDead ? (before.deadSince ?? now) : null,
    sentence,
    nextCheckAt: now + pauseMs,
  };
}

const well = { failures: 0, deadSince: null };
