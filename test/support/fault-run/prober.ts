// Asks each API of a cluster all the time whether it serves a read and a write.
import { setTimeout as pause } from 'node:timers/promises';
import type { LedgerClients } from './clients.ts';
import type { Cluster } from './cluster.ts';

const probeEveryMs = 400;

export class Prober {
  readonly #cluster: Cluster;
  readonly #clients: LedgerClients;
  /** When each API began and ended a probe that succeeded. */
  readonly #served = new Map<string, { began: number; ended: number }[]>();
  #running: Promise<unknown> = Promise.resolve();
  #isStopping = false;
  #probes = 0;

  constructor(cluster: Cluster, clients: LedgerClients) {
    this.#cluster = cluster;
    this.#clients = clients;
  }

  start(): void {
    this.#running = Promise.all(
      this.#cluster.of('api').map(async (api) => {
        const served: { began: number; ended: number }[] = [];
        this.#served.set(api.name, served);
        while (!this.#isStopping) {
          const began = performance.now();
          if (api.url !== undefined && (await this.#isServed(api.url, api.name)))
            served.push({ began, ended: performance.now() });
          await pause(probeEveryMs);
        }
      }),
    );
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#running;
  }

  /** True when every API has served a probe that began after a time. */
  isServedSince(at: number): boolean {
    return [...this.#served.values()].every((probes) => (probes.at(-1)?.began ?? 0) > at);
  }

  /** The longest time after `at` in which one API served nothing. */
  longestGapMs(at: number): number {
    const gaps = [...this.#served.values()].flatMap((probes) => {
      const times = probes.map(({ ended }) => ended).filter((ended) => ended > at);
      return times.map((ended, n) => ended - (times[n - 1] ?? at));
    });
    return Math.max(0, ...gaps);
  }

  async #isServed(api: string, name: string): Promise<boolean> {
    this.#probes += 1;
    const read = await this.#clients.ask(api, { method: 'GET', path: '/api/groups' });
    const write = await this.#clients.ask(api, {
      method: 'PATCH',
      path: '/api/me/preferences',
      body: { [`probe.${name}`]: this.#probes },
    });
    return read?.status === 200 && write?.status === 200;
  }
}
