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
