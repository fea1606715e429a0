// The mirror as the page knows it: asked after for as long as somebody looks, more often while something happens.
import { get, messageOf, post } from '../lib/api.ts';
import type { Mirror } from '../lib/api-types.ts';
import { toast } from '../lib/toasts.svelte.ts';
import { words } from '../lib/words.ts';
import { lookAgainMs } from './standing.ts';

const path = '/api/v1/mirror';
/** A worker takes what was called for within a moment; if none does, none is there. */
const beginsWithinMs = 60_000;

export class MirrorWatch {
  mirror: Mirror | undefined = $state.raw();
  /** What came of calling for a batch. */
  asked: 'started' | 'under-way' | null = $state(null);
  isAsking = $state(false);
  #askedAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #looking: Promise<void> | undefined;
  #told = false;
  #isWatched = false;

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

  /** One question at a time. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
      this.#lookLater();
    });
    return this.#looking;
  }

  async run(): Promise<void> {
    if (this.isAsking) return;
    this.isAsking = true;
    this.asked = null;
    try {
      const { data } = await post<{ data: { started: boolean } }>(`${path}/run`);
      this.asked = data.started ? 'started' : 'under-way';
      this.#askedAt = Date.now();
    } catch (error) {
      toast(messageOf(error), { bad: true });
    }
    // What was asked for before may be of before.
    await this.#looking;
    await this.look();
    this.isAsking = false;
  }

  async #look(): Promise<void> {
    clearTimeout(this.#timer);
    try {
      const { data } = await get<{ data: Mirror }>(path);
      // What was promised has begun, or what was under way is over.
      if (data.running ? this.asked === 'started' : this.mirror?.running) this.#forgetAsked();
      this.mirror = data;
      this.#told = false;
    } catch (error) {
      // Once, not every half minute.
      if (!this.#told)
        toast(messageOf(error), {
          bad: true,
          action: { label: words().actions.retry, run: () => this.look() },
        });
      this.#told = true;
    }
  }

  #forgetAsked(): void {
    this.asked = null;
    this.#askedAt = 0;
  }

  #lookLater(): void {
    clearTimeout(this.#timer);
    if (!this.#isWatched || document.hidden) return;
    const isAsked = Date.now() - this.#askedAt < beginsWithinMs;
    this.#timer = setTimeout(() => this.look(), lookAgainMs(this.mirror, isAsked));
  }
}
