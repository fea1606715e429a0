// Clients that read and write groups through a load balancer, and one that watches a stream of events. Each remembers what was
// acknowledged and what failed.
import { setTimeout as pause } from 'node:timers/promises';
import { EventReader } from './event-reader.ts';
import { jsonRequest } from './lectern-process.ts';

const clients = 4;
const pauseMs = 20;

export interface LoadReport {
  readonly requests: number;
  /** For each kind of request, for example "POST /api/groups: 502". */
  readonly failures: readonly string[];
  /** How often a stream of events ended, as it does when its API stops. */
  readonly streamEnds: number;
  /** Names of groups whose creation was acknowledged. */
  readonly created: readonly string[];
}

export function startMixedLoad(url: string, headers: Readonly<Record<string, string>>) {
  const failures: string[] = [];
  const created: string[] = [];
  const end = new AbortController();
  let requests = 0;
  let streamEnds = 0;

  async function ask<T>(method: string, path: string, body?: unknown): Promise<T | undefined> {
    requests += 1;
    try {
      const init = body === undefined ? { method, headers } : jsonRequest(method, body, headers);
      const response = await fetch(url + path, init);
      const text = await response.text();
      if (response.ok) return JSON.parse(text) as T;
      failures.push(`${method} ${path}: ${response.status} ${text.slice(0, 80)}`);
    } catch (error) {
      const { message, cause } = error as Error;
      failures.push(`${method} ${path}: ${message} (${cause})`);
    }
    return undefined;
  }

  async function readAndWrite(client: number): Promise<void> {
    for (let n = 0; !end.signal.aborted; n++) {
      const name = `group ${n} of client ${client}`;
      const made = await ask<{ data: { id: number } }>('POST', '/api/groups', { name });
      if (made) {
        created.push(name);
        await ask('GET', '/api/groups');
        await ask('PATCH', `/api/groups/${made.data.id}`, { name: `${name}, renamed` });
      }
      await ask('GET', '/api/items?limit=20');
      await ask('GET', '/api/feeds');
      await pause(pauseMs);
    }
  }

  async function watch(): Promise<void> {
    while (!end.signal.aborted) {
      requests += 1;
      try {
        const response = await fetch(`${url}/api/v1/jobs/events`, { headers, signal: end.signal });
        if (!response.ok) throw new Error(`${response.status}`);
        const reader = new EventReader(response);
        while ((await reader.next()) !== undefined);
        streamEnds += 1;
      } catch (error) {
        if (!end.signal.aborted) failures.push(`the stream of events: ${(error as Error).message}`);
      }
    }
  }

  const running = [watch(), ...Array.from({ length: clients }, (_, client) => readAndWrite(client))];
  return {
    requests: () => requests,
    async stop(): Promise<LoadReport> {
      end.abort();
      await Promise.all(running);
      return { requests, failures, streamEnds, created };
    },
  };
}
