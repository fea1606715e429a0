// Thousands of pages saved through the API of the real program while it reads them, and the whole of it killed five times
// meanwhile: nothing may be lost or doubled, saving must stay quick, and memory flat.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  createLectern,
  jsonRequest,
  type Lectern,
  type LecternProcess,
  mainEntry,
} from '../test/support/lectern-process.ts';
import { timed } from './durable-bench.ts';
import { percentile } from './load.ts';
import { descendantsOf, residentMb } from './resident.ts';
import { startSite } from './site-process.ts';

const kills = 5;
const idleSaves = 500;
const apiGoal = 3;
/** What a process may grow by in the second half of its work. */
const growthGoal = 1.3;
const password = 'for the benchmark only';

export async function run([count = '30000']: readonly string[] = []): Promise<boolean> {
  const items = Number(count);
  const folder = mkdtempSync(join(tmpdir(), 'lectern-bench-'));
  const lectern = createLectern(mainEntry);
  const site = await startSite('./page-site.ts');
  const urlOf = (n: number) => `${site.origin}/p/${n}`;
  const say = (line: string) => process.stdout.write(`${line}\n`);
  try {
    const program = new Program(lectern, folder);
    await program.start('api');
    const idle = await saveAll(program, range(0, idleSaves), urlOf);
    await program.end('SIGTERM');
    await program.start('all');

    say(`${items} pages with a picture, saved while they are read; the program is killed ${kills} times`);
    const memory = watchMemory(program);
    const began = performance.now();
    const saving = saveAll(program, range(idleSaves, items), urlOf);
    for (let kill = 1; kill <= kills; kill += 1) {
      const until = Math.floor((items * kill) / (kills + 1));
      while ((await site.counts<Counts>()).pages < until) await pause(100);
      await program.end('SIGKILL');
      await program.start('all');
      say(`  killed at ${until} pages, and started again`);
    }
    const busy = await saving;
    const left = async () => (await program.get<{ pending: number }>('/api/v1/items/counts')).pending;
    while ((await left()) > 0) await pause(500);
    const seconds = (performance.now() - began) / 1_000;
    const sizes = memory.stop();

    const found = await listAll(program, urlOf, items);
    const { pages, again } = await site.counts<Counts>();
    await program.end('SIGTERM');
    const check = await lectern.spawn(['library', 'check'], { env: program.env });
    const slower = percentile(busy, 0.95) / percentile(idle, 0.95);
    say(`  ${(items / seconds).toFixed(1)} pages/s; ${pages} pages asked for, ${again} of them again`);
    say(
      `  saving: p95 ${percentile(idle, 0.95).toFixed(1)} ms idle, ${percentile(busy, 0.95).toFixed(1)} ms meanwhile`,
    );
    say(
      `  lost ${found.lost}, doubled ${found.doubled}, not read ${found.unread}; ${check.stdout.trim().split('\n').at(-1)}`,
    );
    for (const [name, { early, late }] of Object.entries(sizes))
      say(`  memory of the ${name}: at most ${early} MB in the first half, ${late} MB in the second`);
    const met = {
      whole: found.lost + found.doubled + found.unread === 0 && check.code === 0,
      api: slower <= apiGoal,
      memory: Object.values(sizes).every(({ early, late }) => late <= early * growthGoal),
    };
    const word = (isMet: boolean) => (isMet ? 'met' : 'MISSED');
    say(
      `  goals: nothing lost or doubled, the library whole (${word(met.whole)}); p95 of saving at most ${apiGoal}x idle: ` +
        `${slower.toFixed(1)}x (${word(met.api)}); memory flat (${word(met.memory)})`,
    );
    return met.whole && met.api && met.memory;
  } finally {
    site.stop();
    await lectern.endAll();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Counts {
  readonly pages: number;
  readonly again: number;
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, n) => from + n);
}

/** The program on one folder, through all its starts. Requests wait while it is down, and are sent again. */
class Program {
  readonly env: Record<string, string>;
  readonly #lectern: Lectern;
  #server: LecternProcess | undefined;
  #cookie = '';

  constructor(lectern: Lectern, folder: string) {
    this.#lectern = lectern;
    this.env = {
      LECTERN_HOME: folder,
      LECTERN_PASSWORD: password,
      LECTERN_ALLOW_PRIVATE_NETWORKS: 'true',
      LECTERN_LOG_LEVEL: 'error',
    };
  }

  get pid(): number | undefined {
    return this.#server?.pid;
  }

  async start(role: 'all' | 'api'): Promise<void> {
    const server = await this.#lectern.serve({ role, env: this.env });
    const login = await server.request(
      '/api/sessions',
      jsonRequest('POST', { password }, { Origin: server.url }),
    );
    this.#cookie = login.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    this.#server = server;
  }

  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    // The worker would come to a clean end when its parent is gone: it is killed as well.
    const others = signal === 'SIGKILL' && server ? descendantsOf(server.pid) : [];
    for (const pid of others) process.kill(pid, signal);
    await (signal === 'SIGKILL' ? server?.kill() : server?.stop());
  }

  async get<T>(path: string): Promise<T> {
    for (;;) {
      const answer = await this.#try(path, { headers: {} });
      if (answer?.ok) return (await answer.json()) as T;
      await pause(50);
    }
  }

  /** How long the answer took; undefined when there was none, and it must be sent again. */
  async save(url: string): Promise<number | undefined> {
    let status: number | undefined;
    const ms = await timed(async () => {
      const answer = await this.#try('/api/v1/items', jsonRequest('POST', { url }));
      await answer?.arrayBuffer().catch(() => {});
      status = answer?.status;
    });
    if (status !== undefined && status !== 200 && status !== 201)
      throw new Error(`${url} was not saved: ${status}`);
    return status === undefined ? undefined : ms;
  }

  async #try(path: string, init: RequestInit): Promise<Response | undefined> {
    const server = this.#server;
    if (!server) return undefined;
    const headers = { ...(init.headers as object), Cookie: this.#cookie, Origin: server.url };
    return server.request(path, { ...init, headers }).catch(() => undefined);
  }
}

async function saveAll(
  program: Program,
  numbers: readonly number[],
  urlOf: (n: number) => string,
): Promise<number[]> {
  const times: number[] = [];
  for (const n of numbers) {
    for (;;) {
      const ms = await program.save(urlOf(n));
      if (ms !== undefined) {
        times.push(ms);
        break;
      }
      await pause(50);
    }
    await pause(1);
  }
  return times;
}

async function listAll(program: Program, urlOf: (n: number) => string, items: number) {
  const seen = new Map<string, number>();
  let unread = 0;
  let cursor = '';
  do {
    const page = await program.get<{
      items: { url: string; title: string; enrichmentStatus: string; thumbnailUrl: string | null }[];
      nextCursor: string | null;
    }>(`/api/v1/items?limit=50${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
    for (const { url, title, enrichmentStatus, thumbnailUrl } of page.items) {
      seen.set(url, (seen.get(url) ?? 0) + 1);
      const isRead = title === `Page ${url.split('/').at(-1)}` && enrichmentStatus === 'succeeded';
      if (!isRead || thumbnailUrl === null) unread += 1;
    }
    cursor = page.nextCursor ?? '';
  } while (cursor !== '');
  return {
    lost: range(0, items).filter((n) => !seen.has(urlOf(n))).length,
    doubled: [...seen.values()].filter((times) => times > 1).length,
    unread,
  };
}

/** The most that each process of the program took, in the first and in the second half of the time. */
function watchMemory(program: Program) {
  const samples: Record<string, number>[] = [];
  const timer = setInterval(() => {
    if (program.pid !== undefined) samples.push(residentMb(program.pid));
  }, 1_000);
  return {
    stop(): Record<string, { early: number; late: number }> {
      clearInterval(timer);
      const most = (some: readonly Record<string, number>[], name: string) =>
        Math.max(0, ...some.map((sample) => sample[name] ?? 0));
      const half = Math.floor(samples.length / 2);
      const names = [...new Set(samples.flatMap((sample) => Object.keys(sample)))];
      return Object.fromEntries(
        names.map((name) => [
          name,
          { early: most(samples.slice(0, half), name), late: most(samples.slice(half), name) },
        ]),
      );
    },
  };
}
