// What a page of another site can make a browser send must change nothing here.
import { beforeAll, describe, expect, it } from 'vitest';
import { foreignOrigin, host, openApi, ownOrigin, password, type TestApi } from '../support/api.ts';
import { onEachEngine } from '../support/engines.ts';

const proxies = [{ address: '10.0.0.0', prefix: 8, family: 'ipv4' }] as const;
const listed = 'https://app.example';

onEachEngine('requests from other sites', (engine) => {
  let api: TestApi;
  let counter = 0;
  const newGroup = () => ({ name: `Group ${counter++}` });

  beforeAll(async () => {
    api = await openApi(engine);
    await api.addUser('anna');
    return () => api.close();
  });

  describe('with the cookie', () => {
    const missing = undefined;
    it.each([
      { origin: ownOrigin, site: missing, status: 200 },
      { origin: ownOrigin, site: 'same-origin', status: 200 },
      { origin: missing, site: 'same-origin', status: 200 },
      { origin: missing, site: missing, status: 403 },
      { origin: missing, site: 'same-site', status: 403 },
      { origin: missing, site: 'cross-site', status: 403 },
      { origin: missing, site: 'none', status: 403 },
      { origin: 'null', site: missing, status: 403 },
      { origin: 'null', site: 'same-origin', status: 403 },
      { origin: '', site: missing, status: 403 },
      { origin: foreignOrigin, site: missing, status: 403 },
      { origin: foreignOrigin, site: 'same-origin', status: 403 },
      { origin: `https://${host}`, site: missing, status: 403 },
      { origin: `http://${host}:81`, site: missing, status: 403 },
      { origin: `http://${host}.evil.example`, site: missing, status: 403 },
      { origin: `http://evil.example/${host}`, site: missing, status: 403 },
      { origin: `http://sub.${host}`, site: missing, status: 403 },
      { origin: `${ownOrigin}/`, site: missing, status: 403 },
      { origin: `${foreignOrigin}, ${ownOrigin}`, site: missing, status: 403 },
    ])('Origin "$origin" and Sec-Fetch-Site "$site" answer $status', async ({ origin, site, status }) => {
      const anna = await api.logIn('anna');
      const headers = { Origin: origin, 'Sec-Fetch-Site': site };
      expect((await anna.post('/api/groups', newGroup(), { headers })).status).toBe(status);
    });

    it('a read needs no Origin', async () => {
      const anna = await api.logIn('anna');
      for (const Origin of [undefined, foreignOrigin]) {
        expect((await anna.get('/api/groups', { headers: { Origin } })).status).toBe(200);
      }
    });

    it('our own origin is that of the public URL where there is one, whatever Host says', async () => {
      const anna = (await api.logIn('anna')).at(api.again({ publicUrl: 'https://books.example/reading' }));
      const post = (Origin: string) => anna.post('/api/groups', newGroup(), { headers: { Origin } });
      expect((await post('https://books.example')).status).toBe(200);
      expect((await post(ownOrigin)).status).toBe(403);
    });

    it('our own origin is what a trusted proxy says that it was asked for', async () => {
      const anna = (await api.logIn('anna')).at(api.again({ trustedProxies: proxies }));
      const headers = {
        Origin: 'https://books.example',
        'X-Forwarded-Host': 'evil.example, books.example',
        'X-Forwarded-Proto': 'http, https',
      };
      const post = (from: string) => anna.post('/api/groups', newGroup(), { headers, from });
      expect((await post('10.0.0.1')).status).toBe(200);
      expect((await post('11.0.0.1')).status).toBe(403);
    });

    it.each([
      { Origin: 'http://books.example', 'X-Forwarded-Host': 'books.example' },
      { Origin: `https://${host}`, 'X-Forwarded-Proto': 'https' },
    ])('our own origin is not what anybody else says: %o', async (headers) => {
      const anna = (await api.logIn('anna')).at(api.again({ trustedProxies: proxies }));
      const post = (from: string) => anna.post('/api/groups', newGroup(), { headers, from });
      expect((await post('10.0.0.1')).status).toBe(200);
      expect((await post('11.0.0.1')).status).toBe(403);
    });

    it('a token that is not valid is not made up for by the cookie', async () => {
      const anna = await api.logIn('anna');
      const headers = { Authorization: 'Bearer made-up' };
      expect((await anna.get('/api/groups', { headers })).status).toBe(401);
    });
  });

  describe('a body that a form can send', () => {
    it.each([
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      undefined,
    ])('is not taken for JSON as %s', async (type) => {
      const anna = await api.logIn('anna');
      const sent = { body: JSON.stringify(newGroup()), headers: { 'Content-Type': type ?? '' } };
      expect((await anna.send('POST', '/api/groups', sent)).status).toBe(415);
      expect((await anna.send('POST', '/api/sessions', sent)).status).toBe(415);
    });

    it('is not taken for JSON because its type names JSON somewhere', async () => {
      const anna = await api.logIn('anna');
      for (const type of ['text/plain; application/json', 'text/plain, application/json', 'text/json']) {
        const sent = { body: JSON.stringify(newGroup()), headers: { 'Content-Type': type } };
        expect((await anna.send('POST', '/api/groups', sent)).status).toBe(415);
      }
    });
  });

  it('does not ask a token for its Origin', async () => {
    const program = await api.program('anna', 'write');
    for (const Origin of [undefined, 'null', foreignOrigin]) {
      expect((await program.post('/api/groups', newGroup(), { headers: { Origin } })).status).toBe(200);
    }
  });

  describe('logging in', () => {
    it.each([foreignOrigin, 'null', `https://${host}`])('is refused with the Origin %s', async (Origin) => {
      const response = await api.visitor().post('/api/sessions', { password }, { headers: { Origin } });
      expect(response.status).toBe(403);
      expect(response.headers.getSetCookie()).toEqual([]);
    });

    it('is refused when the browser says that another site asks, even without an Origin', async () => {
      const headers = { 'Sec-Fetch-Site': 'cross-site' };
      expect((await api.visitor().post('/api/sessions', { password }, { headers })).status).toBe(403);
    });

    it('is possible for a program, which sends no Origin', async () => {
      expect((await api.visitor().post('/api/sessions', { password })).status).toBe(200);
    });
  });

  describe('the list of allowed origins', () => {
    const preflight = (Origin: string, at: TestApi) =>
      at.visitor().send('OPTIONS', '/api/groups', {
        headers: {
          Origin,
          'Access-Control-Request-Method': 'PATCH',
          'Access-Control-Request-Headers': 'content-type,authorization',
        },
      });
    const withList = () => api.again({ corsAllowedOrigins: [listed] });

    it('answers the preflight of an origin on it', async () => {
      const { status, headers } = await preflight(listed, withList());
      expect(status).toBe(204);
      expect(headers.get('Access-Control-Allow-Origin')).toBe(listed);
      expect(headers.get('Access-Control-Allow-Credentials')).toBe('true');
      expect(headers.get('Access-Control-Allow-Methods')).toContain('PATCH');
      expect(headers.get('Access-Control-Allow-Headers')?.toLowerCase()).toContain('authorization');
      expect(headers.get('Vary')).toContain('Origin');
    });

    it('lets an origin on it read and write with the cookie', async () => {
      const at = withList();
      const anna = (await api.logIn('anna')).at(at);
      const response = await anna.post('/api/groups', newGroup(), { headers: { Origin: listed } });
      expect(response.status).toBe(200);
      expect(response.headers.get('Access-Control-Allow-Origin')).toBe(listed);
      expect(response.headers.get('Access-Control-Allow-Credentials')).toBe('true');
    });

    it('lets an origin on it see errors too', async () => {
      const response = await withList()
        .visitor()
        .get('/api/groups', { headers: { Origin: listed } });
      expect(response.status).toBe(401);
      expect(response.headers.get('Access-Control-Allow-Origin')).toBe(listed);
    });

    it.each([foreignOrigin, 'null', `${listed}.evil.example`, 'http://app.example', `${listed}:8443`])(
      'does nothing for %s, which is not on it',
      async (Origin) => {
        const at = withList();
        const anna = (await api.logIn('anna')).at(at);
        const answers = [
          await preflight(Origin, at),
          await anna.get('/api/groups', { headers: { Origin } }),
          await anna.post('/api/groups', newGroup(), { headers: { Origin } }),
        ];
        expect(answers.map(({ headers }) => headers.get('Access-Control-Allow-Origin'))).toEqual([
          null,
          null,
          null,
        ]);
        expect(answers.at(-1)?.status).toBe(403);
      },
    );

    it('lets nobody in while it is empty', async () => {
      for (const origin of [listed, foreignOrigin]) {
        const { headers } = await preflight(origin, api);
        expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
      }
    });
  });
});
