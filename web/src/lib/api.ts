// The one way to the server. A failure is a sentence for people; a login that has ended is renewed in place, and what
// was asked for is then asked again, so that nothing typed is lost.
import { keptHeader } from '../offline/what-is-kept.ts';
import { words } from './words.ts';

export class ApiError extends Error {
  readonly status: number;
  /** What the server said, in its own words. */
  readonly said: string;
  constructor(status: number, message: string, said = '') {
    super(message);
    this.status = status;
    this.said = said;
  }

  /** The server was not reached at all. */
  get isOffline(): boolean {
    return this.status === 0;
  }
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

interface Options {
  /** Sent as JSON; a Blob as it is. */
  body?: unknown;
  signal?: AbortSignal;
  /** Goes on after the page is left. */
  keepalive?: boolean;
  /** Answers 401 with an error, where asking for a login would be wrong. */
  quietly?: boolean;
  /** Told before the answer is read, where more than one status is good. */
  onStatus?: (status: number) => void;
}

/** Resolves when somebody has logged in again, and rejects when they would rather not. */
type AskForLogin = () => Promise<void>;
let askForLogin: AskForLogin = () => {
  location.assign(`/login?next=${encodeURIComponent(location.pathname + location.search)}`);
  return new Promise(() => {});
};

export function onLoginNeeded(ask: AskForLogin): void {
  askForLogin = ask;
}

let tellReach: (isReached: boolean) => void = () => {};

/** Called with whether the server itself has answered, each time that it was asked. */
export function onReach(tell: (isReached: boolean) => void): void {
  tellReach = tell;
}

export async function call<T>(method: Method, path: string, options: Options = {}): Promise<T> {
  const response = await reach(method, path, options);
  if (response.status === 204 || response.status === 202) {
    const text = await response.text();
    return (text ? JSON.parse(text) : undefined) as T;
  }
  return (await response.json()) as T;
}

/** A good answer, whose body is yet to be read. */
export async function reach(method: Method, path: string, options: Options): Promise<Response> {
  const { body, signal, keepalive, quietly, onStatus } = options;
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      ...(signal && { signal }),
      ...(keepalive && { keepalive }),
      ...(body instanceof Blob && { body }),
      ...(body !== undefined &&
        !(body instanceof Blob) && {
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify(body),
        }),
    });
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause;
    tellReach(false);
    throw new ApiError(0, words().errors.offline);
  }
  tellReach(!response.headers.has(keptHeader));
  if (response.status === 401 && !quietly) {
    await askForLogin();
    return reach(method, path, options);
  }
  onStatus?.(response.status);
  if (!response.ok) {
    const said = await saidBy(response);
    throw new ApiError(response.status, sentenceOf(response, said), said);
  }
  return response;
}

export const get = <T>(path: string, options?: Options) => call<T>('GET', path, options);
export const post = <T>(path: string, body?: unknown, options?: Options) =>
  call<T>('POST', path, { ...options, ...(body !== undefined && { body }) });
export const patch = <T>(path: string, body: unknown, options?: Options) =>
  call<T>('PATCH', path, { ...options, body });
export const put = <T>(path: string, body: unknown, options?: Options) =>
  call<T>('PUT', path, { ...options, body });
export const remove = <T>(path: string, options?: Options) => call<T>('DELETE', path, options);

/** `?a=1&b=2`, without what is undefined. */
export function query(values: Record<string, string | number | boolean | null | undefined>): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== null);
  return given.length > 0
    ? `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`
    : '';
}

/** Empty where it is not the server that answered, but a proxy. */
async function saidBy(response: Response): Promise<string> {
  try {
    const { error } = await response.json();
    return typeof error === 'string' ? error : String(error.message);
  } catch {
    return '';
  }
}

function sentenceOf(response: Response, said: string): string {
  const { errors } = words();
  if (response.status === 429) {
    return errors.tooMany(Math.ceil(Number(response.headers.get('Retry-After') ?? 60) / 60));
  }
  if (said === '' || (response.status >= 500 && response.status !== 502)) return errors.server;
  // Programs are told which field it is; a person sees it.
  const text = said.replace(/^[a-z][A-Za-z_]*: /, '');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.?]$/.test(text) ? '' : '.'}`;
}

/** What a person is told of any failure. */
export function messageOf(error: unknown): string {
  return error instanceof ApiError ? error.message : words().errors.server;
}
