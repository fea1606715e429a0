// Asks after something for as long as somebody looks at the page: one question at a time, and none while it is hidden.
import { messageOf } from './api.ts';
import { toast } from './toasts.svelte.ts';
import { words } from './words.ts';

export interface Question {
  /** Asks, and takes in the answer. */
  readonly ask: () => Promise<void>;
  /** When to ask again. */
  readonly againInMs: () => number;
}

export class Looking {
  readonly #question: Question;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #underWay: Promise<void> | undefined;
  #isTold = false;
  #isWatched = false;

  constructor(question: Question) {
    this.#question = question;
  }

  /** Returns how to stop. */
  watch(): () => void {
    const onLook = () => {
      clearTimeout(this.#timer);
      if (!document.hidden) void this.look();
    };
    this.#isWatched = true;
    document.addEventListener('visibilitychange', onLook);
    onLook();
    return () => {
      this.#isWatched = false;
      document.removeEventListener('visibilitychange', onLook);
      clearTimeout(this.#timer);
    };
  }

  look(): Promise<void> {
    this.#underWay ??= this.#look().finally(() => {
      this.#underWay = undefined;
      this.lookLater();
    });
    return this.#underWay;
  }

  /** For what has changed meanwhile: the answer to a question of before may be of before. */
  async lookAnew(): Promise<void> {
    await this.#underWay;
    await this.look();
  }

  lookLater(): void {
    clearTimeout(this.#timer);
    if (!this.#isWatched || document.hidden || this.#underWay) return;
    this.#timer = setTimeout(() => this.look(), this.#question.againInMs());
  }

  async #look(): Promise<void> {
    clearTimeout(this.#timer);
    try {
      await this.#question.ask();
      this.#isTold = false;
    } catch (error) {
      // Once, not every half minute.
      if (!this.#isTold)
        toast(messageOf(error), {
          bad: true,
          action: { label: words().actions.retry, run: () => this.look() },
        });
      this.#isTold = true;
    }
  }
}
