import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, openApi, type TestApi } from '../support/api.ts';
import { onEachEngine } from '../support/engines.ts';

onEachEngine('pages', (engine) => {
  let before: TestApi;
  let api: TestApi;
  let anna: Client;

  beforeAll(async () => {
    before = await openApi(engine);
    api = await openApi(engine);
    await api.addUser('anna');
    anna = await api.logIn('anna');
    return async () => {
      await before.close();
      await api.close();
    };
  });

  const shown: Record<string, () => Promise<Response>> = {
    'the front page before setup': () => before.visitor().get('/'),
    'the setup page': () => before.visitor().get('/setup'),
    'the login page': () => api.visitor().get('/login'),
    'the front page': () => anna.get('/'),
    'the description of the API': () => anna.get('/docs'),
  };

  it.each(Object.keys(shown))('%s has a strict policy, and nothing that it forbids', async (name) => {
    const response = await shown[name]?.();
    expect(response?.status).toBe(200);
    const directives = new Map(
      response?.headers
        .get('Content-Security-Policy')
        ?.split('; ')
        .map((directive) => [directive.split(' ')[0], directive.split(' ').slice(1).join(' ')]),
    );
    const forbids = (directive: string) => directives.get(directive) ?? directives.get('default-src');
    expect(forbids('script-src')).toMatch(/^'(self|none)'$/);
    expect(forbids('style-src')).toBe("'self'");
    expect(forbids('object-src')).toBe("'none'");
    expect(forbids('connect-src')).toMatch(/^'(self|none)'$/);
    expect(directives.get('base-uri')).toBe("'none'");
    expect(directives.get('frame-ancestors')).toBe("'none'");
    expect([...directives.values()].join(' ')).not.toMatch(/unsafe|\*/);
    expect(inlineParts((await response?.text()) ?? '')).toEqual([]);
  });

  it('show nothing of what the address says', async () => {
    const probe = '"><svg/onload=alert(1)>';
    for (const path of ['/login', '/nowhere', '/setup', '/docs']) {
      for (const suffix of [`?next=${probe}`, `/${probe}`, `?${probe}`]) {
        expect(await (await anna.get(path + suffix)).text()).not.toContain('<svg');
      }
    }
  });

  it('lead to where one has to go first', async () => {
    const target = async (client: Client, path: string) => {
      const { status, headers } = await client.get(path);
      return [status, headers.get('Location')];
    };
    expect(await target(api.visitor(), '/')).toEqual([302, '/login']);
    expect(await target(api.visitor(), '/setup')).toEqual([302, '/login']);
    expect(await target(before.visitor(), '/login')).toEqual([302, '/']);
  });

  it('ask for a name only where there is more than one user', async () => {
    const alone = await openApi(engine);
    await alone.addUser('anna');
    const page = async () => (await alone.visitor().get('/login')).text();
    expect(await page()).toContain('data-page="login"');
    await alone.addUser('ben');
    expect(await page()).toContain('data-page="login-by-name"');
    await alone.close();
  });

  it('bring one back to where one wanted to go', async () => {
    const { headers } = await api.visitor().get('/search?q=a%20b');
    expect(headers.get('Location')).toBe(`/login?next=${encodeURIComponent('/search?q=a%20b')}`);
  });

  it('are compressed for those who can read that, and sent once', async () => {
    const plain = await anna.get('/login');
    const packed = await api.visitor().get('/boot.js', { headers: { 'Accept-Encoding': 'gzip, br' } });
    expect(plain.headers.get('Content-Encoding')).toBeNull();
    expect(packed.headers.get('Content-Encoding')).toBe('br');
    const etag = packed.headers.get('ETag') ?? '';
    const again = await api.visitor().get('/boot.js', { headers: { 'If-None-Match': etag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });

  it('find every file that they name', async () => {
    for (const show of Object.values(shown)) {
      const html = await (await show()).text();
      for (const [, path = ''] of html.matchAll(/(?:src|href)="(\/[^"]+\.(?!json)\w+)"/g)) {
        expect((await api.visitor().get(path)).status).toBe(200);
      }
    }
  });
});

describe('the search for inline parts', () => {
  it.each([
    '<script>alert(1)</script>',
    '<script type="module">x</script>',
    '<style>p {}</style>',
    '<p style="color: red">',
    '<button onclick="x()">',
    "<img src=x ONERROR='x()'>",
    '<a href="javascript:x()">',
    '<script src="https://evil.example/x.js"></script>',
    '<base href="/x">',
    '<iframe srcdoc="x">',
  ])('finds %s', (html) => {
    expect(inlineParts(`<main>${html}</main>`)).toHaveLength(1);
  });
});

/** What the policy would block, or what should not be on a page at all. */
function inlineParts(html: string): string[] {
  const tags = [...html.matchAll(/<([a-z][\w-]*)((?:"[^"]*"|'[^']*'|[^>"'])*)>/gi)];
  const isForbidden = (name: string, attributes: string) =>
    (name === 'script' && !/\ssrc="\/[\w-]/.test(attributes)) ||
    ['style', 'base', 'iframe', 'object', 'embed'].includes(name) ||
    /\s(style|srcdoc|on\w+)\s*=/i.test(attributes) ||
    /javascript:/i.test(attributes);
  return tags
    .filter(([, name = '', attributes = '']) => isForbidden(name.toLowerCase(), attributes))
    .map(([tag]) => tag);
}
