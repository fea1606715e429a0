// The mirror as the page knows it: asked after for as long as somebody looks, more often while something happens.
import { get, messageOf, post } from '../lib/api.ts';
import type { Mirror } from '../lib/api-types.ts';
import { Looking } from '../lib/looking.ts';
import { toast } from '../lib/toasts.svelte.ts';
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
  readonly #looking = new Looking({
    ask: () => this.#ask(),
    againInMs: () => lookAgainMs(this.mirror, Date.now() - this.#askedAt < beginsWithinMs),
  });

  /** Returns how to stop. */
  watch = () => this.#looking.watch();

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
    await this.#looking.lookAnew();
    this.isAsking = false;
  }

  async #ask(): Promise<void> {
    const { data } = await get<{ data: Mirror }>(path);
    // What was promised has begun, or what was under way is over.
    if (data.running ? this.asked === 'started' : this.mirror?.running) this.#forgetAsked();
    this.mirror = data;
  }

  #forgetAsked(): void {
    this.asked = null;
    this.#askedAt = 0;
  }
}
