// Pages that cannot be had, and what is said of them: to the person, in the log and in the figures.
import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { showQueue } from '../../src/api/queue-metrics.ts';
import { Unavailable } from '../../src/errors.ts';
import type { EnrichDeps } from '../../src/items/enrich-item.ts';
import { enrichKind } from '../../src/items/enrich-kind.ts';
import { failAbandoned } from '../../src/items/fail-abandoned.ts';
import { onEachEngine } from '../support/engines.ts';
import { listeningLog, pageOf, simpleReader } from '../support/enriching.ts';
import { url, useEnrichment } from '../support/enrichment-suite.ts';
import { startCanary } from '../support/outbound.ts';

const [minute, hour] = [60_000, 3_600_000];

onEachEngine('enrichment that fails', (engine) => {
  const t = useEnrichment(engine);

  describe('of a page that cannot be had', () => {
    it.each([401, 403, 404, 410, 451])('fails at once at status %i', async (status) => {
      t.pages['/a'] = { status };
      const id = await t.work.save(t.anna, url);
      expect(await t.work.work()).toEqual(['done']);
      expect(t.asked).toEqual(['/a']);
      const row = await t.work.item(t.anna, id);
      expect(row).toMatchObject({ enrichment_status: 'failed', enriched_at: null, snapshot_key: null });
      expect(row.enrichment_error).toMatch(/^[A-Z].*\.$/);
      expect(await t.work.keys()).toEqual([]);
    });

    it('fails after some attempts with growing pauses when it is only for now', async () => {
      t.pages['/a'] = { status: 500 };
      const id = await t.work.save(t.anna, url);
      const pauses: unknown[] = [];
      for (let n = 1; n < enrichKind.maxAttempts; n++) {
        const job = await t.work.claim();
        const outcome = job && (await t.work.attempt(job)).outcome;
        expect((await t.work.item(t.anna, id)).enrichment_status).toBe('pending');
        if (outcome?.kind === 'failed') pauses.push(outcome.retryInMs);
        t.clock.advance(hour);
      }
      expect(pauses).toEqual([60_000, 120_000, 240_000, 480_000]);
      expect(await t.work.work()).toEqual(['done']);
      expect(await t.work.item(t.anna, id)).toMatchObject({
        enrichment_status: 'failed',
        enrichment_error: 'The server has a problem of its own (status 500).',
      });
      expect(t.asked).toHaveLength(enrichKind.maxAttempts);
      t.clock.advance(24 * hour);
      expect(await t.work.work()).toEqual([]);
    });

    it('succeeds when it is back before that', async () => {
      t.pages['/a'] = { status: 503 };
      const id = await t.work.save(t.anna, url);
      await t.work.work();
      t.pages['/a'] = { body: pageOf({ title: 'Back' }) };
      t.clock.advance(hour);
      expect(await t.work.work()).toEqual(['done']);
      expect(await t.work.item(t.anna, id)).toMatchObject({ title: 'Back', enrichment_status: 'succeeded' });
    });

    it('waits without counting while the host asks for it, for a day', async () => {
      t.pages['/a'] = { status: 429, headers: { 'retry-after': '3600' } };
      const id = await t.work.save(t.anna, url);
      let times = 0;
      for (; times < 23; times++) {
        expect(await t.work.work()).toEqual(['returned']);
        t.clock.advance(hour + 1);
      }
      const ends: string[] = [];
      while ((await t.work.item(t.anna, id)).enrichment_status === 'pending') {
        ends.push(...(await t.work.work()));
        t.clock.advance(hour + 1);
      }
      expect(ends).toEqual(['failed', 'failed', 'failed', 'failed', 'done']);
      expect(await t.work.item(t.anna, id)).toMatchObject({
        enrichment_status: 'failed',
        enrichment_error: 'The server asks to be left alone for a while.',
      });
    });

    it('says nothing of our own network, nor of where in our code it went wrong', async () => {
      const canary = await startCanary();
      t.world.dns.set('inside.example', ['10.0.0.1']);
      const addresses = [
        `http://127.0.0.1:${canary.port}/a/path`,
        'http://inside.example/',
        'http://169.254.169.254/latest/meta-data/',
        'http://nowhere.example/',
      ];
      const ids = await Promise.all(addresses.map((address) => t.work.save(t.anna, address)));
      for (let n = 0; n < enrichKind.maxAttempts; n++) {
        await t.work.work();
        t.clock.advance(24 * hour);
      }
      const errors = new Set<string | null>();
      for (const id of ids) {
        const { enrichment_status, enrichment_error } = await t.work.item(t.anna, id);
        expect(enrichment_status).toBe('failed');
        errors.add(enrichment_error);
      }
      expect([...errors]).toEqual(['No server was found at this address on the public internet.']);
      expect(canary.bytes).toBe(0);
    });

    it('does not crash over an item without an address of the web', async () => {
      const id = await t.savePage('');
      await t.work.set(t.anna, id, { url: `urn:sha256:${'0'.repeat(64)}` });
      expect(await t.work.work()).toEqual(['done']);
      expect(await t.work.item(t.anna, id)).toMatchObject({
        enrichment_status: 'failed',
        enrichment_error: 'This is not an address that can be fetched.',
      });
    });

    it('fails when a page is larger than allowed, without reading it to its end', async () => {
      t.pages['/a'] = { body: Buffer.alloc(10 * 1024 * 1024 + 1, 'x') };
      const id = await t.work.save(t.anna, url);
      expect(await t.work.work()).toEqual(['done']);
      expect(await t.work.item(t.anna, id)).toMatchObject({
        enrichment_status: 'failed',
        enrichment_error: 'The answer is larger than allowed.',
      });
    });

    it('is a dead letter when something is wrong with us, and the item says no more than that', async () => {
      const id = await t.savePage(pageOf({}));
      await t.rework({
        page: {
          ...simpleReader,
          read: async () => {
            throw new TypeError('at /srv/lectern/src/items/secret.ts:1:1');
          },
        },
      });
      const ends: string[] = [];
      for (let n = 0; n < enrichKind.maxAttempts; n++) {
        ends.push(...(await t.work.work()));
        t.clock.advance(24 * hour);
      }
      expect(ends).toEqual(['failed', 'failed', 'failed', 'failed', 'dead']);
      const [job] = await t.store.jobs.list({ state: 'dead', limit: 9 });
      expect(job?.lastError).toBe('The page could not be read, since something went wrong here.');
      expect(await t.work.item(t.anna, id)).toMatchObject({
        enrichment_status: 'failed',
        enrichment_error: 'The page could not be read, since something went wrong here.',
      });
    });
  });

  describe('while the library is away', () => {
    const away = async (): Promise<never> => {
      throw new Unavailable('library', 'The library does not answer.');
    };

    it.each([
      ['before the page is fetched', { requireWriter: away, files: {} }, 0],
      ['when the copy is stored', { files: { put: away } }, 2 * enrichKind.maxAttempts],
    ])('leaves the item pending, however often an attempt ends %s', async (_what, failing, asked) => {
      const id = await t.savePage(pageOf({ title: 'Kept' }));
      const { deps } = t.work as { deps: { library: EnrichDeps['library'] } };
      const { library } = deps;
      deps.library = { ...library, ...failing, files: { ...library.files, ...failing.files } };
      for (let n = 0; n < 2 * enrichKind.maxAttempts; n++) {
        expect(await t.work.work()).toEqual(['returned']);
        t.clock.advance(minute);
      }
      expect(t.asked).toHaveLength(asked);
      const [job] = await t.store.jobs.list({ state: 'waiting', limit: 9 });
      expect(job).toMatchObject({ attempts: 0, lastError: null });
      expect((await t.work.item(t.anna, id)).enrichment_status).toBe('pending');
      deps.library = library;
      expect(await t.work.work()).toEqual(['done']);
      expect(await t.work.item(t.anna, id)).toMatchObject({ title: 'Kept', enrichment_status: 'succeeded' });
    });

    it('does not mark an item as failed before it is known which files it has', async () => {
      t.pages['/a'] = { status: 404 };
      const id = await t.work.save(t.anna, url);
      const { deps } = t.work as { deps: { library: EnrichDeps['library'] } };
      const { library } = deps;
      deps.library = {
        ...library,
        files: { ...library.files, list: away, listAll: away as never, read: away },
      };
      expect(await t.work.work()).toEqual(['returned']);
      expect((await t.work.item(t.anna, id)).enrichment_status).toBe('pending');
      deps.library = library;
      t.clock.advance(minute);
      expect(await t.work.work()).toEqual(['done']);
      expect((await t.work.item(t.anna, id)).enrichment_status).toBe('failed');
    });
  });

  describe('of items whose job nobody will do', () => {
    const rules = { leaseMs: 600_000, maxCrashes: 3, suspectDelayMs: 0 };
    const giveUp = () =>
      failAbandoned({ enrichments: t.store.enrichments, library: { files: t.work.files } });

    it('says that they have failed when workers ended over it', async () => {
      const id = await t.savePage(pageOf({}));
      for (let n = 0; n < 3; n++) {
        expect(await giveUp()).toBe(0);
        expect(await t.work.claim()).toBeDefined();
        await t.store.jobs.releaseHolder('test');
        await t.store.jobs.keep([], rules);
      }
      expect(await giveUp()).toBe(1);
      expect(await t.work.item(t.anna, id)).toMatchObject({
        enrichment_status: 'failed',
        enrichment_error: 'The worker ended three times while it was doing this.',
      });
      expect(await giveUp()).toBe(0);
    });

    it('says so when it was cancelled', async () => {
      const id = await t.savePage(pageOf({}));
      await t.store.jobs.cancel((await t.store.jobs.list({ limit: 1 }))[0]?.id ?? 0);
      expect(await giveUp()).toBe(1);
      expect((await t.work.item(t.anna, id)).enrichment_error).toBe('Reading the page was cancelled.');
    });

    it('leaves alone what was t.asked for again, what is deleted, and what is done', async () => {
      const again = await t.savePage(pageOf({}));
      await t.store.jobs.cancel((await t.store.jobs.list({ limit: 1 }))[0]?.id ?? 0);
      await t.work.enrichAgain(t.anna, again);
      const purged = await t.work.save(t.anna, 'http://site.example/b');
      await t.store.jobs.cancel((await t.store.jobs.list({ limit: 1 }))[0]?.id ?? 0);
      await t.work.set(t.anna, purged, { deleted_at: 1, deleted_by: 'person', purged_at: 2 });
      expect(await giveUp()).toBe(0);
      await t.work.work();
      expect(await giveUp()).toBe(0);
      expect((await t.work.item(t.anna, again)).enrichment_status).toBe('succeeded');
    });
  });

  describe('in the log and the figures', () => {
    it('tells of the start and the end, by ids and without addresses', async () => {
      const { log, lines } = listeningLog();
      await t.rework({ log });
      const good = await t.savePage(pageOf({ title: 'A title of somebody' }));
      const bad = await t.work.save(t.anna, 'http://site.example/none');
      await t.work.work();
      const told = lines().map(({ msg, item, user, ms }) => [msg, item, user, typeof ms]);
      expect(told).toEqual([
        ['a saved page: enrichment started', good, t.anna, 'undefined'],
        ['a saved page: enrichment succeeded', good, t.anna, 'number'],
        ['a saved page: enrichment started', bad, t.anna, 'undefined'],
        ['a saved page: enrichment failed', bad, t.anna, 'number'],
      ]);
      expect(JSON.stringify(lines())).not.toMatch(/site\.example|somebody/);
    });

    it('counts what became of items', async () => {
      await t.savePage(pageOf({}));
      await t.work.save(t.anna, 'http://site.example/none');
      await t.work.save(t.anna, 'http://site.example/none/2');
      await t.work.work();
      expect(await t.store.jobs.counters.list()).toEqual(
        expect.arrayContaining([
          { name: 'enrich-item', counter: 'item:succeeded', n: 1 },
          { name: 'enrich-item', counter: 'item:failed', n: 2 },
        ]),
      );
      const registry = new Registry();
      showQueue(registry, () => t.store.jobs);
      const metrics = await registry.metrics();
      expect(metrics).toContain('lectern_enrichments_total{outcome="succeeded"} 1');
      expect(metrics).toContain('lectern_enrichments_total{outcome="failed"} 2');
    });
  });
});
