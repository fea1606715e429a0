// Timers that run when the test says that time has passed, and not before.
import type { After } from '../../src/outbound/limits.ts';
import { TestClock } from './clock.ts';

export class TestTimers {
  readonly #clock: TestClock;
  readonly #timers = new Set<{ at: number; run: () => void }>();
  readonly now: () => number;

  constructor(clock = new TestClock()) {
    this.#clock = clock;
    this.now = clock.now;
  }

  readonly after: After = (delayMs, run) => {
    const timer = { at: this.now() + delayMs, run };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  };

  get pending(): number {
    return this.#timers.size;
  }

  /** In how long the next of them runs. */
  get nextInMs(): number {
    return Math.min(...[...this.#timers].map(({ at }) => at - this.now()));
  }

  /** Runs what comes due on the way, in its order, and lets what waits for it go on. */
  async advance(millis: number): Promise<void> {
    const until = this.now() + millis;
    for (;;) {
      await settled();
      const next = [...this.#timers].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
      if (!next) break;
      this.#timers.delete(next);
      this.#clock.advance(Math.max(0, next.at - this.now()));
      next.run();
    }
    this.#clock.advance(until - this.now());
    await settled();
  }
}

/** Everything that only waits for promises has gone on. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
