import { expect, it } from 'vitest';
import { onEachEngine, openEmptyStore } from '../support/engines.ts';

onEachEngine('what single sign-on keeps', (engine) => {
  it('is one key, whichever of several processes made it', async () => {
    const { store } = await openEmptyStore(engine);
    expect(await store.signOns.findKey()).toBeUndefined();
    const made = ['a', 'b', 'c', 'd'];
    const agreed = await Promise.all(made.map((key) => store.signOns.keepKey(key)));
    expect(new Set(agreed).size).toBe(1);
    expect(made).toContain(agreed[0]);
    expect(await store.signOns.keepKey('e')).toBe(agreed[0]);
    expect(await store.signOns.findKey()).toBe(agreed[0]);
  });

  it('is which sign-ons were used, until they are too old to be used again', async () => {
    const { store, clock } = await openEmptyStore(engine);
    const use = () => store.signOns.useOnce('id', clock.now() + 1000);
    const together = await Promise.all([use(), use(), use()]);
    expect(together.sort()).toEqual([false, false, true]);
    clock.advance(999);
    await store.signOns.deleteExpired(clock.now());
    expect(await use()).toBe(false);
    clock.advance(1);
    await store.signOns.deleteExpired(clock.now());
    expect(await use()).toBe(true);
  });

  it('is one account for a subject', async () => {
    const { store } = await openEmptyStore(engine);
    const { users } = store;
    const [anna, ben] = [
      await users.create({ username: 'anna', passwordHash: 'a hash', role: 'owner' }),
      await users.create({ username: 'ben', passwordHash: null, role: 'member', oidcSubject: 'https://a 1' }),
    ];
    await expect(users.setSubject(anna.id, 'https://a 1')).rejects.toThrow('another account');
    expect(await users.setSubject(anna.id, 'https://a 2')).toBe(true);
    expect(await users.setSubject(anna.id, 'https://a 3', { unless: 'https://a ' })).toBe(false);
    expect(await users.setSubject(anna.id, 'https://b 3', { unless: 'https://b ' })).toBe(true);
    expect(await users.findBySubject('https://b 3')).toEqual(anna);
    expect(await users.findBySubject('https://a 2')).toBeUndefined();
    expect(await users.idsWithSignOn()).toEqual(new Set([anna.id, ben.id]));

    await users.removeSubject(anna.id);
    await expect(users.removeSubject(ben.id)).rejects.toThrow('without a password');
    expect(await users.idsWithSignOn()).toEqual(new Set([ben.id]));
    expect(await users.findWaysIn(ben.id)).toEqual({ hasPassword: false, hasSignOn: true });
    await expect(users.setSubject(999, 'https://a 9')).rejects.toThrow('user not found');
  });
});
