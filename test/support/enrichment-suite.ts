// What suites about enrichment begin with: two users, a site whose pages they write, and a worker.
import type { RequestListener } from 'node:http';
import { beforeAll, beforeEach, expect } from 'vitest';
import type { EnrichDeps } from '../../src/items/enrich-item.ts';
import { sha256Of } from '../../src/library/files/files.ts';
import { type Engine, openFreshStore } from './engines.ts';
import { createEnriching } from './enriching.ts';
import { createWorld } from './outbound.ts';
import { addUser } from './reader.ts';

export interface SitePage {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
}

/** The page that `savePage` saves. */
export const url = 'http://site.example/a';

export const image = (body = 'an image'): SitePage => ({ headers: { 'content-type': 'image/png' }, body });

type Suite = Awaited<ReturnType<typeof begin>>;
type Opened = Awaited<ReturnType<typeof openFreshStore>>;

/** Begun anew before each test, in an index that only users are left in. */
export function useEnrichment(engine: Engine): Suite {
  let opened: Opened;
  let current: Suite;
  beforeAll(async () => {
    opened = await openFreshStore(engine);
    return () => opened.store.close();
  });
  beforeEach(async () => {
    current = await begin(opened);
  });
  return new Proxy({} as Suite, { get: (_, name) => Reflect.get(current, name) });
}

let users = 0;

async function begin(opened: Opened) {
  const { store, database, clock } = opened;
  await database.write(async (trx) => {
    for (const table of [
      'bookmarks',
      'items',
      'jobs',
      'job_counters',
      'host_pauses',
      'search_pending',
    ] as const)
      await trx.deleteFrom(table).execute();
  });
  const anna = (await addUser(store, `anna${++users}`)).id;
  const berta = (await addUser(store, `berta${users}`)).id;
  const world = createWorld({ now: clock.now, pauses: store.hostPauses });
  const pages: Record<string, SitePage> = {};
  const asked: string[] = [];
  const answer: RequestListener = (request, response) => {
    const path = request.url ?? '';
    asked.push(path);
    const { status = 200, headers = {}, body = '' } = pages[path] ?? { status: 404, body: 'Not found' };
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(body);
  };
  await world.site('site.example', answer);
  const work = await createEnriching(opened, world);

  const suite = {
    store,
    database,
    clock,
    world,
    anna,
    berta,
    /** What the site has, by path. */
    pages,
    /** The paths that the site was asked for. */
    asked,
    work,
    savePage(body: string): Promise<number> {
      pages['/a'] = { body };
      return suite.work.save(anna, url);
    },
    /** The same library, another worker. */
    async rework(over: Partial<EnrichDeps>): Promise<void> {
      suite.work = await createEnriching(opened, world, { files: suite.work.files, ...over });
    },
    /** Every file that the row names is there, with the hash that the row has, and no other. */
    async expectNamedFiles(itemId: number, { evenOthers = false } = {}): Promise<void> {
      const row = await suite.work.item(anna, itemId);
      const named = Object.entries(JSON.parse(row.snapshot_files ?? '{}')).map(
        ([name, hash]) => [`${row.snapshot_key}/${name}`, hash] as const,
      );
      if (row.thumbnail_key) named.push([`thumbnails/${row.thumbnail_key}`, row.thumbnail_sha256]);
      for (const [key, hash] of named) {
        const bytes = await suite.work.files.read(key);
        expect([key, bytes && sha256Of(bytes)]).toEqual([key, hash]);
      }
      if (evenOthers) return;
      const present = await Promise.all(
        [`items/${itemId}/`, `thumbnails/${anna}/${itemId}.`].map((prefix) => suite.work.files.list(prefix)),
      );
      const keys = present.flatMap((page) => page.files.map(({ key }) => key));
      expect(keys.sort()).toEqual(named.map(([key]) => key).sort());
    },
  };
  return suite;
}
