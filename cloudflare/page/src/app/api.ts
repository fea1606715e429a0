// The way to the Worker.

export interface Raindrop {
  readonly id: number;
  readonly link: string;
  readonly title: string | null;
  readonly excerpt: string | null;
  readonly domain: string | null;
  readonly created_at: string | null;
  readonly updated_at: string | null;
  readonly tags: readonly string[];
}

export interface Snippet {
  readonly text: string;
  readonly hits: readonly (readonly [number, number])[];
  readonly cutBefore: boolean;
  readonly cutAfter: boolean;
}

export interface Found {
  readonly items: readonly (Raindrop & { readonly snippet: Snippet | null })[];
  readonly next: string | null;
}

export interface WholeRaindrop extends Raindrop {
  readonly meta: {
    readonly content_type?: string | null;
    readonly fetched_at?: string | null;
    /** What became of the copy: see CopyState of the mirror. */
    readonly copy?: string;
  } | null;
  readonly text: { readonly word_count: number | null } | null;
  readonly has_copy: boolean;
}

/** What the mirror tells of itself; it may know less while it has never run. */
export interface MirrorStatus {
  readonly raindrops?: number;
  readonly cursor?: string | null;
  readonly schedule?: string | null;
  readonly run?: {
    readonly phase?: string;
    readonly total?: number | null;
    readonly finishedAt?: string | null;
    readonly problem?: string | null;
  } | null;
  readonly reinflate?: {
    readonly at?: string;
    readonly left?: number;
    readonly problems?: readonly { readonly id: number; readonly what: string }[];
  } | null;
}

/** The session is over, or has never begun. */
export class SignedOut extends Error {}

export async function ask<T>(path: string, init: RequestInit = {}): Promise<T> {
  const answer = await send(path, init);
  return answer.status === 204 ? (undefined as T) : answer.json();
}

export async function askText(path: string): Promise<string> {
  return (await send(path, {})).text();
}

export function post<T>(path: string, body: unknown, init: RequestInit = {}): Promise<T> {
  return ask(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    ...init,
  });
}

async function send(path: string, init: RequestInit): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(path, init);
  } catch (cause) {
    if (init.signal?.aborted) throw cause;
    throw new Error('The mirror cannot be reached. Nothing was lost; try again in a moment.', { cause });
  }
  if (answer.ok) return answer;
  const { error = `The mirror answered ${answer.status}.` } = await answer.json().catch(() => ({}));
  throw answer.status === 401 ? new SignedOut(error) : new Error(error);
}
