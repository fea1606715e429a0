// One request's turn: at one host at a time. The old one ends before the next is waited for, so that no two requests
// wait for each other in a circle.
import type { OutboundRequest } from './outcome.ts';
import type { EndTurn, Pace } from './pace.ts';

export class Turn {
  readonly #pace: Pace;
  readonly #input: OutboundRequest;
  #key: string | undefined;
  #end: EndTurn = () => {};

  constructor(pace: Pace, input: OutboundRequest) {
    this.#pace = pace;
    this.#input = input;
  }

  /**
   * False when there was nothing to wait for: a redirect within a host goes on in the same turn. Throws TurnTooLate when
   * the request may not wait any longer; then it has no turn anywhere.
   */
  async take(key: string): Promise<boolean> {
    if (key === this.#key || this.#input.unpaced) return false;
    this.end();
    const { signal, maxWaitMs } = this.#input;
    this.#end = await this.#pace.enter(key, signal, maxWaitMs);
    this.#key = key;
    return true;
  }

  end(): void {
    this.#end();
    this.#key = undefined;
  }

  endWith<T>(outcome: T): T {
    this.end();
    return outcome;
  }
}
