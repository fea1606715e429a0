import { sql } from 'kysely';
import { beforeEach, expect, it } from 'vitest';
import { announcePresence } from '../../src/jobs/presence.ts';
import type { LeaseStore } from '../../src/store/lease-store.ts';
import { onEachEngine, openEmptyStore } from '../support/engines.ts';
import { until } from '../support/until.ts';

const ttlMs = 15_000;
const dayMs = 24 * 3_600_000;

onEachEngine('a lease that has expired', (engine) => {
  it('can no longer be renewed, released or discarded once another holder has it', async () => {
    const { database, store } = await openEmptyStore(engine);
    const { leases } = store;
    let offsetMs = 0;
    database.timeOffsetMs = () => offsetMs;
    const former = await leases.acquire('work', 'former', ttlMs);
    if (!former) throw new Error('the lease was not granted');
    offsetMs += ttlMs + 1;
    const present = await leases.acquire('work', 'present', ttlMs);
    expect(present).toMatchObject({ holder: 'present', epoch: 2 });
    expect(await leases.renew(former, 10 * ttlMs)).toBe(false);
    await leases.release(former);
    await leases.discard(former);
    expect(await leases.acquire('work', 'third', ttlMs)).toBeUndefined();
    // The renewal of the former holder did not prolong it either.
    offsetMs += ttlMs + 1;
    expect(await leases.acquire('work', 'third', ttlMs)).toMatchObject({ holder: 'third', epoch: 3 });
  });
});

onEachEngine('the list of held leases', (engine) => {
  it('has the age of each since its holder took it, whatever was renewed, and no lease that is over', async () => {
    const { database, store } = await openEmptyStore(engine);
    const { leases } = store;
    let offsetMs = 0;
    database.timeOffsetMs = () => offsetMs;
    const kept = await leases.acquire('kept', 'anna', 60_000);
    await leases.acquire('taken over', 'killed', ttlMs);
    const released = await leases.acquire('released', 'anna', 60_000);
    if (!kept || !released) throw new Error('the leases were not granted');
    offsetMs += 20_000;
    await leases.renew(kept, 60_000);
    await leases.acquire('taken over', 'ben', 60_000);
    await leases.release(released);
    offsetMs += 10_000;
    const held = await leases.listHeld();
    expect(held.map(({ name, holder }) => [name, holder])).toEqual([
      ['kept', 'anna'],
      ['taken over', 'ben'],
    ]);
    const [keptMs = 0, takenMs = 0] = held.map(({ ageMs }) => ageMs);
    expect(keptMs).toBeGreaterThanOrEqual(30_000);
    expect(keptMs - takenMs).toBeGreaterThanOrEqual(20_000);
    expect(takenMs).toBeGreaterThanOrEqual(10_000);
  });
});

onEachEngine('the leases of a process that was killed', (engine) => {
  it('can be taken at once after they are released, and the killed process cannot renew them', async () => {
    const { leases } = (await openEmptyStore(engine)).store;
    const [killed, other] = [
      await leases.acquire('journal', 'killed', ttlMs),
      await leases.acquire('work', 'other', ttlMs),
    ];
    if (!killed || !other) throw new Error('the leases were not granted');
    expect(await leases.acquire('journal', 'next', ttlMs)).toBeUndefined();
    await leases.releaseHolder('killed');
    expect(await leases.acquire('journal', 'next', ttlMs)).toMatchObject({ holder: 'next', epoch: 2 });
    expect(await leases.renew(killed, ttlMs)).toBe(false);
    expect(await leases.acquire('work', 'next', ttlMs)).toBeUndefined();
    await leases.releaseHolder('killed');
    expect(await leases.acquire('journal', 'third', ttlMs)).toBeUndefined();
  });
});

onEachEngine('a lease, when the clock is set back,', (engine) => {
  let leases: LeaseStore;
  let offsetMs: number;

  beforeEach(async () => {
    const { database, store } = await openEmptyStore(engine);
    leases = store.leases;
    offsetMs = 0;
    database.timeOffsetMs = () => offsetMs;
  });

  it('of one who has ended is over as soon as any other', async () => {
    await leases.acquire('work', 'ended', ttlMs);
    offsetMs -= dayMs;
    expect(await leases.acquire('work', 'next', ttlMs)).toBeUndefined();
    offsetMs += ttlMs + 1;
    expect(await leases.acquire('work', 'next', ttlMs)).toMatchObject({ holder: 'next', epoch: 2 });
  });

  it('of one who lives stays with it', async () => {
    const lease = await leases.acquire('work', 'living', ttlMs);
    if (!lease) throw new Error('nobody else had it');
    offsetMs -= dayMs;
    for (let n = 0; n < 3; n++) {
      expect(await leases.acquire('work', 'next', ttlMs)).toBeUndefined();
      offsetMs += ttlMs - 5_000;
      expect(await leases.renew(lease, ttlMs)).toBe(true);
    }
  });

  it('is not cut for one who would take it for a shorter time', async () => {
    await leases.acquire('work', 'slow', 3 * ttlMs);
    expect(await leases.acquire('work', 'quick', ttlMs)).toBeUndefined();
    offsetMs += 2 * ttlMs;
    expect(await leases.acquire('work', 'quick', ttlMs)).toBeUndefined();
  });
});

onEachEngine('the presence lease', (engine) => {
  it('names role and holder, is acquired again after it was deleted, and is gone after a stop', async () => {
    const { database, store } = await openEmptyStore(engine);
    const errors: unknown[] = [];
    const rows = () => database.read.selectFrom('leases').select(['name', 'holder']).execute();
    const presence = { role: 'worker', holder: 'worker-1' } as const;
    const announced = await announcePresence(store.leases, presence, (error) => errors.push(error), 5);
    expect(await rows()).toEqual([{ name: 'serve:worker:worker-1', holder: 'worker-1' }]);
    await database.write((trx) => sql`DELETE FROM leases`.execute(trx));
    await until('the lease is acquired again', async () => (await rows()).length === 1);
    await announced.stop();
    expect(await rows()).toEqual([]);
    expect(errors).toEqual([]);
  });
});
