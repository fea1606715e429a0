// The process is killed between any two writes, on a real index and a real library: what the next one makes of it is whole.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { handHighlights } from '../../src/cli/mirror.ts';
import { checkLibrary } from '../../src/library/check.ts';
import { sha256Of } from '../../src/library/files/files.ts';
import { type MirrorDeps, messageNow, runMirrorBatch } from '../../src/mirror/node/mirror.ts';
import { stateKeys } from '../../src/mirror/run-state.ts';
import { createStore } from '../../src/store/store.ts';
import { TestClock, tieClocks } from '../support/clock.ts';
import { onEachEngine } from '../support/engines.ts';
import { CrashError, Faults, forEachFault } from '../support/faults.ts';
import { faultyDatabase } from '../support/faulty-database.ts';
import { faultyFiles } from '../support/faulty-files.ts';
import { folderFiles, randomText, reinflateInto, temporaryFolder } from '../support/library.ts';
import { openMirror } from '../support/mirror-node.ts';
import { type RaindropServer, startRaindropServer } from '../support/raindrop-server.ts';

/** Right after a write is right before the next one, but for what nobody was told of: not each is tried twice. */
const moments = [
  ['before', 1],
  ['after', 5],
] as const;
const day = 24 * 3_600_000;
/** In an order in which none is named by another that is left. */
const tables = ['raindrops', 'item_tags', 'annotations', 'resources', 'items', 'mirror_state'] as const;
const text = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);

onEachEngine('the mirror in a process that is killed', (engine) => {
  let clock: TestClock;
  let server: RaindropServer;
  let folder: string;
  let mirror: Awaited<ReturnType<typeof openMirror>>;

  beforeEach(async () => {
    clock = new TestClock(Date.parse('2026-03-01T05:15:00Z'));
    server = await startRaindropServer({ now: clock.now });
    folder = await temporaryFolder();
    mirror = await openMirror(await engine.emptyDatabase(), await folderFiles(folder, clock), server, clock);
    // What the index takes for the time goes with ours: the lease of a process that was killed runs out.
    tieClocks(mirror.database, clock);
    onTestFinished(async () => {
      await mirror.end();
      await server.close();
    });
  });

  /** Another process on the same index and library, until it is killed by plan. */
  async function process(faults: Faults): Promise<MirrorDeps> {
    const store = createStore(faultyDatabase(mirror.database, faults), clock.now);
    const { requireWriter } = mirror.library;
    return {
      ...mirror.deps,
      store,
      library: { files: faultyFiles(await folderFiles(folder, clock), faults), requireWriter },
      onStored: (userId) => handHighlights(store, userId),
    };
  }

  async function runToEnd(faults = new Faults()): Promise<void> {
    const deps = await process(faults);
    const options = { holder: randomText(6), signal: new AbortController().signal };
    for (let n = 0; n < 20; n++) {
      const result = await runMirrorBatch(deps, await messageNow(deps), options);
      if (!result) throw new Error('a batch that is due was dropped');
      clock.advance(result.delay);
      if (result.isDone) return;
    }
    throw new Error('the run does not end');
  }

  const cursor = async () => (await mirror.store.mirrorState.get(stateKeys.cursor)) ?? '';
  const live = () => server.account.all().filter(({ removed }) => !removed);

  /** Killed somewhere, and taken up by the next one: the worker does that by the lease, or the next day does. */
  async function killAndRecover(faults: Faults): Promise<void> {
    const before = await cursor();
    await runToEnd(faults).catch((error) => {
      if (!(error instanceof CrashError)) throw error;
    });
    const between = await cursor();
    clock.advance(day);
    await runToEnd();
    const after = await cursor();
    expect([before, between, after]).toEqual([before, between, after].toSorted());
    await expectWhole();
  }

  /** Neither more nor less than Raindrop has, in every place where it is kept. */
  async function expectWhole(): Promise<void> {
    const { files } = mirror.library;
    const ids = live().map(({ _id }) => _id);
    expect(await mirror.rows.raindrops.ids(0)).toEqual(ids);
    const items = await mirror.rows.items.list({ limit: 500 });
    // No sync takes away the page of a highlight that is gone.
    const shown = items
      .filter(({ origins }) => origins.includes('raindrop'))
      .map(({ url, title, tags, hasPermanentCopy }) => ({ url, title, tags, hasPermanentCopy }));
    expect(shown.toSorted((one, other) => (one.url < other.url ? -1 : 1))).toEqual(
      live().map(({ link: url, title, tags, cache }) => ({
        ...{ url, title, tags: tags.toSorted(), hasPermanentCopy: cache?.status === 'ready' },
      })),
    );
    const lines: string[] = [];
    for await (const { key } of files.listAll('manifests/'))
      if (key.endsWith('.jsonl'))
        lines.push(
          ...text(await files.read(key))
            .trimEnd()
            .split('\n'),
        );
    expect(new Set(lines).size).toBe(lines.length);
    for (const raindrop of live()) {
      const read = (name: string) => files.read(`raindrops/${raindrop._id}/${name}`);
      const meta = JSON.parse(text(await read('meta.json')));
      expect(JSON.parse(text(await read('raw.json')))).toEqual(JSON.parse(JSON.stringify(raindrop)));
      expect(meta).toMatchObject({
        removed_at: null,
        copy_created: raindrop.cache?.created ?? null,
        raw_sha256: sha256Of((await read('raw.json')) as Uint8Array),
        text_sha256: sha256Of((await read('plain.txt')) as Uint8Array),
        chunks_sha256: sha256Of((await read('chunks.jsonl')) as Uint8Array),
        sha256: raindrop.cache ? sha256Of((await read('permacopy.html')) as Uint8Array) : null,
      });
      expect(
        lines.filter((line) =>
          line.startsWith(`{"id":${raindrop._id},"updated_at":"${raindrop.lastUpdate}"`),
        ),
      ).toHaveLength(1);
    }
    const marks = await mirror.rows.highlights.list('annotations', { limit: 50 });
    expect(marks.map((mark) => mark.text).sort()).toEqual(
      live()
        .flatMap(({ highlights }) => highlights.map((mark) => mark.text))
        .sort(),
    );
  }

  /** Every file that a row names is there and is what the row says, with those of what is gone; no row is missing one. */
  async function expectLibraryWhole(): Promise<void> {
    const check = await checkLibrary(mirror.library.files, (table) => mirror.store.durableRows(table), {
      readData: true,
      lastSet: null,
    });
    expect(check.problems).toEqual([]);
    expect(check.orphans).toEqual([]);
  }

  function add(n: number, fields: Parameters<RaindropServer['account']['add']>[0] = {}): void {
    const { _id } = server.account.add({
      ...{ link: `https://example.org/${String(n).padStart(5, '0')}`, title: `Number ${n}`, tags: ['sea'] },
      ...fields,
    });
    if (n % 2 === 1) server.account.highlight(_id, { text: `a passage of ${n}` });
  }

  function fill(): void {
    for (const { _id } of server.account.all()) server.account.purge(_id);
    for (let n = 0; n < 4; n++)
      add(n, {
        // Two of them in one moment.
        lastUpdate: clock.now() - 10_000 + Math.floor(n / 2) * 1_000,
        ...(n % 2 === 0 && { copy: { html: `<p>Text ${n}</p>` } }),
      });
  }

  let made = 100;
  /** One of each thing; there are four again after it. */
  function change(): void {
    for (const { _id, removed } of server.account.all()) if (removed) server.account.purge(_id);
    const [first, second, third, fourth] = live().map(({ _id }) => _id) as [number, number, number, number];
    server.account.edit(third, { title: `Edited ${made}`, tags: ['later', `t${made}`] });
    server.account.setCopy(third, { html: `<p>Another text ${made}</p>` });
    server.account.retag(fourth, ['sea', `r${made}`]);
    server.account.trash(first);
    server.account.purge(second);
    add(++made, { copy: { html: `<p>Text ${made}</p>` } });
    add(++made);
  }

  /** Neither the index nor the library knows of anything. */
  async function forget(): Promise<void> {
    for (const name of ['raindrops', 'manifests'])
      rmSync(join(folder, name), { recursive: true, force: true });
    await mirror.database.write(async (trx) => {
      for (const table of tables) await trx.deleteFrom(table).execute();
    });
  }

  it.each(moments)(
    'in its first run, right %s a write, leaves nothing out and nothing twice',
    async (moment, stride) => {
      const tried = await forEachFault(
        { moment },
        async (faults) => {
          await forget();
          fill();
          await killAndRecover(faults);
          await expectLibraryWhole();
        },
        { stride },
      );
      expect(tried).toBeGreaterThan(30);
    },
  );

  it.each(moments)(
    'in a run that meets changes, right %s a write, leaves nothing out and nothing twice',
    async (moment, stride) => {
      fill();
      await runToEnd();
      const tried = await forEachFault(
        { moment },
        async (faults) => {
          change();
          await killAndRecover(faults);
        },
        { stride },
      );
      expect(tried).toBeGreaterThan(30);
      await expectLibraryWhole();
      await mirror.flush();
      const { hash } = await mirror.store.stateHash();
      const target = await engine.freshTarget();
      await reinflateInto(target, mirror.library.files);
      const again = await openMirror(target, mirror.library.files, server, clock);
      onTestFinished(() => again.end());
      expect((await again.store.stateHash()).hash).toBe(hash);
    },
  );
});
