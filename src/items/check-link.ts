// Asks whether the page of a saved item is still there, for people who have switched that on: as little of it as a server
// will give, and of one host one page at a time.
import { z } from 'zod';
import { Later } from '../errors.ts';
import type { Clock } from '../model/glossary.ts';
import type { JobFence } from '../model/job.ts';
import type { Outbound } from '../outbound/outbound.ts';
import type { StreamOutcome } from '../outbound/outcome.ts';
import { jobKind } from '../store/job-queue/job-kind.ts';
import type { LinkRef, LinkStore } from '../store/link-store.ts';
import { answerOf, firstCheckWithinMs, isRefusalOfHead, linkAfter } from './link-policy.ts';

/** A page that is not there is no failed job: the link's own schedule says when to ask again. */
export const checkLinkKind = jobKind({
  name: 'check-link',
  schema: z.object({ itemId: z.int(), userId: z.int() }),
  lane: 'low',
  timeoutMs: 3 * 60_000,
  maxAttempts: 3,
  pool: 'pages',
});

/** In the queue at one time. */
const inQueue = 20;
const longestPauseMs = 24 * 3_600_000;
/** A worker's place is not kept for a host that has many waiting. */
const patience = { limits: { totalMs: 20_000 }, maxWaitMs: 20_000 };
const headers = { accept: 'text/html, application/xhtml+xml, */*;q=0.8' };

export interface CheckLinkDeps {
  readonly links: LinkStore;
  readonly outbound: Pick<Outbound, 'stream'>;
  /** One at a time of each host: throws Later when there is one already. */
  readonly turns: { enter(url: string): () => void };
  readonly now: Clock;
}

/** Follows what people have and want, and puts what is due into the queue. Returns how many. */
export async function scheduleLinkChecks({ links }: { readonly links: LinkStore }): Promise<number> {
  await links.follow({ firstWithinMs: firstCheckWithinMs });
  return links.enqueueDue(checkLinkKind, (ref) => ref, { inQueue });
}

export async function checkLink(
  deps: CheckLinkDeps,
  ref: LinkRef,
  { fence, signal }: { readonly fence: JobFence; readonly signal: AbortSignal },
): Promise<void> {
  const { links, turns, now } = deps;
  const url = await links.findUrl(ref);
  if (url === undefined) return links.settle(fence, ref);
  const leave = turns.enter(url);
  try {
    const answer = answerOf(await ask(deps, url, signal));
    signal.throwIfAborted();
    if (answer.kind !== 'put-off') {
      await links.settle(fence, ref, (before) => linkAfter(before, answer, now()));
      return;
    }
    throw new Later(Math.min(longestPauseMs, Math.max(0, answer.until - now())));
  } finally {
    leave();
  }
}

/** The head of it, and where that is refused, the page itself, of which nothing is read. */
async function ask({ outbound }: CheckLinkDeps, url: string, signal: AbortSignal): Promise<StreamOutcome> {
  const head = await left(await outbound.stream({ url, method: 'HEAD', headers, signal, ...patience }));
  if (!isRefusalOfHead(head)) return head;
  return left(await outbound.stream({ url, headers, signal, ...patience }));
}

async function left(outcome: StreamOutcome): Promise<StreamOutcome> {
  if (outcome.kind === 'body') await outcome.stream.return();
  return outcome;
}
