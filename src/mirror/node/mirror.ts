// The mirror on Node: in the worker as a job whenever a batch is due, or by hand. One at a time, by its lease.
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { Conflict, Invalid } from '../../errors.ts';
import type { Library } from '../../library/library.ts';
import type { Log } from '../../log.ts';
import type { Clock } from '../../model/glossary.ts';
import type { Secret } from '../../model/secret.ts';
import { asFetch } from '../../outbound/as-fetch.ts';
import type { Outbound } from '../../outbound/outbound.ts';
import { jobKind } from '../../store/job-queue/job-kind.ts';
import type { Lease } from '../../store/lease-store.ts';
import type { Store } from '../../store/store.ts';
import { withLease } from '../../store/with-lease.ts';
import { takeMessage } from '../chain.ts';
import type { BatchMessage, BatchResult, MirrorHost } from '../host.ts';
import { mostCopyBytes } from '../raindrop-api.ts';
import { beginning, readRun, readSchedule, stateKeys, writeSchedule } from '../run-state.ts';
import { libraryObjects } from './library-objects.ts';
import { storeIndex } from './store-index.ts';

export interface MirrorDeps {
  readonly store: Store;
  readonly library: Pick<Library, 'files' | 'requireWriter'>;
  readonly outbound: Pick<Outbound, 'stream' | 'request'>;
  readonly raindrop: { readonly token: Secret | undefined; readonly apiUrl: string };
  readonly now: Clock;
  readonly random: () => number;
  readonly log: Log;
  /** Tests let time pass by themselves. */
  readonly pause?: MirrorHost['pause'];
  /** What a batch has stored may have highlights. Called after each, and does nothing the second time. */
  readonly onStored: (userId: number) => Promise<void>;
}

export interface BatchOptions {
  readonly holder: string;
  readonly signal: AbortSignal;
  /** Without the pauses of politeness; those that Raindrop asks for are kept. */
  readonly noWait?: boolean;
}

export const mirrorKind = jobKind({
  name: 'mirror-batch',
  schema: z.object({ page: z.number().int().min(0), cursor: z.string() }),
  lane: 'low',
  // Fifty requests at six to ten a minute.
  timeoutMs: 60 * 60_000,
  // A library that is away comes back within a day; until then one job waits for it, and no heap of dead ones grows.
  maxAttempts: 24,
  backoff: { firstMs: 60_000, longestMs: 3_600_000 },
});
export const mirrorKey = 'mirror';

export const mirrorLease = 'mirror';
export const leaseTtlMs = 60_000;

export const notConfigured =
  'No token of Raindrop is set. Make a test token at https://app.raindrop.io/settings/integrations and set LECTERN_RAINDROP_TOKEN.';

/** Puts the batch that is due into the queue, if one is. */
export async function scheduleMirror(
  { store, now, raindrop }: Pick<MirrorDeps, 'store' | 'now' | 'raindrop'>,
  { evenEarly = false } = {},
): Promise<boolean> {
  // Before there is an owner, there is nobody whose raindrops they would be.
  if (!raindrop.token || !(await store.users.findOwner())) return false;
  const state = store.mirrorState;
  const due = (await readSchedule(state, now())) ?? 0;
  if (!evenEarly && due > now()) return false;
  const message = await messageNow({ store, now }, { isDue: due <= now() });
  return (await store.jobs.enqueue(mirrorKind, message, { uniqueKey: mirrorKey })).isNew;
}

/** One batch, under the lease. Undefined when nothing was due. Throws Conflict while another process is at it. */
export async function runMirrorBatch(
  deps: MirrorDeps,
  message: BatchMessage,
  options: BatchOptions,
): Promise<BatchResult | undefined> {
  const { store, library } = deps;
  const owner = await store.users.findOwner();
  if (!owner) throw new Invalid('There is no owner yet: set up Lectern first.');
  const request = { name: mirrorLease, holder: options.holder, ttlMs: leaseTtlMs };
  const done = await withLease(store.leases, request, async ({ lease, signal: lost }) => {
    const signal = AbortSignal.any([options.signal, lost]);
    await library.requireWriter();
    const result = await takeMessage(mirrorHost(deps, { ...options, signal }, owner.id, lease), message);
    // Even if there was nothing: one that ended before this has left it to us.
    await deps.onStored(owner.id);
    return { result };
  });
  if (!done) throw new Conflict('Another process is at the mirror.');
  return done.result;
}

function mirrorHost(
  deps: MirrorDeps,
  { signal, noWait = false }: BatchOptions,
  userId: number,
  lease: Lease,
): MirrorHost {
  const { store, library, outbound, raindrop, now, random, log } = deps;
  if (!raindrop.token) throw new Invalid(notConfigured);
  const pause = deps.pause ?? ((ms: number) => wait(ms, undefined, { signal }));
  const fetchFrom = asFetch(outbound, {
    // The mirror has a pace of its own, and heeds what the server asks for itself.
    unpaced: true,
    evenPaused: true,
    // A little more than the mirror takes, so that it is the one to say that a copy is too large.
    limits: { maxBytes: mostCopyBytes + 1024 * 1024, totalMs: 5 * 60_000 },
  });
  return {
    objects: libraryObjects(library.files),
    index: storeIndex(store.forUser(userId), lease),
    state: {
      get: (key) => store.mirrorState.get(key),
      set: (key, value) => store.mirrorState.set(key, value, lease),
    },
    fetch: (url, init) =>
      fetchFrom(url, { ...init, signal: init.signal ? AbortSignal.any([signal, init.signal]) : signal }),
    now,
    pause: async (ms, required = false) => {
      signal.throwIfAborted();
      if (!noWait || required) await pause(ms, required);
    },
    random,
    signal,
    api: { url: raindrop.apiUrl.replace(/\/$/, ''), token: raindrop.token.reveal() },
    log: (message, facts = {}) => log.warn(facts, message),
  };
}

/** What comes next, made due if it is not. */
export async function messageNow(
  { store, now }: Pick<MirrorDeps, 'store' | 'now'>,
  { isDue = false } = {},
): Promise<BatchMessage> {
  const state = store.mirrorState;
  if (!isDue) await writeSchedule(state, { due: now(), now: now() });
  const { phase, page } = await readRun(state);
  return {
    page: phase === 'idle' ? 0 : page,
    cursor: (await state.get(stateKeys.cursor)) ?? beginning,
  };
}
