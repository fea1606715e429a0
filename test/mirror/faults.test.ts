// Whatever fails and wherever the process ends: after it is well again, nothing is missing, nothing is doubled, and the cursor
// has never gone back. A deep run tries every place, one by one.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stateKeys } from '../../src/mirror/run-state.ts';
import { isDeep, seed } from '../support/depth.ts';
import { CrashError, Faults, forEachFault } from '../support/faults.ts';
import {
  copyOfMemory,
  expectMirrored,
  type MirrorMemory,
  memoryHost,
  newMemory,
  runToEnd,
  TestTime,
} from '../support/mirror-memory.ts';
import type { Fault } from '../support/raindrop-faults.ts';
import { type RaindropServer, startRaindropServer } from '../support/raindrop-server.ts';

const time = new TestTime();
let server: RaindropServer;

beforeAll(async () => {
  server = await startRaindropServer({ now: time.now });
});
afterAll(() => server.close());

const ids = (which: (n: number) => boolean) =>
  server.account
    .all()
    .filter((_, n) => which(n))
    .map(({ _id }) => _id);

/** A little of everything. */
function fill(): void {
  for (const { _id } of server.account.all()) server.account.purge(_id);
  for (let n = 0; n < 5; n++)
    server.account.add({
      link: `https://a.example/${n}`,
      title: `Number ${n}`,
      tags: [`t${n % 2}`],
      lastUpdate: time.ms - 10_000 + Math.floor(n / 2) * 1_000,
      ...(n % 2 === 0 && { copy: { html: `<p>Text ${n}</p>` } }),
    });
}

async function filled(): Promise<MirrorMemory> {
  const memory = newMemory();
  fill();
  await runToEnd(memoryHost(memory, { server, time }), time);
  return memory;
}

function change(): void {
  const [first, second, third, fourth] = ids(() => true) as [number, number, number, number];
  server.account.edit(first, { title: 'Edited' });
  server.account.setCopy(first, { html: '<p>Another copy</p>' });
  server.account.retag(second, ['later']);
  server.account.trash(third);
  server.account.purge(fourth);
  server.account.add({ link: 'https://new.example/', title: 'New', copy: { html: '<p>New</p>' } });
}

/** Runs until the process ends, then another on what it left. */
async function crashAndRecover(memory: MirrorMemory, faults: Faults): Promise<void> {
  try {
    await runToEnd(memoryHost(memory, { server, time, faults }), time);
  } catch (error) {
    if (!(error instanceof CrashError)) throw error;
  }
  const cursor = memory.state.get(stateKeys.cursor) ?? '';
  // The queue sends it again, or the next day does.
  time.ms += 24 * 3_600_000;
  await runToEnd(memoryHost(memory, { server, time }), time);
  expect((memory.state.get(stateKeys.cursor) ?? '') >= cursor).toBe(true);
  expectMirrored(memory, server);
}

describe.each(['before', 'after'] as const)('a process that ends right %s a write', (moment) => {
  it('of the first run leaves nothing out and nothing twice', async () => {
    const tried = await forEachFault({ moment }, async (faults) => {
      fill();
      await crashAndRecover(newMemory(), faults);
    });
    expect(tried).toBeGreaterThan(30);
  });

  it('of a run that meets changes leaves nothing out and nothing twice', async () => {
    const tried = await forEachFault({ moment }, async (faults) => {
      const memory = await filled();
      change();
      await crashAndRecover(memory, faults);
    });
    expect(tried).toBeGreaterThan(20);
  });

  it('between two batches leaves nothing out and nothing twice', async () => {
    for (const { _id } of server.account.all()) server.account.purge(_id);
    // The moment of the last of one batch is that of the first of the next.
    for (let n = 0; n < 55; n++)
      server.account.add({
        link: `https://b.example/${n}`,
        lastUpdate: time.ms - 1_000_000 + Math.min(n, 45) * 1_000,
      });
    // All but the last few are there: each fault is tried on a copy of that.
    const before = newMemory();
    const { count } = await untilItem(before, 46);
    expect(count).toBeGreaterThan(0);
    const tried = await forEachFault({ moment }, (faults) => crashAndRecover(copyOfMemory(before), faults), {
      stride: isDeep ? 1 : 3,
    });
    expect(tried).toBeGreaterThan(30);
  });
});

/** Ends before the first write of that one: those before it have their objects. */
async function untilItem(memory: MirrorMemory, n: number): Promise<{ count: number }> {
  const id = ids(() => true)[n];
  const faults = new Faults();
  faults.failNext(`put raindrops/${id}/plain.txt`, 'crash');
  await expect(runToEnd(memoryHost(memory, { server, time, faults }), time)).rejects.toThrow(CrashError);
  return { count: memory.objects.size };
}

const failures: Record<string, Fault> = {
  'a request to wait': { status: 429 },
  'a request to wait for long': { status: 429, headers: { 'x-ratelimit-reset': '1900000000' } },
  'an error of the server': { status: 500 },
  'a gateway that answers with a page': { status: 502, body: '<html>' },
  'a connection that breaks': 'reset',
  'no answer at all': 'hang',
  'an answer cut short': 'truncate',
  'a compressed answer cut short': 'truncate-gzip',
  'an answer that is none': 'garbage',
};

describe.each(Object.keys(failures))('%s', (name) => {
  const fault = failures[name] as Fault;

  it.each(['once', 'again and again'])(
    '%s, in place of any answer, costs nothing but time',
    async (often) => {
      for (let n = isDeep ? 1 : 1 + (seed % 3); ; n += isDeep ? 1 : 3) {
        fill();
        const memory = newMemory();
        let asked = 0;
        let isMet = false;
        server.faults.onRequest(({ host, path }) => {
          asked++;
          if (asked !== n) return;
          isMet = true;
          const isThis = (target: { host: string; path: string }) =>
            target.host === host && target.path === path;
          // A store has another address for each attempt.
          if (often === 'once') server.faults.next(isThis, fault);
          else
            server.faults.always(
              (target) => (host === 'store' ? target.host === 'store' : isThis(target)),
              fault,
            );
        });
        const host = { ...memoryHost(memory, { server, time }), timeoutMs: 60 };
        // As far as it comes; a run that is put off goes on by itself.
        await runToEnd(host, time, often === 'once' ? 20 : 3).catch((error) => {
          if (error.message !== 'the run does not end') throw error;
        });
        server.faults.clear();
        if (!isMet) {
          expect(n).toBeGreaterThan(10);
          return;
        }
        time.ms += 24 * 3_600_000;
        await runToEnd(memoryHost(memory, { server, time }), time);
        expectMirrored(memory, server);
      }
    },
  );
});
