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
 * Makes the time of the database move with `clock`. It runs on in between, since it must not go back from one statement to
 * the next: the database is ahead of the clock by the time that the test has taken.
 * A database that goes by a clock already is left as it is.
 */
export function tieClocks(database: Database, clock: TestClock): void {
  const began = Date.now();
  database.timeOffsetMs ??= () => clock.now() - began;
}
