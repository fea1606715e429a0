import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sha256 } from '../../src/accounts/secrets.ts';
import { type Client, openApi, password, type TestApi } from '../support/api.ts';
import { onEachEngine } from '../support/engines.ts';

const limits = { rateLimit: 3, windowMs: 60_000, blockMs: 300_000 };
const proxies = [{ address: '10.0.0.0', prefix: 8, family: 'ipv4' }] as const;

interface Attempt {
  username?: string;
  password?: string;
  from?: string;
  forwardedFor?: string;
  browser?: Client;
}

onEachEngine('the login throttle', (engine) => {
  let api: TestApi;

  beforeAll(async () => {
    api = await openApi(engine, { loginLimits: limits });
    await api.addUser('anna');
    await api.addUser('ben');
    return () => api.close();
  });

  // What an earlier test left behind is over by then.
  beforeEach(() => api.clock.advance(limits.windowMs + limits.blockMs));

  async function attempt(input: Attempt, at = api): Promise<number> {
    return (await respond(input, at)).status;
  }

  function respond(
    { username = 'anna', from, forwardedFor, browser, ...rest }: Attempt,
    at = api,
  ): Promise<Response> {
    return (browser ?? at.visitor()).post(
      '/api/sessions',
      { username, password: rest.password ?? 'wrong' },
      {
        ...(from && { from }),
        headers: { 'X-Forwarded-For': forwardedFor },
      },
    );
  }

  async function attempts(inputs: Attempt[], at = api): Promise<number[]> {
    const statuses: number[] = [];
    for (const input of inputs) statuses.push(await attempt(input, at));
    return statuses;
  }

  const times = <T>(count: number, make: (index: number) => T) =>
    Array.from({ length: count }, (_, i) => make(i));

  it('blocks an account after so many wrong passwords, wherever they come from', async () => {
    const wrong = times(4, (i) => ({ from: `198.51.100.${i + 1}` }));
    expect(await attempts(wrong)).toEqual([401, 401, 401, 429]);
    expect(await attempt({ from: '198.51.100.9', password })).toBe(429);
    expect(await attempt({ from: '198.51.100.9', username: 'ben', password })).toBe(200);
  });

  it('blocks an address after so many wrong passwords, whoever they are for', async () => {
    const wrong = times(4, (i) => ({ username: `user${i}`, from: '203.0.113.5' }));
    expect(await attempts(wrong)).toEqual([401, 401, 401, 429]);
    expect(await attempt({ password, from: '203.0.113.5' })).toBe(429);
    expect(await attempt({ password, from: '203.0.113.6' })).toBe(200);
  });

  it('says when to come back', async () => {
    await attempts(times(3, () => ({})));
    api.clock.advance(1_500);
    const refused = await respond({});
    expect(refused.status).toBe(429);
    expect(refused.headers.get('Retry-After')).toBe('299');
    expect(await refused.json()).toEqual({ error: 'too many login attempts' });
  });

  it('lets go when the block has passed', async () => {
    await attempts(times(3, () => ({})));
    api.clock.advance(limits.blockMs - 1);
    expect(await attempt({ password })).toBe(429);
    api.clock.advance(1);
    expect(await attempts(times(4, () => ({})))).toEqual([401, 401, 401, 429]);
  });

  it('does not make the block longer by what it refuses', async () => {
    await attempts(times(3, () => ({})));
    api.clock.advance(limits.blockMs - 1);
    await attempts(times(10, () => ({})));
    api.clock.advance(1);
    expect(await attempt({ password })).toBe(200);
  });

  it('counts within the window only', async () => {
    expect(await attempts(times(2, () => ({})))).toEqual([401, 401]);
    api.clock.advance(limits.windowMs);
    expect(await attempts(times(4, () => ({})))).toEqual([401, 401, 401, 429]);
  });

  it('forgets what went before at an account when a login succeeds', async () => {
    const passwords = [
      undefined,
      undefined,
      password,
      undefined,
      undefined,
      password,
      undefined,
      undefined,
      undefined,
      password,
    ];
    const tries = passwords.map((given, i) => ({
      from: `198.51.100.${i + 1}`,
      ...(given && { password: given }),
    }));
    expect(await attempts(tries)).toEqual([401, 401, 200, 401, 401, 200, 401, 401, 401, 429]);
  });

  it('takes a login that succeeds back from its address, and no more than that', async () => {
    const from = '203.0.113.77';
    expect(await attempts(times(10, () => ({ password, from })))).toEqual(times(10, () => 200));
    const guesses = [
      { username: 'ben', from },
      { username: 'carl', from },
      { password, from },
      { username: 'dora', from },
    ];
    expect(await attempts(guesses)).toEqual([401, 401, 200, 401]);
    expect(await attempt({ password, from })).toBe(429);
  });

  it('counts for all processes together, and over a restart', async () => {
    const other = api.again({ loginLimits: limits });
    expect([await attempt({}), await attempt({}, other), await attempt({})]).toEqual([401, 401, 401]);
    expect(await attempt({ password }, other)).toBe(429);
  });

  it('treats a name that nobody has as one that somebody has', async () => {
    const seen = async (username: string, network: number) => {
      const answers = [];
      for (let i = 0; i < 5; i++) {
        const response = await respond({ username, from: `203.0.${network}.${i}` });
        const { status, headers } = response;
        answers.push({ status, retryAfter: headers.get('Retry-After'), body: await response.text() });
      }
      return answers;
    };
    const known = await seen('anna', 1);
    expect(known.map(({ status }) => status)).toEqual([401, 401, 401, 429, 429]);
    expect(await seen('nobody', 2)).toEqual(known);
  });

  it('counts all ways to write a name as one', async () => {
    const names = ['anna', 'ANNA', ' anna ', 'ａｎｎａ'];
    const wrong = names.map((username, i) => ({ username, from: `203.0.113.${i}` }));
    expect(await attempts(wrong)).toEqual([401, 401, 401, 429]);
  });

  it('cannot be passed by a name that the index would read as another', async () => {
    // The index drops U+0000, so that a name with it must not find the user that the name without it is.
    const right = times(2, (i) => ({
      username: `anna${'\0'.repeat(i + 1)}`,
      password,
      from: `203.0.113.${i}`,
    }));
    expect(await attempts(right)).toEqual([401, 401]);
    expect(await attempt({ password, from: '203.0.113.9' })).toBe(200);
  });

  it('looks at exactly as many as it allows when they come all at once', async () => {
    const strict = api.again({ loginLimits: { ...limits, rateLimit: 10 } });
    const statuses = await Promise.all(times(50, () => attempt({}, strict)));
    expect(statuses.filter((status) => status === 401)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(40);
  });

  describe('a known browser', () => {
    const year = 365 * 24 * 3600 * 1000;
    const stranger = '203.0.113.66';
    const cookie = 'known_browser';
    const secretOf = (browser: Client) => browser.cookies.get(cookie) ?? '';

    /** A browser that has logged in and out again. */
    async function knownBrowser(username = 'anna'): Promise<Client> {
      const browser = await api.logIn(username);
      await browser.delete('/api/sessions');
      return browser;
    }

    async function blockAccount(username = 'anna'): Promise<void> {
      expect(await attempts(times(4, () => ({ username, from: stranger })))).toEqual([401, 401, 401, 429]);
    }

    const holding = (secret: string): Client => {
      const browser = api.browser();
      browser.cookies.set(cookie, secret);
      return browser;
    };

    it('logs in while a stranger keeps the account and the address blocked', async () => {
      const browser = await knownBrowser();
      await blockAccount();
      expect(await attempt({ password, from: stranger })).toBe(429);
      expect(await attempt({ password, from: stranger, browser })).toBe(200);
      expect(await attempt({ password, from: '198.51.100.9' })).toBe(429);
      expect(await attempt({ username: 'ben', password, from: stranger })).toBe(429);
    });

    it('has the same limits of its own', async () => {
      const browser = await knownBrowser();
      expect(await attempts(times(4, () => ({ browser })))).toEqual([401, 401, 401, 429]);
      const refused = await respond({ browser, password });
      expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '300']);
      api.clock.advance(limits.blockMs);
      expect(await attempt({ browser, password })).toBe(200);
    });

    it('does not count its wrong passwords for the account, the address or another known browser', async () => {
      const [browser, other] = [await knownBrowser(), await knownBrowser()];
      await attempts(times(4, () => ({ browser, from: stranger })));
      expect(await attempt({ password, from: stranger, browser: other })).toBe(200);
      expect(await attempts(times(3, () => ({ from: stranger })))).toEqual([401, 401, 401]);
    });

    it('may try again as often as before after a login that succeeds', async () => {
      const browser = await knownBrowser();
      const passwords = [undefined, undefined, password, undefined, undefined, password];
      const tries = passwords.map((given) => ({ browser, ...(given && { password: given }) }));
      expect(await attempts(tries)).toEqual([401, 401, 200, 401, 401, 200]);
    });

    it('of one user is a stranger at the account of another user', async () => {
      const browser = await knownBrowser('ben');
      await blockAccount('anna');
      expect(await attempt({ password, browser })).toBe(429);
      expect(await attempt({ username: 'ben', password, browser })).toBe(200);
      api.clock.advance(limits.blockMs);
      const guesses = times(4, (i) => ({ browser, from: `198.51.100.${i + 1}` }));
      expect(await attempts(guesses)).toEqual([401, 401, 401, 429]);
      expect(await attempt({ password, from: '198.51.100.9' })).toBe(429);
    });

    it.each([
      ['an unknown text', () => 'x'.repeat(43)],
      ['an empty text', () => ''],
      ['the hash of a known text', async () => sha256(secretOf(await knownBrowser()))],
    ])('is not one that sends %s as cookie', async (_, secret) => {
      const browser = holding(await secret());
      await blockAccount();
      expect(await attempt({ password, browser, from: '198.51.100.9' })).toBe(429);
    });

    it('is forgotten a year after its last login', async () => {
      const browser = await knownBrowser();
      api.clock.advance(year - 1);
      await blockAccount();
      expect(await attempt({ password, browser: browser.at(api) })).toBe(200);
      api.clock.advance(year);
      await blockAccount();
      expect(await attempt({ password, browser, from: '198.51.100.9' })).toBe(429);
    });

    it('keeps its cookie for another year when it logs in again', async () => {
      const browser = await knownBrowser();
      const secret = secretOf(browser);
      api.clock.advance(year - 1);
      expect(await attempt({ password, browser })).toBe(200);
      expect(secretOf(browser)).toBe(secret);
      const rows = (await api.rows()).known_browsers?.filter((row) => row.includes(sha256(secret)));
      expect(rows).toEqual([expect.stringContaining(String(api.clock.now() + year))]);
    });

    it('gets another cookie when another user logs in with it', async () => {
      const browser = await knownBrowser('ben');
      const secret = secretOf(browser);
      await attempt({ password, browser });
      expect(secretOf(browser)).not.toBe(secret);
    });

    it('is known in all processes', async () => {
      const browser = await knownBrowser();
      await blockAccount();
      const other = api.again({ loginLimits: limits });
      expect(await attempt({ password, browser: browser.at(other) })).toBe(200);
    });

    it('has a cookie that scripts and other sites cannot use, for a year', async () => {
      const https = api.again({ publicUrl: 'https://reader.example' });
      const headers = { Origin: 'https://reader.example' };
      const response = await https
        .visitor()
        .post('/api/sessions', { username: 'anna', password }, { headers });
      const [, line = ''] = response.headers.getSetCookie();
      const [pair = '', ...attributes] = line.split('; ');
      expect(pair).toMatch(/^known_browser=[\w-]{43}$/);
      expect(attributes.sort()).toEqual(['HttpOnly', 'Max-Age=31536000', 'Path=/', 'SameSite=Lax', 'Secure']);
      expect(JSON.stringify(await api.rows())).not.toContain(pair.split('=')[1]);
    });

    it('is not made by a program, which would push browsers off the list', async () => {
      const cookies = (await respond({ password })).headers.getSetCookie();
      expect(cookies.map((line) => line.split('=')[0])).toEqual(['session']);
    });

    it('is not made by a login that fails', async () => {
      expect((await respond({})).headers.getSetCookie()).toEqual([]);
    });
  });

  describe('the address', () => {
    const spoofed = (i: number) => ({ username: `user${i}`, forwardedFor: `192.0.2.${i}` });

    it('is that of the peer, whatever X-Forwarded-For says, where no proxy is trusted', async () => {
      expect(await attempts(times(4, spoofed))).toEqual([401, 401, 401, 429]);
    });

    it('is that of a peer who is not the trusted proxy, whatever X-Forwarded-For says', async () => {
      const behind = api.again({ loginLimits: limits, trustedProxies: proxies });
      const wrong = times(4, (i) => ({ ...spoofed(i), from: '11.0.0.1' }));
      expect(await attempts(wrong, behind)).toEqual([401, 401, 401, 429]);
    });

    it.each([
      { what: 'the one that the proxy appended', header: (i: number) => `192.0.2.${i}, 203.0.113.7` },
      {
        what: 'the one before our own proxies',
        header: (i: number) => `192.0.2.${i}, 203.0.113.7, 10.0.0.2`,
      },
      { what: 'the same with a port', header: (i: number) => `192.0.2.${i},203.0.113.7:${4000 + i}` },
      { what: 'the same as mapped IPv6', header: (i: number) => `10.0.0.${i},::ffff:203.0.113.7` },
    ])('behind a trusted proxy is $what', async ({ header }) => {
      const behind = api.again({ loginLimits: limits, trustedProxies: proxies });
      const from = '10.0.0.1';
      const wrong = times(4, (i) => ({ username: `user${i}`, forwardedFor: header(i), from }));
      expect(await attempts(wrong, behind)).toEqual([401, 401, 401, 429]);
      expect(await attempt({ password, forwardedFor: '203.0.113.8', from }, behind)).toBe(200);
      expect(await attempt({ password, forwardedFor: '203.0.113.7', from }, behind)).toBe(429);
    });

    it('behind a trusted proxy that says nothing of use is that of the proxy', async () => {
      const behind = api.again({ loginLimits: limits, trustedProxies: proxies });
      const header = ['unknown', '', 'a, b', '999.1.1.1'];
      const wrong = header.map((forwardedFor, i) => ({
        username: `user${i}`,
        forwardedFor,
        from: '10.0.0.1',
      }));
      expect(await attempts(wrong, behind)).toEqual([401, 401, 401, 429]);
    });

    it('of IPv6 counts by its /64', async () => {
      const wrong = [
        '2001:db8:1:2::1',
        '2001:db8:1:2:ffff::9',
        '2001:0db8:0001:0002:a:b:c:d',
        '2001:db8:1:2::',
      ];
      const inputs = wrong.map((from, i) => ({ username: `user${i}`, from }));
      expect(await attempts(inputs)).toEqual([401, 401, 401, 429]);
      expect(await attempt({ password, from: '2001:db8:1:3::1' })).toBe(200);
    });

    it('is the same as IPv4 and as mapped IPv6', async () => {
      const wrong = ['203.0.113.5', '::ffff:203.0.113.5', '::FFFF:203.0.113.5', '203.0.113.5'];
      const inputs = wrong.map((from, i) => ({ username: `user${i}`, from }));
      expect(await attempts(inputs)).toEqual([401, 401, 401, 429]);
      expect(await attempt({ password, from: '::ffff:203.0.113.6' })).toBe(200);
    });
  });
});
