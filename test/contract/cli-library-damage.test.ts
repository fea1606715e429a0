// Every kind of file in the library: with one bit changed, and removed. `library check` names it; `library repair` restores it or lists it.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeLock } from '../../src/library/lock.ts';
import { mirrorLease } from '../../src/mirror/node/mirror.ts';
import type { Target } from '../../src/store/open.ts';
import { TestClock } from '../support/clock.ts';
import { runCli } from '../support/command-line.ts';
import { onEachEngine } from '../support/engines.ts';
import { changeItem, keepCopy, saveItem } from '../support/items.ts';
import { databaseUrl } from '../support/lectern-process.ts';
import { folderFiles, openPair, temporaryFolder } from '../support/library.ts';
import { openMirror } from '../support/mirror-node.ts';
import { startRaindropServer } from '../support/raindrop-server.ts';

type Outcome = 'restored' | 'fetched again' | 'listed' | 'ignored';

const kinds: readonly (readonly [kind: string, key: RegExp, outcome: Outcome])[] = [
  ['library.json', /^library\.json$/, 'restored'],
  ['a segment of the journal', /^journal\//, 'restored'],
  ['the readable text of an item', /^items\/\d+\/readable\.html$/, 'fetched again'],
  ['the plain text of an item', /^items\/\d+\/plain\.txt$/, 'fetched again'],
  ['the facts of an item', /^items\/\d+\/meta\.json$/, 'fetched again'],
  ['a thumbnail', /^thumbnails\//, 'fetched again'],
  ['the facts of a raindrop', /^raindrops\/\d+\/raw\.json$/, 'listed'],
  ['the permanent copy of a raindrop', /^raindrops\/\d+\/permacopy\.html$/, 'listed'],
  ['the text of a raindrop', /^raindrops\/\d+\/plain\.txt$/, 'listed'],
  ['the hashes of a raindrop', /^raindrops\/\d+\/meta\.json$/, 'listed'],
  ['the chunks of a raindrop', /^raindrops\/\d+\/chunks\.jsonl$/, 'listed'],
  ['a manifest', /^manifests\/.*\.jsonl$/, 'restored'],
  ['the collections of the mirror', /^manifests\/collections\.json$/, 'listed'],
  // A running server writes its lock again within ten seconds.
  ['the lock of a server', /^locks\//, 'ignored'],
];

onEachEngine('lectern library', (engine) => {
  let scene: { folder: string; target: Target; keys: string[] };

  beforeAll(async () => {
    const clock = new TestClock(Date.parse('2026-03-01T05:15:00Z'));
    const server = await startRaindropServer({ now: clock.now });
    const folder = mkdtempSync(join(tmpdir(), 'lectern-library-'));
    const files = await folderFiles(folder, clock);
    const target = await engine.freshTarget();
    const mirror = await openMirror(target, files, server, clock);
    const collection = server.account.addCollection({ title: 'Sea' });
    server.account.add({
      ...{
        link: 'https://example.org/tide',
        title: 'Low water',
        tags: ['sea'],
        collectionId: collection._id,
      },
      copy: { html: '<title>x</title><p>Curlews call.</p>' },
    });
    await mirror.run();
    const id = await saveItem(mirror.database, mirror.userId, 'https://example.org/heron');
    const copy = await keepCopy(
      files,
      { id, userId: mirror.userId },
      { text: 'A heron', thumbnail: 'picture' },
    );
    await changeItem(mirror.database, id, { ...copy, enrichment_status: 'succeeded' });
    await mirror.flush();
    await writeLock({ files, self: { machine: 'elsewhere', pid: 1, started: undefined } }, 'server');
    const keys = (await Array.fromAsync(files.listAll(''))).map(({ key }) => key);
    await mirror.end();
    await server.close();
    scene = { folder, target, keys };
  });
  afterAll(() => rmSync(scene.folder, { recursive: true, force: true }));

  const open = async () => {
    const folder = await temporaryFolder();
    cpSync(scene.folder, folder, { recursive: true, preserveTimestamps: true });
    const target = await engine.freshTarget({ copyOf: scene.target });
    const env = { LECTERN_DATABASE_URL: databaseUrl(target), LECTERN_LIBRARY_URL: `file:${folder}` };
    return { folder, target, run: (...args: string[]) => runCli(['library', ...args], { env }) };
  };

  it('check finds no problem in an undamaged library', async () => {
    const { run } = await open();
    expect(await run('check', '--read-data')).toMatchObject({ code: 0 });
    expect(await run('check')).toMatchObject({ code: 0 });
  });

  it('check lists the first files that no row refers to, and counts the others', async () => {
    const { folder, run } = await open();
    const names = Array.from({ length: 12 }, (_, n) => `thumbnails/1/${900 + n}.jpg`);
    mkdirSync(join(folder, 'thumbnails/1'), { recursive: true });
    for (const name of names) writeFileSync(join(folder, name), 'x');
    const { code, stdout } = await run('check');
    expect(code).toBe(0);
    expect(stdout.match(/: no row refers to it$/gm)).toHaveLength(5);
    expect(stdout).toContain('No row refers to 7 other files.');
    expect(stdout).toContain('12 orphans');
    const { orphans } = JSON.parse((await run('check', '--json')).stdout);
    expect(orphans).toEqual(names);
  });

  describe.each(kinds)('%s', (_kind, pattern, outcome) => {
    const find = () => scene.keys.find((key) => pattern.test(key)) ?? 'no such file';

    it.each(['is removed', 'has one changed bit'])(
      '%s: check names it, and repair restores or lists it',
      async (harm) => {
        const { folder, run } = await open();
        const key = find();
        const path = join(folder, key);
        const whole = readFileSync(path);
        // Any title is valid in the list of collections, which has no hash.
        const places = key.endsWith('collections.json') ? [0] : [0, whole.length >> 1, whole.length - 2];
        for (const place of harm === 'is removed' ? [-1] : places) {
          if (place === -1) rmSync(path);
          else writeFileSync(path, withChangedBit(whole, place));
          const checked = await run('check', '--read-data');
          expect(checked.code).toBe(outcome === 'ignored' ? 0 : 1);
          if (outcome !== 'ignored') expect(checked.stdout + checked.stderr).toContain(key);
        }

        const repaired = await run('repair');
        expect(repaired.code).toBe(outcome === 'listed' ? 1 : 0);
        if (outcome === 'fetched again') expect(repaired.stdout).toContain('https://example.org/heron');
        else if (outcome !== 'ignored') expect(repaired.stdout).toContain(key);
        if (outcome === 'restored') expect(await run('check', '--read-data')).toMatchObject({ code: 0 });
      },
    );
  });

  it('a missing manifest is listed and not written while the mirror runs', async () => {
    const { folder, target, run } = await open();
    const key = scene.keys.find((each) => /^manifests\/.*\.jsonl$/.test(each)) ?? '';
    rmSync(join(folder, key));
    const pair = await openPair(target, await folderFiles(folder));
    try {
      const lease = await pair.store.leases.acquire(mirrorLease, 'the mirror', 60_000);
      expect(lease).toBeDefined();
      const repaired = await run('repair');
      expect(repaired).toMatchObject({
        code: 1,
        stdout: expect.stringContaining(`${key}: it is missing; try again`),
      });
      expect(existsSync(join(folder, key))).toBe(false);
    } finally {
      await pair.close();
    }
  });
});

function withChangedBit(bytes: Buffer, at: number): Buffer {
  const changed = Buffer.from(bytes);
  changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
  return changed;
}
