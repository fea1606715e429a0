// Faults by plan: at the Nth operation, or at the next operation of a name, something fails or the process "ends".
import { crashStride, seed } from './depth.ts';

/** The process ended here. After it the same Faults refuse everything, as a dead process would. */
export class CrashError extends Error {
  override readonly name = 'CrashError';
}

/** `before`: nothing of the operation happened. `after`: all of it did, and nobody was told. */
type Moment = 'before' | 'after';

export interface FaultPlan {
  /** Which of the counted operations fails, from 1. */
  readonly at?: number;
  /** A crash, or the system's name of an error, such as EIO. */
  readonly kind?: 'crash' | (string & {});
  readonly moment?: Moment;
  /** Count only these operations. */
  readonly only?: readonly string[];
}

export class Faults {
  #plan: FaultPlan;
  readonly #queue: { operation: string; kind: string; moment: Moment; times: number }[] = [];
  #count = 0;
  #fired: string | undefined;
  #isCrashed = false;

  constructor(plan: FaultPlan = {}) {
    this.#plan = plan;
  }

  /** The operation that failed by the plan or the queue, if any did. */
  get fired(): string | undefined {
    return this.#fired;
  }

  get count(): number {
    return this.#count;
  }

  /** The next `times` operations of this name fail, whatever the plan says. */
  failNext(operation: string, kind: string, { times = 1, moment = 'before' as Moment } = {}): void {
    this.#queue.push({ operation, kind, moment, times });
  }

  /** What was broken works again. */
  clear(): void {
    this.#plan = {};
    this.#queue.length = 0;
  }

  crash(): void {
    this.#isCrashed = true;
  }

  /** An operation that counts. `torn` is the half of it that a crash leaves behind. */
  async step<T>(operation: string, perform: () => Promise<T>, torn?: () => Promise<unknown>): Promise<T> {
    this.refuseIfCrashed();
    const isCounted = this.#plan.only === undefined || this.#plan.only.includes(operation);
    if (isCounted) this.#count++;
    const planned = isCounted && this.#plan.at === this.#count ? this.#plan : undefined;
    const fault = this.#next(operation) ?? planned;
    if (!fault) return perform();
    this.#fired = operation;
    const kind = fault.kind ?? 'crash';
    if (fault.moment === 'after') await perform();
    else if (kind === 'crash') await torn?.();
    throw this.#errorOf(kind, operation);
  }

  /** An operation that counts and is over at once, before which it may end. */
  pass(operation: string): void {
    this.refuseIfCrashed();
    this.#count++;
    if (this.#plan.at !== this.#count) return;
    this.#fired = operation;
    throw this.#errorOf(this.#plan.kind ?? 'crash', operation);
  }

  /** An operation that changes nothing: it does not count, and fails only when asked to by name. */
  async look<T>(operation: string, perform: () => Promise<T>): Promise<T> {
    this.refuseIfCrashed();
    const fault = this.#next(operation);
    if (!fault) return perform();
    this.#fired = operation;
    throw this.#errorOf(fault.kind, operation);
  }

  refuseIfCrashed(): void {
    if (this.#isCrashed) throw new CrashError('the process has ended');
  }

  #next(operation: string) {
    const index = this.#queue.findIndex((each) => each.operation === operation);
    const fault = this.#queue[index];
    if (fault && --fault.times <= 0) this.#queue.splice(index, 1);
    return fault;
  }

  #errorOf(kind: string, operation: string): Error {
    if (kind !== 'crash') return Object.assign(new Error(`${kind}: injected, ${operation}`), { code: kind });
    this.#isCrashed = true;
    return new CrashError(`the process ended at ${operation}`);
  }
}

/**
 * Runs the scenario with a fault at operation 1, 2, 3 ... until none fires, and returns the number of operations. `npm test`
 * tries a sample, `npm run test:deep` all. A scenario in which no fault ever fires tests nothing, and fails.
 */
export async function forEachFault(
  plan: Omit<FaultPlan, 'at'>,
  scenario: (faults: Faults, at: number) => Promise<void>,
  /** `stride` makes the sample sparser, even in a deep run; another `offset` tries other operations. */
  { stride: deepStride = 1, offset = 0 } = {},
): Promise<number> {
  const stride = deepStride * crashStride;
  // The first operation is always tried. The others start at an offset that differs from run to run.
  for (let at = 1; ; at += at === 1 ? 1 + ((seed + offset) % stride) : stride) {
    const faults = new Faults({ ...plan, at });
    try {
      await scenario(faults, at);
    } catch (error) {
      throw new Error(`with ${plan.kind ?? 'crash'} at operation ${at} (${faults.fired ?? 'none'})`, {
        cause: error,
      });
    }
    if (faults.fired !== undefined) continue;
    if (at === 1) throw new Error('no fault fired');
    return faults.count;
  }
}
