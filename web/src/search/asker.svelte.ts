// A question to the library, and its answer as it comes. One at a time; what has come stays when it is stopped.
import { ApiError, messageOf } from '../lib/api.ts';
import type { Passage } from '../lib/api-types.ts';
import { callForEvents } from '../lib/call-for-events.ts';
import { type AskRefusal, askRefusal } from './query-problem.ts';

export type AskState =
  /** Passages are looked for, or the model has not begun. */
  | 'looking'
  | 'answering'
  | 'answered'
  /** Passages alone: there is no model. */
  | 'passages'
  /** There is nothing in the library to answer from. */
  | 'nothing'
  | 'stopped'
  | 'failed';

/** What is left of it when the page is. */
export interface Answered {
  question: string;
  typed: string;
  state: AskState;
  passages: Passage[];
  text: string;
  citations: number[];
  notice: string | null;
}

export class Asker {
  /** Undefined as long as nothing was asked. */
  question: string | undefined = $state();
  /** What stood in the box. */
  typed = $state('');
  state = $state<AskState>('looking');
  passages = $state.raw<Passage[]>([]);
  text = $state('');
  citations = $state.raw<number[]>([]);
  notice: string | null = $state(null);
  problem = $state('');
  /** Where it does not help to ask again in a moment. */
  refusal: AskRefusal | undefined = $state.raw();
  #kinds: readonly string[] = [];
  #asking: AbortController | undefined;

  isUnderWay = $derived(this.question !== undefined && /^(looking|answering)$/.test(this.state));

  async ask(question: string, typed: string, kinds: readonly string[] = []): Promise<void> {
    this.forget();
    this.typed = typed;
    const asking = new AbortController();
    this.#asking = asking;
    this.#kinds = kinds;
    this.question = question;
    try {
      const body = { q: question, ...(kinds.length > 0 && { kinds }) };
      for await (const { event, data } of callForEvents('/api/v1/ask', body, asking.signal)) {
        if (asking.signal.aborted) return;
        this.#take(event, data as never);
      }
      // Ended without having said so: a server that stops, or a proxy that has waited long enough.
      if (this.isUnderWay && !asking.signal.aborted) this.#fail('');
    } catch (error) {
      if (asking.signal.aborted) return;
      if (error instanceof ApiError) this.refusal = askRefusal(error.said);
      this.#fail(messageOf(error));
    }
  }

  #take(
    event: string,
    data: {
      sources: Passage[];
      text: string;
      citations: number[];
      answered: boolean;
      notice: string | null;
      message: string;
    },
  ): void {
    if (event === 'sources') this.passages = data.sources;
    else if (event === 'delta') {
      this.text += data.text;
      if (this.passages.length > 0) this.state = 'answering';
    } else if (event === 'done') {
      this.citations = data.citations;
      this.notice = data.notice;
      this.state = this.passages.length === 0 ? 'nothing' : this.text === '' ? 'passages' : 'answered';
    } else if (event === 'error') this.#fail(data.message);
  }

  #fail(problem: string): void {
    this.problem = problem;
    this.state = 'failed';
  }

  again(): Promise<void> {
    return this.ask(this.question ?? '', this.typed, this.#kinds);
  }

  /** Ends what is under way, and keeps what has come of it. */
  stop(): void {
    if (!this.isUnderWay) return;
    this.#asking?.abort();
    this.state = 'stopped';
  }

  keep(): Answered | undefined {
    const { question, typed, state, passages, text, citations, notice } = this;
    if (question === undefined) return undefined;
    const stays = this.isUnderWay ? 'stopped' : state;
    return { question, typed, state: stays, passages, text, citations, notice };
  }

  putBack(answered: Answered): void {
    Object.assign(this, answered);
  }

  forget(): void {
    this.#asking?.abort();
    this.question = undefined;
    this.state = 'looking';
    this.passages = [];
    this.text = '';
    this.citations = [];
    this.notice = null;
    this.problem = '';
    this.refusal = undefined;
  }
}
