// The mirror as it runs on Node: a real index, a real library and the guarded way out, against a server that answers as
// Raindrop does.
import { handHighlights } from '../../src/cli/mirror.ts';
import { searchSources } from '../../src/cli/search-sources.ts';
import type { Files } from '../../src/library/files/files.ts';
import type { BatchResult } from '../../src/mirror/host.ts';
import { type MirrorDeps, messageNow, runMirrorBatch } from '../../src/mirror/node/mirror.ts';
import { Secret } from '../../src/model/secret.ts';
import { createOutbound } from '../../src/outbound/outbound.ts';
import { memoryOfPauses } from '../../src/outbound/pace.ts';
import type { Store } from '../../src/store/store.ts';
import type { TestClock } from './clock.ts';
import { quiet } from './enriching.ts';
import { type IndexPlace, openPair, randomText } from './library.ts';
import type { RaindropServer } from './raindrop-server.ts';
import { indexAll } from './search-docs.ts';

export async function openMirror(place: IndexPlace, files: Files, server: RaindropServer, clock: TestClock) {
  const pair = await openPair(place, files, clock);
  const { store } = pair;
  const owner =
    (await store.users.findOwner()) ??
    (await store.users.create({ username: 'owner', passwordHash: null, role: 'owner' }));
  const outbound = createOutbound({
    now: clock.now,
    randomText,
    userAgent: 'Lectern/test',
    allowPrivateNetworks: true,
    pauses: memoryOfPauses(clock.now),
  });
  const deps: MirrorDeps = {
    ...{ store, library: pair.library, outbound, log: quiet, now: clock.now, random: () => 0.5 },
    raindrop: { token: new Secret(server.switches.token), apiUrl: server.apiUrl },
    pause: async (ms) => clock.advance(ms),
    onStored: (userId) => handHighlights(store, userId),
  };
  const batch = async (signal = new AbortController().signal): Promise<BatchResult> => {
    const message = await messageNow(deps);
    const result = await runMirrorBatch(deps, message, { holder: randomText(6), signal });
    if (!result) throw new Error('a batch that is due was dropped');
    return result;
  };
  return {
    ...pair,
    deps,
    userId: owner.id,
    rows: store.forUser(owner.id),
    batch,
    /** To the end of a run, and on to when the next is due. */
    async run(): Promise<BatchResult[]> {
      const batches: BatchResult[] = [];
      do {
        batches.push(await batch());
        clock.advance(batches.at(-1)?.delay ?? 0);
        if (batches.length > 200) throw new Error('the run does not end');
      } while (!batches.at(-1)?.isDone);
      return batches;
    },
    index: () => indexItems(store, files),
    async end() {
      await outbound.close();
      await pair.close();
    },
  };
}

export async function indexItems(store: Store, files: Files): Promise<void> {
  await indexAll(store, ...Object.values(searchSources(store, files)));
}
