// What the scripted apps of the Google Reader API have in common: a way to the server, and how ids are written.
import type { Client } from './api.ts';

export interface Connection {
  /** One that has no login of its own. */
  readonly client: Pick<Client, 'send'>;
  /** Where the API stands: '' or '/api/greader.php'. */
  readonly base: string;
  readonly username: string;
  /** An application password. */
  readonly secret: string;
}

export type Form = readonly (readonly [name: string, value: string])[];

export const readState = 'user/-/state/com.google/read';
export const starredState = 'user/-/state/com.google/starred';
export const keptUnread = 'user/-/state/com.google/kept-unread';
export const readingList = 'user/-/state/com.google/reading-list';

export const hexId = (id: number) => `tag:google.com,2005:reader/item/${id.toString(16).padStart(16, '0')}`;
export const fromHexId = (id: string) => Number.parseInt(id.split('/').at(-1) ?? '', 16);

export interface Article {
  readonly id: string;
  readonly crawlTimeMsec: string;
  readonly timestampUsec: string;
  readonly published: number;
  readonly updated: number;
  readonly title: string;
  readonly author?: string;
  readonly canonical: readonly { readonly href: string }[];
  readonly alternate: readonly { readonly href: string; readonly type: string }[];
  readonly enclosure?: readonly { readonly href: string; readonly type: string; readonly length?: number }[];
  readonly categories: readonly string[];
  readonly origin: { readonly streamId: string; readonly title: string; readonly htmlUrl: string };
  readonly summary: { readonly content: string };
}

export interface Contents {
  readonly id: string;
  readonly title: string;
  readonly updated: number;
  readonly items: readonly Article[];
  readonly continuation?: string;
}

export interface Ids {
  readonly itemRefs: readonly { readonly id: string }[];
  readonly continuation?: string;
}

export interface Subscription {
  readonly id: string;
  readonly title: string;
  readonly url: string;
  readonly htmlUrl: string;
  readonly categories: readonly { readonly id: string; readonly label: string }[];
}

/** Sends what it is given, and fails where an app would. */
export class Session {
  readonly #at: Connection;
  auth = '';

  constructor(at: Connection) {
    this.#at = at;
  }

  /** As NetNewsWire reads the answer: a line that does not fall into two at "=" is passed over. */
  async logIn(more: Form = []): Promise<void> {
    const { username, secret } = this.#at;
    const form: Form = [['Email', username], ['Passwd', secret], ...more];
    const text = await (await this.post('/accounts/ClientLogin', form)).text();
    const pairs = text.split('\n').map((line) => line.split('='));
    this.auth = pairs.find(([name, , ...rest]) => name === 'Auth' && rest.length === 0)?.[1] ?? '';
    if (this.auth === '') throw new Error(`no Auth in: ${text}`);
  }

  get(path: string): Promise<Response> {
    return this.#ask('GET', path);
  }

  post(path: string, form: Form): Promise<Response> {
    return this.#ask(
      'POST',
      path,
      new URLSearchParams(form.map(([name, value]) => [name, value])).toString(),
    );
  }

  async json<T>(path: string): Promise<T> {
    return (await (await this.get(path)).json()) as T;
  }

  /** newsboat takes nothing but this word for a success. */
  async change(path: string, form: Form): Promise<void> {
    const text = await (await this.post(path, form)).text();
    if (text !== 'OK') throw new Error(`${path} answered: ${text}`);
  }

  /** All pages of a list. */
  async pages<T extends { continuation?: string }>(path: string): Promise<T[]> {
    const pages: T[] = [];
    for (let next: string | undefined = ''; next !== undefined; next = pages.at(-1)?.continuation) {
      const from = next === '' ? '' : `&c=${encodeURIComponent(next)}`;
      pages.push(await this.json<T>(path + from));
    }
    return pages;
  }

  async subscriptions(): Promise<readonly Subscription[]> {
    const path = '/reader/api/0/subscription/list?output=json';
    return (await this.json<{ subscriptions: Subscription[] }>(path)).subscriptions;
  }

  async #ask(method: string, path: string, body?: string): Promise<Response> {
    const { client, base } = this.#at;
    const headers = {
      ...(this.auth !== '' && { Authorization: `GoogleLogin auth=${this.auth}` }),
      ...(body !== undefined && { 'Content-Type': 'application/x-www-form-urlencoded' }),
    };
    const response = await client.send(method, base + path, { headers, ...(body !== undefined && { body }) });
    if (response.status !== 200)
      throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    if (!response.headers.has('date')) throw new Error(`${method} ${path}: no Date`);
    return response;
  }
}

export const someAtOnce = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, n) => all.slice(n * size, (n + 1) * size));
