// What those see who watch their items.
import { sql } from 'kysely';
import { beforeEach, expect, it } from 'vitest';
import { type Client, jsonOf, openEmptyApi, type TestApi } from '../support/api.ts';
import { onEachEngine } from '../support/engines.ts';
import { EventReader } from '../support/event-reader.ts';
import { addMany, type ItemJson } from '../support/items.ts';

const path = '/api/v1/items';

onEachEngine('watching items', (engine) => {
  let api: TestApi;
  let anna: Client;
  let annaId: number;

  beforeEach(async () => {
    api = await openEmptyApi(engine);
    annaId = (await api.addUser('anna')).id;
    anna = await api.program('anna', 'write');
  });

  const watch = async (client = anna) => new EventReader(await client.get(`${path}/events`));
  const save = async (url: string, client = anna) => jsonOf<ItemJson>(await client.post(path, { url }));

  it('shows each that changes, with its details, and each that goes and comes back', async () => {
    const before = await save('https://example.org/before');
    api.clock.advance(60_000);
    const events = await watch();
    const item = await save('https://example.org/a');
    const details = expect.objectContaining({ origins: ['manual'] });
    expect(await events.next()).toMatchObject({ event: 'item', data: { ...item, details } });
    await api.opened.database.write((trx) =>
      sql`UPDATE items SET title = 'Found', enrichment_status = 'succeeded', updated_at = ${api.clock.now()}
        WHERE id = ${Number(item.id)}`.execute(trx),
    );
    expect(await events.next()).toMatchObject({
      event: 'item',
      data: { id: item.id, title: 'Found', enrichmentStatus: 'succeeded' },
    });
    api.clock.advance(2_000);
    await anna.patch(`${path}/${before.id}`, { tags: ['b'] });
    expect(await events.next()).toMatchObject({ event: 'item', data: { id: before.id, tags: ['b'] } });
    await anna.delete(`${path}/${item.id}`);
    expect(await events.next()).toMatchObject({ event: 'gone', data: { id: item.id } });
    await anna.post(`${path}/${item.id}/restore`, undefined);
    expect(await events.next()).toMatchObject({ event: 'item', data: { id: item.id, title: 'Found' } });
    await events.cancel();
  });

  it('shows what changes after the clock was set back', async () => {
    const jumpMs = 20 * 3_600_000;
    api.clock.advance(jumpMs);
    const events = await watch();
    const first = await save('https://example.org/a');
    expect(await events.next()).toMatchObject({ event: 'item', data: { id: first.id } });
    api.clock.advance(-jumpMs);
    const second = await save('https://example.org/b');
    expect(await events.next()).toMatchObject({ event: 'item', data: { id: second.id } });
    await events.cancel();
  });

  it("shows nothing of anybody else's", async () => {
    await api.addUser('ben');
    const ben = await api.program('ben', 'write');
    const events = await watch(ben);
    await save('https://example.org/a');
    const own = await save('https://example.org/b', ben);
    expect(await events.next()).toMatchObject({ event: 'item', data: { id: own.id } });
    await events.cancel();
    expect(events.text).not.toContain('https://example.org/a');
  });

  it('shows what changed a moment before, to one who comes back', async () => {
    const item = await save('https://example.org/a');
    api.clock.advance(2_000);
    const events = await watch();
    expect(await events.next()).toMatchObject({ event: 'item', data: { id: item.id } });
    await events.cancel();
  });

  it.each([250, 2_300])('shows all of %i that changed in one moment, each once', async (count) => {
    const ids = (await addMany(api.opened.database, annaId, count)).map(String);
    api.clock.advance(60_000);
    const events = await watch();
    await api.opened.database.write((trx) =>
      sql`UPDATE items SET status = 'archived', updated_at = ${api.clock.now()}`.execute(trx),
    );
    api.clock.advance(1_500);
    const seen: unknown[] = [];
    while (seen.length < count) {
      const event = await events.next();
      seen.push((event?.data as Partial<ItemJson> | undefined)?.id);
    }
    expect(new Set(seen)).toEqual(new Set(ids));
    await events.cancel();
  });
});
