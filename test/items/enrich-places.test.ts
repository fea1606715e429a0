// Many pages of a host that never answers: the others are read as if it were not there.
import type { Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { enrichItem } from '../../src/items/enrich-item.ts';
import { enrichKind } from '../../src/items/enrich-kind.ts';
import { saveItem } from '../../src/items/save-item.ts';
import { createRegistry, defineJob, type JobDefinition } from '../../src/jobs/registry.ts';
import { Runner } from '../../src/jobs/runner.ts';
import { usualSettings } from '../../src/jobs/settings.ts';
import { createHostTurns } from '../../src/outbound/host-turns.ts';
import { onEachEngine, openFreshStore } from '../support/engines.ts';
import { pageOf, quiet, simpleReader } from '../support/enriching.ts';
import { folderFiles, temporaryFolder } from '../support/library.ts';
import { createWorld } from '../support/outbound.ts';
import { addUser } from '../support/reader.ts';
import { until } from '../support/until.ts';

const pagesOfHostile = 30;
const others = 20;
/** No request is given up while the test runs. */
const patient = { firstByteMs: 600_000, totalMs: 600_000 };

onEachEngine('the places for saved pages', (engine) => {
  it('are not all taken by one host that does not answer', async () => {
    const { store } = await openFreshStore(engine);
    const now = Date.now;
    const world = createWorld({ now, pauses: store.hostPauses, limits: patient });
    const stalled = new Set<Socket>();
    await world.rawSite('hostile.example', (socket) => stalled.add(socket));
    await world.site('site.example', (_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end(pageOf({ title: 'A title' })),
    );
    const { rows } = await addUser(store, 'anna', 'owner');
    const save = (url: string) => saveItem(rows, { url });
    // The hostile ones first in the queue.
    for (let n = 0; n < pagesOfHostile; n++) await save(`http://hostile.example/${n}`);
    for (let n = 0; n < others; n++) await save(`http://site.example/${n}`);

    const deps = {
      enrichments: store.enrichments,
      outbound: world.outbound,
      turns: createHostTurns(now),
      now,
      library: { files: await folderFiles(await temporaryFolder()), requireWriter: async () => {} },
      page: simpleReader,
      log: quiet,
    };
    const handler: JobDefinition['handler'] = ({ payload, ...context }) =>
      enrichItem(deps, enrichKind.schema.parse(payload), context);
    const runner = new Runner({
      queue: store.jobs,
      registry: createRegistry([defineJob({ ...enrichKind, handler }) as JobDefinition]),
      holder: 'test',
      settings: { ...usualSettings, concurrency: 6, drainMs: 0 },
      log: quiet,
      random: Math.random,
    });
    onTestFinished(async () => {
      for (const socket of stalled) socket.destroy();
      await runner.stop();
      await store.close();
    });
    const succeeded = async () => {
      const counters = await store.jobs.counters.list();
      return counters.find(({ counter }) => counter === 'item:succeeded')?.n;
    };
    await until('the others are read', async () => (await succeeded()) === others);
    expect(stalled.size).toBeLessThanOrEqual(2);
  });
});
