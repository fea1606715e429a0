// Several APIs and workers on one PostgreSQL and one S3. Every connection of each process goes through its own fault proxies.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { Secret } from '../../../src/model/secret.ts';
import { openDatabase } from '../../../src/store/open.ts';
import { createStore } from '../../../src/store/store.ts';
import { runCli } from '../command-line.ts';
import { type FaultProxy, startFaultProxy } from '../fault-proxy.ts';
import { createLectern, type Exit, type Lectern, type RunningProcess } from '../lectern-process.ts';
import { type PostgresServer, startPostgres } from '../postgres-server.ts';
import { type S3Server, startS3Server } from '../s3-server.ts';
import { type Internet, startInternet } from './internet.ts';
import type { ReadRows } from './ledger.ts';

export type Role = 'api' | 'worker';
export type Dependency = 'postgres' | 's3';

export interface ClusterSize {
  readonly apis: number;
  readonly workers: number;
}

/** What can be seen of the work in the background. */
export interface WorkState {
  /** Feeds that are due, deframer feeds that are due or locked, and deframer feeds without a next run; and which it is. */
  readonly overdue: ReadonlyMap<string, string>;
  readonly journalLagMs: number;
}

export interface Stopped {
  readonly name: string;
  readonly exit: Exit;
  readonly tookMs: number;
}

const database = 'lectern_faults';
const bucket = 'faults';
const password = 'correct horse';
const maxStartMs = 60_000;

export async function startCluster(size: ClusterSize): Promise<Cluster> {
  const [postgres, s3, internet] = await Promise.all([
    // A crash of PostgreSQL must not lose what it has acknowledged.
    startPostgres({}, ['synchronous_commit=on']),
    startS3Server(),
    startInternet(),
  ]);
  const cluster = new Cluster(postgres, s3, internet);
  try {
    await cluster.start(size);
  } catch (error) {
    await cluster.end();
    throw error;
  }
  return cluster;
}

export class Cluster {
  readonly members: Member[] = [];
  readonly postgres: PostgresServer;
  readonly internet: Internet;
  token = '';
  /** What happened to processes although the run did not ask for it. */
  readonly exits: string[] = [];
  readonly #s3: S3Server;
  readonly #lectern: Lectern = createLectern();
  readonly #folder = mkdtempSync(join(tmpdir(), 'lectern-faults-'));

  constructor(postgres: PostgresServer, s3: S3Server, internet: Internet) {
    this.postgres = postgres;
    this.#s3 = s3;
    this.internet = internet;
  }

  async start({ apis, workers }: ClusterSize): Promise<void> {
    await Promise.all([this.postgres.createDatabase(database), this.#s3.createBucket(bucket)]);
    const env = this.#env({ databaseUrl: this.postgres.urlOf(database) });
    await command(env, 'user', 'add', 'owner', '--password-stdin');
    const made = await command(env, 'token', 'create', '--name', 'faults', '--scope', 'admin', '--json');
    this.token = JSON.parse(made).token;
    const names = [
      ...Array.from({ length: apis }, (_, n) => ({ name: `api-${n + 1}`, role: 'api' as const })),
      ...Array.from({ length: workers }, (_, n) => ({ name: `worker-${n + 1}`, role: 'worker' as const })),
    ];
    for (const { name, role } of names) this.members.push(await this.#addMember(name, role));
    await Promise.all(this.members.map((member) => member.start()));
  }

  of(role: Role): Member[] {
    return this.members.filter((member) => member.role === role);
  }

  /** The addresses of the APIs that run. */
  apiUrls(): string[] {
    return this.of('api').flatMap(({ url }) => url ?? []);
  }

  /** Reads from the index without a proxy. */
  readonly readRows: ReadRows = async (query) => {
    const client = new pg.Client(this.postgres.urlOf(database));
    await client.connect();
    try {
      return (await client.query(query)).rows;
    } finally {
      await client.end();
    }
  };

  async workState(): Promise<WorkState> {
    const rows = await this.readRows(`
      WITH clock AS (SELECT floor(extract(epoch FROM clock_timestamp()) * 1000) AS now)
      SELECT 'feed ' || f.link AS what, 'is due' AS state, 0 AS lag FROM clock, feeds f
        LEFT JOIN feed_fetch_state s ON s.feed_id = f.id
        WHERE f.suspended = 0 AND coalesce(s.next_check_at, 0) <= now
      UNION ALL
      SELECT 'deframer feed ' || f.url, CASE WHEN s.next_run_at IS NULL THEN 'has no next run'
          WHEN s.locked_until IS NOT NULL THEN 'is locked' ELSE 'is due' END, 0
        FROM clock, deframer_feeds f JOIN feed_schedules s ON s.id = f.id
        WHERE f.enabled = 1 AND f.polling = 1 AND f.deleted_at IS NULL
          AND (s.next_run_at IS NULL OR s.next_run_at <= now OR s.locked_until IS NOT NULL)
      UNION ALL
      SELECT NULL, NULL, coalesce((SELECT now - noted_at FROM journal_dirty ORDER BY seq LIMIT 1), 0) FROM clock`);
    return {
      overdue: new Map(
        rows.filter(({ what }) => what !== null).map(({ what, state }) => [String(what), String(state)]),
      ),
      journalLagMs: Math.max(...rows.map(({ lag }) => Number(lag))),
    };
  }

  /** Work that failed for good although all feeds and pages were there all the time. */
  async failedWork(): Promise<string[]> {
    const rows = await this.readRows(`
      SELECT 'item ' || url || ': ' || coalesce(enrichment_error, '') AS what FROM items
        WHERE enrichment_status = 'failed' AND deleted_at IS NULL
      UNION ALL SELECT 'deframer feed ' || f.url || ': ' || s.last_error FROM feed_schedules s
        JOIN deframer_feeds f ON f.id = s.id WHERE s.last_error IS NOT NULL AND f.deleted_at IS NULL`);
    return rows.map(({ what }) => String(what));
  }

  /** Stops all processes by SIGTERM, one after the other as an operator does, the APIs first. */
  async stopAll(): Promise<Stopped[]> {
    return Promise.all(this.members.map((member) => member.stop()));
  }

  /** The hash of the index, once all processes have stopped. */
  async stateHash(): Promise<string> {
    const url = this.postgres.urlOf(database);
    const opened = await openDatabase(
      { engine: 'postgres', url: new Secret(url), shown: url },
      { now: Date.now, onIdleError: () => {} },
    );
    try {
      return (await createStore(opened, Date.now).stateHash()).hash;
    } finally {
      await opened.close();
    }
  }

  /** Rebuilds a new index from the library. Returns its hash and where it is. */
  async reinflate(engine: 'sqlite' | 'postgres'): Promise<{ hash: string; databaseUrl: string }> {
    const name = `${database}_again`;
    if (engine === 'postgres') await this.postgres.createDatabase(name);
    const databaseUrl =
      engine === 'postgres' ? this.postgres.urlOf(name) : `sqlite:${join(this.#folder, 'again.db')}`;
    const report = JSON.parse(await command(this.#env({ databaseUrl }), 'reinflate', '--json'));
    return { hash: report.state_hash, databaseUrl };
  }

  /** Ends everything, whatever state it is in. */
  async end(): Promise<void> {
    for (const member of this.members) member.isExpectedToEnd = true;
    await this.#lectern.endAll();
    await Promise.all(this.members.flatMap(({ proxies }) => [proxies.postgres.stop(), proxies.s3.stop()]));
    this.internet.stop();
    await Promise.all([this.postgres.stop(), this.#s3.stop()]);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #addMember(name: string, role: Role): Promise<Member> {
    const at = (url: string) => ({ host: '127.0.0.1', port: Number(new URL(url).port) });
    const [postgres, s3] = await Promise.all([
      startFaultProxy(at(this.postgres.url)),
      startFaultProxy(at(this.#s3.url)),
    ]);
    const direct = this.postgres.urlOf(database);
    const databaseUrl = Object.assign(new URL(direct), { port: String(postgres.port) }).href;
    const env = this.#env({ databaseUrl, s3Url: `http://127.0.0.1:${s3.port}` });
    return new Member({
      name,
      role,
      proxies: { postgres, s3 },
      lectern: this.#lectern,
      env,
      exits: this.exits,
    });
  }

  #env({ databaseUrl, s3Url = this.#s3.url }: { databaseUrl: string; s3Url?: string }) {
    const library = this.#s3.libraryUrl(bucket).reveal();
    return {
      LECTERN_HOME: this.#folder,
      LECTERN_DATABASE_URL: databaseUrl,
      LECTERN_LIBRARY_URL: library.replace(encodeURIComponent(this.#s3.url), encodeURIComponent(s3Url)),
      LECTERN_PORT: '0',
      LECTERN_EMBEDDINGS: 'off',
      LECTERN_ALLOW_PRIVATE_NETWORKS: 'true',
      // The shortest that are allowed: a run of minutes sees many fetches.
      LECTERN_PULL_INTERVAL: '60',
      LECTERN_DEFRAMER_INTERVAL: '60',
      AI_TYPE: 'mock',
    };
  }
}

interface MemberOptions {
  readonly name: string;
  readonly role: Role;
  readonly proxies: Readonly<Record<Dependency, FaultProxy>>;
  readonly lectern: Lectern;
  readonly env: Readonly<Record<string, string>>;
  readonly exits: string[];
}

/** One process of the cluster, and the one that replaces it after it was killed. */
export class Member {
  readonly name: string;
  readonly role: Role;
  readonly proxies: Readonly<Record<Dependency, FaultProxy>>;
  /** Of an API that runs. */
  url: string | undefined;
  isExpectedToEnd = false;
  readonly #options: MemberOptions;
  #process: RunningProcess | undefined;

  constructor(options: MemberOptions) {
    this.#options = options;
    this.name = options.name;
    this.role = options.role;
    this.proxies = options.proxies;
  }

  /** Starts the process. For an API, resolves when it listens. */
  async start(): Promise<void> {
    const { lectern, role, env, exits } = this.#options;
    const started = lectern.begin(['serve', '--role', role], { env, endsWithParent: true });
    this.#process = started;
    this.isExpectedToEnd = false;
    void started.ended.then(({ code, signal }) => {
      this.url = undefined;
      if (this.isExpectedToEnd || this.#process !== started) return;
      const words = (started.output.stderr + started.output.stdout).slice(-2_000);
      exits.push(`${this.name} ended by itself with ${signal ?? `exit code ${code}`}:\n${words}`);
    });
    if (role === 'worker') return;
    const listening = started.output.until('stdout', /Lectern is running at (http:\/\/[\d.:]+)/);
    const late = pause(maxStartMs, undefined, { ref: false }).then(() => {
      throw new Error(`${this.name} did not start:\n${started.output.stderr}`);
    });
    this.url = (await Promise.race([listening, late]))[1];
  }

  signal(signal: NodeJS.Signals): void {
    this.#process?.signal(signal);
  }

  async kill(): Promise<void> {
    this.isExpectedToEnd = true;
    this.url = undefined;
    this.signal('SIGKILL');
    await this.#process?.ended;
  }

  async stop(): Promise<Stopped> {
    this.isExpectedToEnd = true;
    const began = performance.now();
    this.signal('SIGTERM');
    const exit = (await this.#process?.ended) ?? { code: null, signal: null };
    return { name: this.name, exit, tookMs: performance.now() - began };
  }

  /** What the process has written to its log. */
  get log(): string {
    return this.#process?.output.stderr ?? '';
  }
}

async function command(env: Readonly<Record<string, string>>, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCli(args, { env, stdin: password });
  if (code !== 0) throw new Error(`lectern ${args.join(' ')}: exit code ${code}\n${stdout}${stderr}`);
  return stdout;
}
