// What the mirror relies on, whoever lends it: held against every implementation of Objects and MirrorIndex.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MirroredCollection, MirrorIndex, Objects } from '../../src/mirror/host.ts';
import { mirroredRaindrop as raindrop, sha256 } from '../support/mirrored-raindrop.ts';

export interface OpenObjects {
  readonly objects: Objects;
  close(): Promise<void>;
}

export interface OpenIndex {
  readonly index: MirrorIndex;
  /** What it has of a live raindrop; the tags in order. */
  look(id: number): Promise<{ readonly title: string; readonly tags: readonly string[] } | undefined>;
  /** By id; undefined for an index that keeps none. */
  collections(): Promise<readonly MirroredCollection[] | undefined>;
  close(): Promise<void>;
}

/** Opened once, empty. */
export function objectsContract(name: string, open: () => Promise<OpenObjects>): void {
  describe(name, () => {
    let { objects, close } = {} as OpenObjects;

    beforeAll(async () => {
      ({ objects, close } = await open());
    });
    afterAll(() => close());

    const readText = async (key: string) => {
      const bytes = await objects.read(key);
      return bytes && new TextDecoder().decode(bytes);
    };
    const listed = (prefix: string) => Array.fromAsync(objects.list(prefix));

    it('have nothing where nothing was put', async () => {
      expect(await objects.read('raindrops/1/raw.json')).toBeUndefined();
      expect(await objects.readVersion('raindrops/1/raw.json')).toBeUndefined();
      expect(await objects.sha256('raindrops/1/raw.json')).toBeUndefined();
      expect(await listed('')).toEqual([]);
    });

    it('give back what was put, and what was put last', async () => {
      const key = 'raindrops/2/plain.txt';
      for (const text of ['Grüße', 'カメラ 😀\n', '', 'again']) {
        await objects.put(key, text, 'text/plain; charset=utf-8');
        expect(await readText(key)).toBe(text);
        expect(await objects.sha256(key)).toBe(sha256(text));
      }
    });

    it('give back every byte as it was', async () => {
      const bytes = Uint8Array.from({ length: 100_000 }, (_, n) => (n * 31 + (n >> 8)) % 256);
      await objects.put('raindrops/3/permacopy.html', bytes, 'application/pdf');
      expect(sha256((await objects.read('raindrops/3/permacopy.html')) ?? '')).toBe(sha256(bytes));
      expect(await objects.sha256('raindrops/3/permacopy.html')).toBe(sha256(bytes));
      const found = await objects.readVersion('raindrops/3/permacopy.html');
      expect(sha256(found?.bytes ?? '')).toBe(sha256(bytes));
    });

    it('are made by the first of two that find nothing', async () => {
      const key = 'manifests/2026-01.jsonl';
      expect(await objects.putIf(key, 'one\n', undefined)).toBe(true);
      expect(await objects.putIf(key, 'two\n', undefined)).toBe(false);
      expect(await readText(key)).toBe('one\n');
      expect(await objects.sha256(key)).toBe(sha256('one\n'));
    });

    it('are changed by the first of two that have read the same', async () => {
      const key = 'manifests/2026-02.jsonl';
      await objects.put(key, 'one\n');
      const found = await objects.readVersion(key);
      expect(new TextDecoder().decode(found?.bytes)).toBe('one\n');
      expect(await objects.putIf(key, 'one\ntwo\n', found?.version)).toBe(true);
      expect(await objects.putIf(key, 'one\nthree\n', found?.version)).toBe(false);
      expect(await readText(key)).toBe('one\ntwo\n');
      const again = await objects.readVersion(key);
      expect(await objects.putIf(key, 'one\ntwo\nthree\n', again?.version)).toBe(true);
      expect(await readText(key)).toBe('one\ntwo\nthree\n');
    });

    it('are not made for whoever has read a version that is gone', async () => {
      await objects.put('manifests/2026-03.jsonl', 'elsewhere\n');
      const found = await objects.readVersion('manifests/2026-03.jsonl');
      expect(await objects.putIf('manifests/2026-04.jsonl', 'x\n', found?.version)).toBe(false);
      expect(await objects.read('manifests/2026-04.jsonl')).toBeUndefined();
    });

    it('are listed in rising order under a prefix, which may end within a name', async () => {
      const names = ['1/raw.json', '10/raw.json', '2/raw.json', '1-a/raw.json', '1/meta.json', '11/raw.json'];
      const keys = names.map((one) => `listed/${one}`);
      for (const key of keys) await objects.put(key, '');
      expect(await listed('listed/')).toEqual(keys.toSorted());
      expect(await listed('listed/1/')).toEqual(['listed/1/meta.json', 'listed/1/raw.json']);
      expect(await listed('listed/1')).toEqual(keys.toSorted().filter((key) => !key.includes('/2/')));
      expect(await listed('listed/none/')).toEqual([]);
    });

    it('name the folders right under a prefix, each once', async () => {
      for (const key of ['7/raw.json', '7/meta.json', '70/deep/er.txt', '8/raw.json', 'file.txt'])
        await objects.put(`folders/${key}`, '');
      const folders = async (prefix: string) => (await Array.fromAsync(objects.folders(prefix))).sort();
      expect(await folders('folders/')).toEqual(['7', '70', '8']);
      expect(await folders('folders/70/')).toEqual(['deep']);
      expect(await folders('folders/8/')).toEqual([]);
      expect(await folders('none/')).toEqual([]);
    });
  });
}

/** Opened once, empty. */
export function mirrorIndexContract(name: string, open: () => Promise<OpenIndex>): void {
  describe(name, () => {
    let { index, look, collections, close } = {} as OpenIndex;

    beforeAll(async () => {
      ({ index, look, collections, close } = await open());
    });
    afterAll(() => close());

    const live = () => Array.fromAsync(index.liveIds());
    const removedAt = '2026-01-01T00:00:00.000Z';

    it('begins with nothing', async () => {
      expect(await index.count()).toBe(0);
      expect(await live()).toEqual([]);
      expect(await index.known([1, 2])).toEqual(new Set());
      await index.upsert([]);
      expect(await index.known([])).toEqual(new Set());
    });

    it('has once what it was given twice', async () => {
      const two = [raindrop(12), raindrop(11, { tags: ['one', 'two'] })];
      await index.upsert(two);
      await index.upsert(two);
      expect(await live()).toEqual([11, 12]);
      expect(await index.count()).toBe(2);
      expect(await index.known([10, 11, 12, 13])).toEqual(new Set([11, 12]));
      expect(await look(11)).toEqual({ title: 'Title 11', tags: ['one', 'two'] });
    });

    it('has the title and tags that it was given last', async () => {
      await index.upsert([
        raindrop(21, { tags: ['kept', 'lost'] }),
        raindrop(22, { tags: ['kept', 'lost'] }),
      ]);
      await index.upsert([raindrop(21, { title: 'Another', tags: ['kept', 'new'] })]);
      expect(await look(21)).toEqual({ title: 'Another', tags: ['kept', 'new'] });
      expect(await look(22)).toEqual({ title: 'Title 22', tags: ['kept', 'lost'] });
      await index.upsert([raindrop(21)]);
      expect(await look(21)).toEqual({ title: 'Title 21', tags: [] });
    });

    it('has no removed one as live, and has it again once it is back', async () => {
      const before = await index.count();
      const whole = raindrop(31, { tags: ['here'] });
      await index.upsert([whole, raindrop(32), raindrop(33, { removedAt })]);
      await index.upsert([{ ...whole, removedAt }]);
      expect(await index.known([31, 32, 33])).toEqual(new Set([32]));
      expect(await index.count()).toBe(before + 1);
      expect((await live()).filter((id) => id > 30 && id < 40)).toEqual([32]);
      expect(await look(31)).toBeUndefined();
      // Said again, it changes nothing.
      await index.upsert([{ ...whole, removedAt }]);
      expect(await index.count()).toBe(before + 1);

      await index.upsert([whole]);
      expect(await index.known([31, 32, 33])).toEqual(new Set([31, 32]));
      expect(await index.count()).toBe(before + 2);
      expect(await look(31)).toEqual({ title: 'Title 31', tags: ['here'] });
    });

    it('has two raindrops of one address, each by itself', async () => {
      const link = 'https://example.org/the-same';
      const [one, other] = [
        raindrop(41, { link, tags: ['first'] }),
        raindrop(42, { link, tags: ['second'] }),
      ];
      await index.upsert([one, other]);
      expect(await index.known([41, 42])).toEqual(new Set([41, 42]));
      await index.upsert([{ ...one, removedAt }]);
      expect(await index.known([41, 42])).toEqual(new Set([42]));
      expect(await look(42)).toEqual({ title: 'Title 42', tags: ['second'] });
      await index.upsert([one]);
      expect(await index.known([41, 42])).toEqual(new Set([41, 42]));
    });

    it('takes whatever a raindrop may have', async () => {
      const tags = Array.from({ length: 60 }, (_, n) => `tag ${String(n).padStart(2, '0')}`);
      const none = { link: '', title: '', excerpt: '', domain: '', type: '', text: '', collectionId: 0 };
      const astral = 'Emoji 😀 and 𠮷野家 and 👩‍👩‍👧';
      await index.upsert([
        raindrop(51, { title: 'x'.repeat(1_000), excerpt: 'y'.repeat(10_000) }),
        raindrop(52, { tags }),
        raindrop(53, none),
        raindrop(54, { title: astral, excerpt: astral, note: astral, text: astral, tags: ['😀'] }),
        raindrop(55, { link: 'javascript:void(0)', title: "'; DROP TABLE raindrops; --" }),
      ]);
      expect(await index.known([51, 52, 53, 54, 55])).toEqual(new Set([51, 52, 53, 54, 55]));
      expect((await look(51))?.title).toBe('x'.repeat(1_000));
      // A host may have a limit, which is no lower than that.
      expect((await look(52))?.tags.slice(0, 50)).toEqual(tags.slice(0, 50));
      expect(await look(53)).toEqual({ title: '', tags: [] });
      expect(await look(54)).toEqual({ title: astral, tags: ['😀'] });
      expect((await look(55))?.title).toBe("'; DROP TABLE raindrops; --");
    });

    it('tells more than a thousand ids, rising, and as many as it counts', async () => {
      const ids = Array.from({ length: 1_100 }, (_, n) => 5_000_000_000 + n * 3);
      for (let n = 0; n < ids.length; n += 100)
        await index.upsert(
          ids
            .slice(n, n + 100)
            .toReversed()
            .map((id) => raindrop(id)),
        );
      const found = await live();
      expect(found.slice(-1_100)).toEqual(ids);
      expect(found).toEqual(found.toSorted((a, b) => a - b));
      expect(await index.count()).toBe(found.length);
      expect(await index.known([...ids, 1, 2])).toEqual(new Set(ids));
    });

    it('has the collections that it was told of last, however they are nested', async () => {
      const one = (id: number, title: string, parentId: number | null = null) => ({ id, title, parentId });
      const told = [
        [one(501, 'Reading'), one(502, 'Tech', 501), one(503, 'データ', 502), one(504, 'Kitchen')],
        // Renamed, moved under one that is told of later, and one is gone.
        [one(502, 'Technik', 504), one(503, 'データ', 502), one(504, 'Kitchen'), one(505, 'Kitchen', 504)],
        [],
        [one(503, 'データ')],
      ];
      for (const all of told)
        for (let times = 0; times < 2; times++) {
          await index.setCollections(all);
          expect((await collections()) ?? all).toEqual(all);
        }
      await index.upsert([raindrop(61, { collectionId: 503 }), raindrop(62, { collectionId: 999 })]);
      await index.setCollections([]);
      expect(await index.known([61, 62])).toEqual(new Set([61, 62]));
    });
  });
}
