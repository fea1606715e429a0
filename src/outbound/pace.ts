// Turns: how many requests a host sees at once, how close together, and how long it is left alone when it says so.
import { getDomain } from 'tldts';
import { isFromFuture } from '../model/clock-jump.ts';
import type { Clock, Millis } from '../model/glossary.ts';
import type { After } from './limits.ts';
import { cancelled } from './limits.ts';
import type { CheckedHost } from './resolve.ts';

/** Until when which hosts are to be left alone. Kept where a restart does not forget it. */
export interface PauseMemory {
  find(key: string): Promise<number | undefined>;
  remember(key: string, untilMs: number): Promise<void>;
}

export interface Pacing {
  readonly maxConcurrent: number;
  /** Between the starts of two requests. */
  readonly gapMs: number;
}

export const defaultPacing: Pacing = { maxConcurrent: 2, gapMs: 500 };

/** The turn did not come in the time that the caller had for it. */
export class TurnTooLate extends Error {
  override readonly name = 'TurnTooLate';
}

/** Ends the turn. Calling it twice does no harm. */
export type EndTurn = () => void;

export interface Pace {
  /**
   * Resolves when it is this caller's turn. Callers of one key come in the order they asked; other keys never wait.
   * Throws TurnTooLate when that has not happened in time; without a time, it waits until it does.
   */
  enter(key: string, signal?: AbortSignal, maxWaitMs?: number): Promise<EndTurn>;
  /** Keys that are in use or were so a moment ago. */
  readonly size: number;
}

interface Lane {
  running: number;
  nextStartAt: Millis;
  /** When it comes to the front and there is room, it starts. */
  readonly waiting: Set<() => void>;
  cancelTimer: (() => void) | undefined;
}

/**
 * On the internet the registrable domain, so that a farm of feeds is asked as one; a.github.io and b.github.io are two.
 * On a private network the caller's own key, since one host there serves feeds of many origins (RSSHub, RSS-Bridge).
 */
export function paceKeyOf(host: Pick<CheckedHost, 'hostname' | 'isPrivate'>, callersKey: string): string {
  if (host.isPrivate) return `private:${callersKey}`;
  const hostname = host.hostname.toLowerCase().replace(/\.$/, '');
  return `domain:${getDomain(hostname, { allowPrivateDomains: true }) ?? hostname}`;
}

export function createPace(
  { now, after }: { now: Clock; after: After },
  { maxConcurrent, gapMs }: Pacing = defaultPacing,
): Pace {
  const lanes = new Map<string, Lane>();

  const advance = (key: string, lane: Lane): void => {
    lane.cancelTimer?.();
    lane.cancelTimer = undefined;
    for (;;) {
      const isIdle = lane.running === 0 && lane.waiting.size === 0;
      const waitMs = lane.nextStartAt - now();
      if (isIdle && waitMs <= 0) {
        lanes.delete(key);
        return;
      }
      if (!isIdle && (lane.waiting.size === 0 || lane.running >= maxConcurrent)) return;
      if (waitMs > 0) {
        // The clock may be set back meanwhile; nobody waits longer than one gap for that.
        lane.nextStartAt = now() + Math.min(waitMs, gapMs);
        lane.cancelTimer = after(Math.min(waitMs, gapMs), () => advance(key, lane));
        return;
      }
      const [start] = lane.waiting;
      if (!start) return;
      lane.waiting.delete(start);
      lane.running += 1;
      lane.nextStartAt = now() + gapMs;
      start();
    }
  };

  return {
    get size() {
      return lanes.size;
    },

    enter(key, signal, maxWaitMs = Number.POSITIVE_INFINITY) {
      const lane = lanes.get(key) ?? {
        running: 0,
        nextStartAt: 0,
        waiting: new Set<() => void>(),
        cancelTimer: undefined,
      };
      lanes.set(key, lane);
      return new Promise((resolve, reject) => {
        if (signal?.aborted) {
          advance(key, lane);
          return reject(cancelled(signal));
        }
        let cancelWait = () => {};
        const stopWaiting = () => {
          cancelWait();
          signal?.removeEventListener('abort', onAbort);
        };
        const leave = (reason: Error) => {
          stopWaiting();
          lane.waiting.delete(start);
          advance(key, lane);
          reject(reason);
        };
        const onAbort = () => signal && leave(cancelled(signal));
        const start = () => {
          stopWaiting();
          let isOver = false;
          resolve(() => {
            if (isOver) return;
            isOver = true;
            lane.running -= 1;
            advance(key, lane);
          });
        };
        signal?.addEventListener('abort', onAbort, { once: true });
        lane.waiting.add(start);
        advance(key, lane);
        if (!Number.isFinite(maxWaitMs) || !lane.waiting.has(start)) return;
        cancelWait = after(maxWaitMs, () => {
          // A turn that comes at this very moment comes in time, whichever timer runs first.
          advance(key, lane);
          if (lane.waiting.has(start)) leave(new TurnTooLate());
        });
      });
    },
  };
}

/** For a process by itself, and for tests: forgets at its end, and a pause when it is over. */
export function memoryOfPauses(now: Clock): PauseMemory {
  const pauses = new Map<string, { untilMs: Millis; writtenAt: Millis }>();
  return {
    async find(key) {
      const pause = pauses.get(key);
      if (pause && (pause.untilMs <= now() || isFromFuture(pause.writtenAt, now()))) pauses.delete(key);
      return pauses.get(key)?.untilMs;
    },
    async remember(key, untilMs) {
      pauses.set(key, { untilMs, writtenAt: now() });
    },
  };
}
