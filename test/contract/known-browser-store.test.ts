import { beforeEach, expect, it } from 'vitest';
import type { User } from '../../src/model/user.ts';
import { maxKnownBrowsers } from '../../src/store/known-browser-store.ts';
import type { Store } from '../../src/store/store.ts';
import type { TestClock } from '../support/clock.ts';
import { onEachEngine, openEmptyStore } from '../support/engines.ts';

onEachEngine('known browsers', (engine) => {
  let store: Store;
  let clock: TestClock;
  let anna: User;
  let ben: User;

  beforeEach(async () => {
    ({ store, clock } = await openEmptyStore(engine));
    anna = await store.users.create({ username: 'anna', passwordHash: null, role: 'owner' });
    ben = await store.users.create({ username: 'ben', passwordHash: null, role: 'member' });
  });

  const create = (secretSha256: string, { id: userId } = anna) =>
    store.knownBrowsers.create({ secretSha256, userId, expiresAt: clock.now() + 1_000 });
  const extend = (secretSha256: string, { id: userId } = anna) =>
    store.knownBrowsers.extend({ secretSha256, userId, expiresAt: clock.now() + 1_000 });

  it('belong to the user who logged in, until they expire', async () => {
    await create('a', anna);
    await create('b', ben);
    const { findUserId } = store.knownBrowsers;
    expect([await findUserId('a'), await findUserId('b'), await findUserId('c')]).toEqual([
      anna.id,
      ben.id,
      undefined,
    ]);
    clock.advance(999);
    expect(await findUserId('a')).toBe(anna.id);
    clock.advance(1);
    expect(await findUserId('a')).toBeUndefined();
  });

  it('are extended for their own user only, and not after they have expired', async () => {
    await create('a', anna);
    clock.advance(999);
    expect([await extend('a', ben), await extend('b', anna), await extend('a', anna)]).toEqual([
      false,
      false,
      true,
    ]);
    clock.advance(999);
    expect(await store.knownBrowsers.findUserId('a')).toBe(anna.id);
    clock.advance(1);
    expect(await extend('a', anna)).toBe(false);
    expect(await store.knownBrowsers.findUserId('a')).toBeUndefined();
  });

  it('are limited in number for each user: the browser whose login is the longest ago is deleted first', async () => {
    await create('of ben', ben);
    await create('first');
    await create('second');
    clock.advance(1);
    for (let n = 2; n < maxKnownBrowsers; n++) await create(`browser ${n}`);
    clock.advance(1);
    await extend('first');
    expect(await store.knownBrowsers.list(anna.id)).toHaveLength(maxKnownBrowsers);
    await create('last');
    const left = await store.knownBrowsers.list(anna.id);
    expect(left).toHaveLength(maxKnownBrowsers);
    expect(left).toEqual(expect.arrayContaining(['first', 'last']));
    expect(left).not.toContain('second');
    expect(await store.knownBrowsers.list(ben.id)).toEqual(['of ben']);
  });
});
