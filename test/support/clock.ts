import type { Database } from '../../src/store/database.ts';

/** A clock that stands still until it is told to move. */
export class TestClock {
  #millis: number;

  constructor(at = Date.UTC(2026, 0, 1)) {
    this.#millis = at;
  }

  readonly now = (): number => this.#millis;

  advance(millis: number): void {
    this.#millis += millis;
  }
}

/**
 * Ties the database time to `clock`. Real time still passes, so the database runs ahead by the duration of the test. Does nothing
 * if a clock is already tied.
 */
export function tieClocks(database: Database, clock: TestClock): void {
  const began = Date.now();
  database.timeOffsetMs ??= () => clock.now() - began;
}
