// A file of the mirror that is lost or is not what it was: the next run makes it good where Raindrop has what it needs, and is
// stopped by none.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { objectNames } from '../../src/mirror/objects-of.ts';
import { expectMirrored, memoryHost, newMemory, runToEnd, TestTime, text } from '../support/mirror-memory.ts';
import { type RaindropServer, startRaindropServer } from '../support/raindrop-server.ts';

const time = new TestTime();
let server: RaindropServer;

beforeAll(async () => {
  server = await startRaindropServer({ now: time.now });
});
afterAll(() => server.close());

const damages = {
  'is lost': () => undefined,
  'has another end': (bytes: Uint8Array) => new Uint8Array([...bytes, 32]),
} as const;

/** Two raindrops that are mirrored, one of them with a copy, and then the file of that one or the other is damaged. */
async function damaged(name: string, damage: keyof typeof damages, hasCopy: boolean) {
  for (const { _id } of server.account.all()) server.account.purge(_id);
  server.account.add({ link: 'https://example.org/a', title: 'A', copy: { html: '<p>Words of A</p>' } });
  server.account.add({ link: 'https://example.org/b', title: 'B' });
  const id = server.account.all()[hasCopy ? 0 : 1]?._id as number;
  const memory = newMemory();
  const run = () => runToEnd(memoryHost(memory, { server, time }), time);
  await run();
  const key = `raindrops/${id}/${name}`;
  const before = memory.objects.get(key);
  const after = before && damages[damage](before);
  if (after) memory.objects.set(key, after);
  else memory.objects.delete(key);
  return { id, memory, run };
}

describe.each(objectNames)('%s of a raindrop', (name) => {
  describe.each(Object.keys(damages) as (keyof typeof damages)[])('that %s', (damage) => {
    it.each([true, false])(
      'is made good when the raindrop changes, with a copy of its page or not (%s)',
      async (hasCopy) => {
        const { id, memory, run } = await damaged(name, damage, hasCopy);
        server.account.edit(id, { title: 'Changed' });
        await run();
        expectMirrored(memory, server);
        expect(memory.rows.get(id)?.text).toBe(hasCopy ? 'Words of A' : 'Changed');
      },
    );

    it.each([true, false])(
      'is made good when the index has lost the raindrop, with a copy of its page or not (%s)',
      async (hasCopy) => {
        const { id, memory, run } = await damaged(name, damage, hasCopy);
        memory.rows.delete(id);
        await run();
        expectMirrored(memory, server);
      },
    );

    it.each([true, false])(
      'keeps the raindrop from nothing when that is deleted, with a copy of its page or not (%s)',
      async (hasCopy) => {
        const { id, memory, run } = await damaged(name, damage, hasCopy);
        server.account.trash(id);
        await run();
        expect((await run()).length).toBe(1);
        // What it was is not known any more; it stays in the index, and stops nothing.
        if (name === 'raw.json' && damage === 'is lost') return;
        expectMirrored(memory, server);
        expect(memory.rows.get(id)?.removedAt).not.toBeNull();
        expect(JSON.parse(text(memory.objects.get(`raindrops/${id}/meta.json`))).removed_at).not.toBeNull();
      },
    );
  });
});
