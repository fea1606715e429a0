// An account with a password, linked to single sign-on by the person who is logged in, and unlinked again.
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { answerOf, type Client, jsonOf, openApi, password, type TestApi } from '../support/api.ts';
import { onBothEngines } from '../support/engines.ts';
import { type OidcServer, startOidcServer } from '../support/oidc-server.ts';
import { createSignOnWorld, forgetEverybody, outcomeOf, redirectUris, signOn } from '../support/sign-on.ts';

onBothEngines('linking an account', (engine) => {
  let provider: OidcServer;
  let api: TestApi;
  let world: ReturnType<typeof createSignOnWorld>;

  beforeAll(async () => {
    provider = await startOidcServer(redirectUris);
    provider.accounts.set('1', { preferred_username: 'anna' });
    const opened = await openApi(engine);
    world = createSignOnWorld(opened.clock.now);
    api = opened.again({ oidc: world.allowing(provider.issuer) });
  });
  beforeEach(async () => {
    for (const username of ['anna', 'ben']) await api.addUser(username);
  });
  afterEach(() => forgetEverybody(api));
  afterAll(async () => {
    provider.close();
    await world.close();
    await api.close();
  });

  const waysIn = async (browser: Client) =>
    (await jsonOf<{ data: unknown }>(await browser.get('/api/me/oidc'))).data;
  const begin = async (browser: Client) => {
    const answer = await browser.post('/api/me/oidc', { current_password: password });
    expect(answer.status).toBe(200);
    return (await jsonOf<{ data: { auth_url: string } }>(answer)).data.auth_url;
  };
  const link = async (browser: Client, subject = '1') => {
    const back = await provider.visit(await begin(browser), { subject });
    return browser.get(back.pathname + back.search);
  };
  const arrives = async (subject = '1') => {
    const browser = api.browser();
    const outcome = outcomeOf(await signOn(browser, provider, subject));
    const me = await jsonOf<{ data?: { username: string } }>(await browser.get('/api/me'));
    return me.data?.username ?? outcome;
  };

  it('makes single sign-on another way into it', async () => {
    const anna = await api.logIn('anna');
    expect(await waysIn(anna)).toEqual({ enabled: true, linked: false, has_password: true });
    expect(outcomeOf(await link(anna))).toBe('307 /settings#account');
    expect(await waysIn(anna)).toEqual({ enabled: true, linked: true, has_password: true });
    expect(await arrives()).toBe('anna');
    expect((await api.logIn('anna')).cookies.has('session')).toBe(true);
  });

  it('asks for the password, and counts the guesses', async () => {
    const anna = await api.logIn('anna');
    const guess = () => anna.post('/api/me/oidc', { current_password: 'a guess' });
    expect(await answerOf(await guess())).toEqual({
      status: 400,
      body: { error: 'current_password: this is not your present password' },
    });
    const more = await Promise.all(Array.from({ length: 10 }, guess));
    expect(more.map(({ status }) => status)).toContain(429);
    expect(anna.cookies.has('sign_on')).toBe(false);
  });

  it('can be begun while a stranger keeps the account blocked', async () => {
    const anna = await api.logIn('anna');
    const guess = { username: 'anna', password: 'a guess' };
    for (let i = 0; i < 10; i++) await api.visitor().post('/api/sessions', guess, { from: `203.0.113.${i}` });
    const blocked = await api.visitor().post('/api/sessions', { ...guess, password });
    expect(blocked.status).toBe(429);
    expect(outcomeOf(await link(anna))).toBe('307 /settings#account');
  });

  it('is begun by a browser alone, not by a program', async () => {
    const program = await api.program('anna', 'admin');
    const answer = await program.post('/api/me/oidc', { current_password: password });
    expect(answer.status).toBe(400);
  });

  it.each([
    { what: 'of another user', take: () => api.logIn('ben') },
    { what: 'of the same user in another browser', take: () => api.logIn('anna') },
    { what: 'of nobody', take: async () => api.browser() },
  ])('is finished in the session that began it, not in one $what', async ({ take }) => {
    const anna = await api.logIn('anna');
    const back = await provider.visit(await begin(anna), { subject: '1' });
    const other = await take();
    other.cookies.set('sign_on', anna.cookies.get('sign_on') ?? '');
    expect(outcomeOf(await other.get(back.pathname + back.search))).toBe(
      '307 /settings?error=sso-expired#account',
    );
    expect(await waysIn(anna)).toMatchObject({ linked: false });
  });

  it('ends with the session', async () => {
    const anna = await api.logIn('anna');
    const back = await provider.visit(await begin(anna), { subject: '1' });
    await (await api.logIn('anna')).delete('/api/me/sessions');
    expect(outcomeOf(await anna.get(back.pathname + back.search))).toContain('sso-expired');
    expect(await arrives()).toContain('sso-not-allowed');
  });

  it('gives nobody an identity that another account has', async () => {
    await link(await api.logIn('anna'));
    const ben = await api.logIn('ben');
    expect(outcomeOf(await link(ben))).toBe('307 /settings?error=sso-taken#account');
    expect(await waysIn(ben)).toMatchObject({ linked: false });
    expect(await arrives()).toBe('anna');
  });

  it('puts another identity of the same person in place of the one before', async () => {
    const anna = await api.logIn('anna');
    await link(anna, '1');
    await link(anna, '7');
    expect(await arrives('7')).toBe('anna');
    expect(await arrives('1')).toContain('sso-not-allowed');
  });

  it('keeps to the list, where there is one', async () => {
    const strict = api.again({ oidc: world.allowing(provider.issuer, 'sub:9') });
    const anna = (await api.logIn('anna')).at(strict);
    expect(outcomeOf(await link(anna))).toBe('307 /settings?error=sso-not-allowed#account');
    expect(await waysIn(anna)).toMatchObject({ linked: false });
  });

  it('is undone by unlinking, which ends the other sessions', async () => {
    const anna = await api.logIn('anna');
    await link(anna);
    const elsewhere = api.browser();
    await signOn(elsewhere, provider, '1');
    expect((await anna.delete('/api/me/oidc')).status).toBe(204);
    expect(await waysIn(anna)).toMatchObject({ linked: false });
    expect((await elsewhere.get('/api/me')).status).toBe(401);
    expect(await arrives()).toContain('sso-not-allowed');
  });

  it('is not undone where there would be no way in any more', async () => {
    const here = api.again({ oidc: world.allowing(provider.issuer, 'anna as cleo') });
    const cleo = here.browser();
    await signOn(cleo, provider, '1');
    expect(await waysIn(cleo)).toEqual({ enabled: true, linked: true, has_password: false });
    expect((await cleo.delete('/api/me/oidc')).status).toBe(409);
    expect((await cleo.post('/api/me/oidc', { current_password: '' })).status).toBe(400);
    expect(await waysIn(cleo)).toMatchObject({ linked: true });
  });
});
