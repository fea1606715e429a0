import { expect, it } from 'vitest';
import { onEachEngine, openFreshStore } from '../support/engines.ts';

onEachEngine('pauses that hosts have asked for', (engine) => {
  it('hold until their time, the later of two, and are forgotten after', async () => {
    const { store, database, clock } = await openFreshStore(engine);
    const { hostPauses } = store;
    const until = clock.now() + 60_000;
    expect(await hostPauses.find('example.org')).toBeUndefined();
    await hostPauses.remember('example.org', until);
    await hostPauses.remember('example.org', until - 30_000);
    expect(await hostPauses.find('example.org')).toBe(until);
    expect(await hostPauses.find('www.example.org')).toBeUndefined();
    await hostPauses.deleteExpired(clock.now());
    expect(await hostPauses.find('example.org')).toBe(until);
    clock.advance(60_000);
    expect(await hostPauses.find('example.org')).toBeUndefined();
    await hostPauses.deleteExpired(clock.now());
    expect(await database.read.selectFrom('host_pauses').selectAll().execute()).toEqual([]);
    await store.close();
  });
});
