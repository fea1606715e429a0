// Four real workers on one index, a site with feeds, and a model that counts its calls. Two workers are killed and one is
// made to stand still for longer than its lease, at moments that differ from run to run.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { addFeed } from '../../src/deframer/add-feed.ts';
import { itemHash } from '../../src/deframer/item-hash.ts';
import type { DeframedItem } from '../../src/model/deframer.ts';
import type { Store } from '../../src/store/store.ts';
import { rssOf } from '../support/deframing.ts';
import { onEachEngine, openFreshStore } from '../support/engines.ts';
import { databaseUrl, useLectern, type WorkerProcess } from '../support/lectern-process.ts';
import { randomText } from '../support/library.ts';
import { stopOutsideTransaction } from '../support/stop-worker.ts';
import { until } from '../support/until.ts';

const feeds = 8;
const articles = 6;
const answerMs = 40;

const entry = fileURLToPath(new URL('../support/lectern-with-short-leases.ts', import.meta.url));

/** One request to the model: which worker asked, for which article of which feed. */
interface Call {
  readonly worker: string;
  readonly title: string;
}

/** Every feed at /feed/N has articles of its own; one is in all of them. */
async function startSite() {
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    const [, feed] = /^\/feed\/(\d+)$/.exec(request.url ?? '') ?? [];
    const origin = `http://${request.headers.host}`;
    if (feed === undefined) {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html><body><p>Some words.</p>');
      return;
    }
    const own = Array.from({ length: articles - 1 }, (_, n) => ({
      title: `Article ${n} of feed ${feed}`,
      link: `/${feed}/${n}`,
      at: n,
    }));
    const shared = { title: `Everywhere, in feed ${feed}`, link: '/everywhere', at: 99 };
    response.writeHead(200, { 'content-type': 'application/rss+xml' }).end(rssOf([shared, ...own], origin));
  };
  return start(listener);
}

/** Speaks as OpenAI does. Its answer names the worker, by the key that it came with. */
async function startModel() {
  const calls: Call[] = [];
  let onCall = () => {};
  /** Answers wait for this. */
  let gate = Promise.resolve();
  let heldWorker: string | undefined;
  const listener = async (request: IncomingMessage, response: ServerResponse) => {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString());
    const user = JSON.stringify(body.messages.at(-1).content);
    const title = /(Article \d+ of feed \d+|Everywhere, in feed \d+)/.exec(user)?.[1] ?? '';
    const worker = (request.headers.authorization ?? '').replace('Bearer ', '');
    calls.push({ worker, title });
    onCall();
    if (worker === heldWorker) return;
    await gate;
    const scores = ['framing', 'clickbait', 'persuasive', 'hyper_stimulus', 'speculative', 'overall'];
    const answer = {
      title_corrected: `${worker} on ${title}`,
      title_correction_reason: 'a test',
      description_corrected: 'Words.',
      description_correction_reason: 'a test',
      category: 'other',
      ...Object.fromEntries(
        scores.flatMap((name) => [
          [name, 0.5],
          [`${name}_reason`, 'a test'],
        ]),
      ),
    };
    setTimeout(() => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(
        JSON.stringify({
          choices: [
            { finish_reason: 'stop', message: { role: 'assistant', content: JSON.stringify(answer) } },
          ],
          usage: { prompt_tokens: 10, completion_tokens: 5 },
        }),
      );
    }, answerMs);
  };
  return {
    url: await start((request, response) => void listener(request, response)),
    calls,
    /** Resolves when this many calls have come in. */
    reached: (count: number) =>
      new Promise<void>((resolve) => {
        onCall = () => calls.length >= count && resolve();
        onCall();
      }),
    /** Resolves when each of these workers has called. Until then no call is answered. */
    firstCalls(workers: readonly string[]): Promise<void> {
      gate = new Promise((resolve) => {
        onCall = () => workers.every((name) => calls.some(({ worker }) => worker === name)) && resolve();
      });
      return gate;
    },
    /** Resolves with the worker's next call, which is never answered. Until then no other call is answered either. */
    holdNextCall(worker: string): Promise<void> {
      heldWorker = worker;
      gate = new Promise((resolve) => {
        onCall = () => calls.at(-1)?.worker === worker && resolve();
      });
      return gate;
    },
  };
}

const closing: (() => void)[] = [];
afterAll(() => {
  for (const close of closing) close();
});

async function start(
  listener: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function itemsOf(store: Store, feedIds: readonly string[]): Promise<Map<string, DeframedItem>> {
  const found = await Promise.all(feedIds.map((id) => store.deframeRuns.newestItems(id, 100)));
  return new Map(found.flat().map((item) => [item.analysis.title_original, item]));
}

onEachEngine('four workers, of which two are killed and one stands still,', (engine) => {
  const lectern = useLectern(afterAll, entry);

  it('pay for an article once in each feed, or again where a kill came between call and commit', async () => {
    const { store, target } = await openFreshStore(engine);
    const [site, model] = [await startSite(), await startModel()];
    const feedIds: string[] = [];
    for (let n = 0; n < feeds; n++) {
      const { id } = await addFeed(
        { deframerFeeds: store.deframerFeeds, randomText },
        { url: `${site}/feed/${n}`, withRootDomain: true, enforceFeedDomain: true },
      );
      feedIds.push(id);
      await store.deframerFeeds.change(id, { enabled: true });
      await store.deframerFeeds.sync(id);
    }
    const names = ['anna', 'ben', 'clara', 'dora'];
    const started = model.firstCalls(names);
    const workers = names.map(
      (name): WorkerProcess =>
        lectern.work({
          holder: name,
          env: {
            LECTERN_DATABASE_URL: databaseUrl(target),
            LECTERN_ALLOW_PRIVATE_NETWORKS: 'true',
            AI_TYPE: 'openai',
            AI_BASE_URL: model.url,
            AI_MODEL: 'counting',
            AI_API_KEY: name,
          },
        }),
    );
    const [anna, ben, clara] = workers as [WorkerProcess, WorkerProcess, WorkerProcess, WorkerProcess];

    /** Calls of workers that were killed or stopped before they had committed the result. */
    const lost = new Set<Call>();
    const uncommitted = async (name: string) => {
      const kept = await itemsOf(store, feedIds);
      for (const call of model.calls) if (call.worker === name && !kept.has(call.title)) lost.add(call);
    };
    const moments = [5, 14, 22].map((from) => from + Math.floor(Math.random() * 7));
    const said = `killed and stopped at calls ${moments.join(', ')}`;

    await started;
    await model.reached(moments[0] as number);
    anna.signal('SIGKILL');
    await anna.ended;
    await uncommitted('anna');
    // Clara is stopped while it waits for an answer, so it has looked at its lease and has no call left to send.
    await model.reached(moments[1] as number);
    await model.holdNextCall('clara');
    await stopOutsideTransaction(target, clara);
    await model.reached(moments[2] as number);
    ben.signal('SIGKILL');
    await ben.ended;
    await uncommitted('ben');

    const finished = async () => {
      const states = await store.deframerFeeds.list();
      const errors = states.flatMap(({ lastError }) => lastError ?? []);
      if (errors.length > 0) throw new Error(`${said}: ${errors.join('; ')}`);
      return states.every(({ nextRunAt, isRunning }) => nextRunAt === null && !isRunning);
    };
    await until(`all feeds are done; ${said}`, finished, 90_000);
    const before = await itemsOf(store, feedIds);
    for (const call of model.calls) {
      const kept = before.get(call.title)?.analysis.title_corrected;
      if (call.worker === 'clara' && !kept?.startsWith('clara')) lost.add(call);
    }
    const cached = await Promise.all(feedIds.map((id) => store.deframeRuns.findBuilt(id)));
    const asked = model.calls.length;
    clara.signal('SIGCONT');
    // Awake again, it finds out by itself; nothing of what it had in hand may come through.
    await store.deframerFeeds.change(feedIds[0] as string, { polling: true });
    clara.signal('SIGTERM');
    await clara.ended;
    expect(model.calls.length, said).toBe(asked);
    expect(await itemsOf(store, feedIds), said).toEqual(before);
    expect(await Promise.all(feedIds.map((id) => store.deframeRuns.findBuilt(id))), said).toEqual(cached);

    const times = Map.groupBy(model.calls, ({ title }) => title);
    expect(times.size, said).toBe(feeds * articles);
    const repeatedForNothing = [...times.values()].filter((calls) =>
      calls.slice(0, -1).some((call) => !lost.has(call)),
    );
    expect(repeatedForNothing, said).toEqual([]);
    expect(before.size, said).toBe(feeds * articles);
    for (const [title, item] of before) {
      // The one that was kept is of the last worker that was asked to, never of one that lost the feed.
      const last = times.get(title)?.at(-1)?.worker;
      expect(item.analysis.title_corrected, said).toBe(`${last} on ${title}`);
    }
    for (const [n, built] of cached.entries()) {
      expect(built?.itemRefs, said).toHaveLength(articles);
      expect(built?.itemRefs, said).toContain(itemHash(`${site}/everywhere`));
      expect(built?.xmlContent, said).toContain(`Everywhere, in feed ${n}`);
    }
    await store.close();
  });
});
