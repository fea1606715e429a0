// An index on PostgreSQL whose connections lead through a fault proxy.
import { sql } from 'kysely';
import { Unavailable } from '../../src/errors.ts';
import type { PoolSizes } from '../../src/model/pool-sizes.ts';
import type { Database } from '../../src/store/database.ts';
import { openPostgresDatabase } from '../../src/store/dialect/postgres/open.ts';
import type { Engine } from './engines.ts';
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts';
import { until } from './until.ts';

export interface ProxiedIndex {
  readonly proxy: FaultProxy;
  /** The address of the index through the proxy, and without it. */
  readonly url: string;
  readonly directUrl: string;
  readonly db: Database;
  readonly idleErrors: Error[];
  close(): Promise<void>;
}

export interface ProxyOptions {
  readonly poolSizes?: PoolSizes;
  readonly tickMs?: number;
}

export async function openThroughProxy(engine: Engine, options: ProxyOptions = {}): Promise<ProxiedIndex> {
  const target = await engine.freshTarget();
  if (target.engine !== 'postgres') throw new Error('a server is needed');
  const directUrl = target.url.reveal();
  const server = new URL(directUrl);
  const proxy = await startFaultProxy({ host: server.hostname, port: Number(server.port) });
  const { host, port } = proxy;
  const url = Object.assign(new URL(directUrl), { hostname: host, port: String(port) }).href;
  const idleErrors: Error[] = [];
  const db = await openPostgresDatabase({
    url,
    now: Date.now,
    asItIs: true,
    onIdleError: (error) => idleErrors.push(error),
    ...options,
  });
  const close = async () => {
    await db.close();
    await proxy.stop();
  };
  return { proxy, url, directUrl, db, idleErrors, close };
}

/**
 * Runs as many statements at the same time as there are places in the pools. On a busy machine the server may count as silent
 * for a moment; then it tries again.
 */
export async function fillPools(db: Database): Promise<void> {
  const wait = sql`SELECT pg_sleep(0.3)`;
  const places = (name: string) => db.pools?.().find((pool) => pool.name === name)?.max ?? 0;
  await until('every place in the pools is used', async () => {
    const outcomes = await Promise.allSettled([
      ...Array.from({ length: places('read') }, () => wait.execute(db.read)),
      ...Array.from({ length: places('write') }, () => db.write((trx) => wait.execute(trx))),
    ]);
    const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    for (const failure of failures) if (!(failure instanceof Unavailable)) throw failure;
    return failures.length === 0;
  });
}
