// What goes wrong on the way to Raindrop and back, as a test orders it.

export type Fault =
  /** An answer instead of the right one. */
  | { readonly status: number; readonly body?: string | object; readonly headers?: Record<string, string> }
  /** The connection is torn down before anything is answered. */
  | 'reset'
  /** Nothing is ever answered. */
  | 'hang'
  /** The connection is torn down after half of the bytes that were announced. */
  | 'truncate'
  /** Half of a gzip stream that is announced as all of it: only whoever decodes it sees what is missing. */
  | 'truncate-gzip'
  /** 200, with a page where JSON is expected. */
  | 'garbage';

export interface Target {
  readonly host: 'api' | 'store';
  /** Of the API without `/rest/v1`: `/raindrops/0`. */
  readonly path: string;
  readonly method: string;
  readonly query: Readonly<Record<string, string>>;
}

type Match = (target: Target) => boolean;
type Hook = (target: Target) => void | Promise<void>;

export interface Faults {
  /** For the next request that matches, once. Those that were ordered first come first. */
  next(match: Match, fault: Fault): void;
  /** For every request that matches and has none of its own, until `clear`. */
  always(match: Match, fault: Fault): void;
  /** Called before a request is answered, and waited for, until `clear`. */
  onRequest(hook: Hook): void;
  clear(): void;
}

export function createFaults(): Faults & {
  /** The fault that this request is to meet. */
  take(target: Target): Fault | undefined;
  runHooks(target: Target): Promise<void>;
} {
  const once: { match: Match; fault: Fault }[] = [];
  const standing: { match: Match; fault: Fault }[] = [];
  const hooks: Hook[] = [];
  return {
    next: (match, fault) => void once.push({ match, fault }),
    always: (match, fault) => void standing.push({ match, fault }),
    onRequest: (hook) => void hooks.push(hook),
    clear() {
      for (const list of [once, standing, hooks]) list.length = 0;
    },
    take(target) {
      const at = once.findIndex(({ match }) => match(target));
      const [ordered] = at < 0 ? [] : once.splice(at, 1);
      return (ordered ?? standing.find(({ match }) => match(target)))?.fault;
    },
    async runHooks(target) {
      for (const hook of [...hooks]) await hook(target);
    },
  };
}
