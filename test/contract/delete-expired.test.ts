import { expect, it } from 'vitest';
import { deleteExpired } from '../../src/jobs/clean-up.ts';
import { onEachEngine, openFreshStore } from '../support/engines.ts';

const limits = { rateLimit: 2, windowMs: 60_000, blockMs: 300_000 };

onEachEngine('upkeep of accounts', (engine) => {
  it('forgets sessions, login attempts, known browsers and sign-ons when they are over, and not before', async () => {
    const { store, database, clock } = await openFreshStore(engine);
    const user = await store.users.create({ username: 'anna', passwordHash: null, role: 'owner' });
    await store.credentials.createSession({
      secretSha256: 'a',
      userId: user.id,
      expiresAt: clock.now() + 1_000_000,
    });
    for (let attempt = 0; attempt < 2; attempt++) await store.loginAttempts.take(['account:x'], limits);
    await store.loginAttempts.take(['account:y'], limits);
    await store.knownBrowsers.create({
      secretSha256: 'b',
      userId: user.id,
      expiresAt: clock.now() + 1_000_000,
    });
    await store.signOns.useOnce('z', clock.now() + limits.windowMs);
    const left = async () => ({
      signOns: (await database.read.selectFrom('used_sign_ons').select('id_sha256').execute()).length,
      sessions: (await database.read.selectFrom('sessions').select('secret_sha256').execute()).length,
      browsers: await store.knownBrowsers.list(user.id),
      attempts: (await database.read.selectFrom('login_attempts').select('key').orderBy('key').execute()).map(
        (row) => row.key,
      ),
    });

    await deleteExpired(store, limits, clock.now());
    expect(await left()).toEqual({
      signOns: 1,
      sessions: 1,
      browsers: ['b'],
      attempts: ['account:x', 'account:y'],
    });
    clock.advance(limits.windowMs);
    await deleteExpired(store, limits, clock.now());
    expect(await left()).toEqual({ signOns: 0, sessions: 1, browsers: ['b'], attempts: ['account:x'] });
    clock.advance(1_000_000);
    await deleteExpired(store, limits, clock.now());
    expect(await left()).toEqual({ signOns: 0, sessions: 0, browsers: [], attempts: [] });
    await store.close();
  });
});
