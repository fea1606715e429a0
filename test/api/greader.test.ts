// Logging in by the Google Reader API, and what it lists of feeds and labels.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { onEachEngine } from '../support/engines.ts';
import { type Archive, hourMs, links, openArchive } from '../support/greader-archive.ts';
import { type Form, readingList, type Subscription, starredState } from '../support/greader-session.ts';

onEachEngine('the Google Reader API', (engine) => {
  let archive: Archive;

  beforeAll(async () => {
    archive = await openArchive(engine, { hours: 6 });
    return () => archive.api.close();
  });

  /** What was tried before is forgotten. */
  beforeEach(async () => {
    archive.api.clock.advance(hourMs);
    await archive.rows.entries.mark(archive.ids, { read: false });
  });

  const api0 = '/reader/api/0';
  const list = async () =>
    (
      (await (await archive.get(`${api0}/subscription/list?output=json`)).json()) as {
        subscriptions: Subscription[];
      }
    ).subscriptions;
  const textOf = async (response: Response) => ({ status: response.status, text: await response.text() });
  const ok = { status: 200, text: 'OK' };

  describe.each(['', '/api/greader.php'])('a login at "%s"', (base) => {
    const clientLogin = (form: Form, query = '') =>
      archive.post(`${base}/accounts/ClientLogin${query}`, form, '');

    it('gives the application password back, in lines that fall into two at "="', async () => {
      const response = await clientLogin([
        ['Email', 'anna'],
        ['Passwd', archive.secret],
      ]);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toMatch(/^text\/plain/);
      const text = await response.text();
      expect(text).toBe(`SID=${archive.secret}\nLSID=null\nAuth=${archive.secret}\n`);
      expect(archive.secret).not.toContain('=');
      for (const line of text.trimEnd().split('\n')) expect(line.split('=')).toHaveLength(2);
    });

    it('gives JSON to whoever asks for it', async () => {
      const form: Form = [
        ['Email', 'Anna '],
        ['Passwd', archive.secret],
        ['output', 'json'],
      ];
      expect(await (await clientLogin(form)).json()).toEqual({
        SID: archive.secret,
        LSID: 'null',
        Auth: archive.secret,
      });
    });

    it('reads the form whatever it is called', async () => {
      const body = new URLSearchParams({ Email: 'anna', Passwd: archive.secret }).toString();
      for (const type of ['application/json', 'text/plain', 'application/octet-stream', '']) {
        const headers = { 'Content-Type': type };
        const visitor = archive.api.visitor();
        const answer = await visitor.send('POST', `${base}/accounts/ClientLogin`, { headers, body });
        expect(answer.status, type).toBe(200);
      }
      const form = new FormData();
      form.set('Email', 'anna');
      form.set('Passwd', archive.secret);
      const posted = await archive.api.visitor().send('POST', `${base}/accounts/ClientLogin`, { body: form });
      expect(posted.status).toBe(200);
      const query = `?${body}`;
      expect((await clientLogin([], query)).status).toBe(200);
    });

    it.each<[what: string, form: (secret: string) => Form]>([
      [
        'a wrong password',
        () => [
          ['Email', 'anna'],
          ['Passwd', 'lectern_wrong'],
        ],
      ],
      [
        "another's name",
        (secret) => [
          ['Email', 'berta'],
          ['Passwd', secret],
        ],
      ],
      ['no name', (secret) => [['Passwd', secret]]],
      ['no password', () => [['Email', 'anna']]],
      [
        'the password of the account',
        () => [
          ['Email', 'anna'],
          ['Passwd', 'correct horse battery'],
        ],
      ],
      ['nothing', () => []],
    ])('is refused with %s', async (_what, form) => {
      const response = await clientLogin(form(archive.secret));
      expect(await textOf(response)).toEqual({ status: 401, text: 'Error=BadAuthentication\n' });
      expect(response.headers.get('x-reader-google-bad-token')).toBe('true');
    });

    it('is throttled by address', async () => {
      const wrong: Form = [
        ['Email', 'anna'],
        ['Passwd', 'lectern_wrong'],
      ];
      for (let n = 0; n < 10; n += 1) expect((await clientLogin(wrong)).status).toBe(401);
      const refused = await clientLogin(wrong);
      expect(refused.status).toBe(429);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(refused.headers.get('content-type')).toMatch(/^text\/plain/);
      archive.api.clock.advance(hourMs);
      expect(
        (
          await clientLogin([
            ['Email', 'anna'],
            ['Passwd', archive.secret],
          ])
        ).status,
      ).toBe(200);
    });
  });

  describe('who is asking', () => {
    const send = (headers: Record<string, string>, body?: string) =>
      archive.api
        .visitor()
        .send(body === undefined ? 'GET' : 'POST', `${api0}/${body === undefined ? 'token' : 'edit-tag'}`, {
          headers,
          ...(body !== undefined && { body }),
        });
    const edit = () => `i=${archive.ids[0]}&a=user/-/state/com.google/read`;

    it('is known by each kind of header, and gets the token by which to go on', async () => {
      const { secret } = archive;
      for (const headers of [
        { Authorization: `GoogleLogin auth=${secret}` },
        { Authorization: `googlelogin Auth= ${secret}` },
        { Authorization: `Bearer ${secret}` },
        { Authorization: `Basic ${Buffer.from(`anna:${secret}`).toString('base64')}` },
        { 'X-Auth-Token': secret },
      ])
        expect(await textOf(await send(headers))).toEqual({ status: 200, text: secret });
    });

    it.each(['', 'x', 'lectern_else'])('may send T=%s beside the header', async (token) => {
      const headers = { Authorization: `GoogleLogin auth=${archive.secret}` };
      expect(await textOf(await send(headers, `${edit()}&T=${token}`))).toEqual(ok);
      expect(await textOf(await send(headers, edit()))).toEqual(ok);
    });

    it('may send no header, and the token as T', async () => {
      expect(await textOf(await send({}, `${edit()}&T=${archive.secret}`))).toEqual(ok);
      expect(
        await textOf(await send({ Authorization: 'GoogleLogin auth=' }, `${edit()}&T=${archive.secret}`)),
      ).toEqual(ok);
      for (const token of ['', 'x', 'lectern_wrong'])
        expect((await send({}, `${edit()}&T=${token}`)).status).toBe(401);
      // Who sends no token at all has not guessed one.
      for (const token of Array(15).fill('x'))
        expect((await send({}, `${edit()}&T=${token}`)).status).toBe(401);
    });

    it('is told in plain text that the token is bad', async () => {
      for (const headers of [
        {},
        { Authorization: 'GoogleLogin auth=lectern_wrong' },
        { Authorization: 'Digest x' },
      ]) {
        const response = await send(headers as Record<string, string>);
        expect(response.status).toBe(401);
        expect(response.headers.get('x-reader-google-bad-token')).toBe('true');
        expect(response.headers.get('google-bad-token')).toBe('true');
        expect(response.headers.get('content-type')).toMatch(/^text\/plain/);
      }
    });

    it('hears the time at which it was asked, with every answer', async () => {
      const date = new Date(archive.api.clock.now()).toUTCString();
      for (const path of [
        '/token',
        '/stream/items/ids',
        '/stream/contents',
        '/subscription/list',
        '/made-up',
      ])
        if (path !== '/made-up')
          expect((await archive.get(api0 + path)).headers.get('date'), path).toBe(date);
      expect((await archive.get(`${api0}/token`, 'lectern_wrong')).headers.get('date')).toBe(date);
      expect((await archive.get(`${api0}/stream/contents/feed/999`)).headers.get('date')).toBe(date);
    });

    it('may only read with a token that may only read', async () => {
      const reading = await archive.token('read');
      const form: Form = [
        ['i', String(archive.ids[0])],
        ['a', 'user/-/state/com.google/read'],
      ];
      const refused = await archive.post(`${api0}/edit-tag`, form, reading);
      expect(await textOf(refused)).toEqual({ status: 403, text: 'this token may only read' });
      expect(await archive.unread()).toEqual(archive.ids);
      expect((await archive.get(`${api0}/subscription/list`, reading)).status).toBe(200);
      const contents: Form = [['i', String(archive.ids[0])]];
      expect((await archive.post(`${api0}/stream/items/contents`, contents, reading)).status).toBe(200);
    });
  });

  it('says who the user is', async () => {
    expect(await (await archive.get(`${api0}/user-info?output=json`)).json()).toEqual({
      userId: String(archive.user.id),
      userName: 'anna',
      userProfileId: String(archive.user.id),
      userEmail: 'anna',
      isBloggerUser: false,
      signupTimeSec: Math.floor(archive.user.createdAt / 1_000),
      isMultiLoginEnabled: false,
    });
  });

  it.each([
    ['preference/list', { prefs: [] }],
    ['preference/stream/list', { streamprefs: {} }],
    ['friend/list', { friends: [] }],
  ])('answers %s, which is not of ours', async (path, body) => {
    expect(await (await archive.get(`${api0}/${path}?output=json`)).json()).toEqual(body);
  });

  it('lists feeds with their labels, the default group as one', async () => {
    const categories = (label: string) => [{ id: `user/-/label/${label}`, label }];
    expect(await list()).toEqual(
      archive.feeds.map((id, n) => ({
        id: `feed/${id}`,
        title: `Feed ${n}`,
        categories: categories(n === 2 ? 'Work' : 'Default'),
        url: links[n],
        htmlUrl: new URL('/', links[n]).href,
        iconUrl: '',
      })),
    );
  });

  it('lists labels, empty ones too', async () => {
    const { id } = await archive.rows.groups.create({ name: 'Ö/ä <&>' });
    expect(await (await archive.get(`${api0}/tag/list?output=json`)).json()).toEqual({
      tags: [
        { id: starredState },
        { id: 'user/-/label/Default', type: 'folder' },
        { id: 'user/-/label/Work', type: 'folder' },
        { id: 'user/-/label/Ö/ä <&>', type: 'folder' },
      ],
    });
    await archive.rows.groups.delete(id);
  });

  it('counts what is unread, and says when the newest of it came', async () => {
    const { rows, ids, feeds, begin } = archive;
    await rows.entries.mark([ids[0], ids[3], ids[5]] as number[], { read: true });
    const at = (n: number) => `${begin + n * hourMs}000`;
    const [a, b, c] = feeds;
    expect(await (await archive.get(`${api0}/unread-count?output=json`)).json()).toEqual({
      max: 1000,
      unreadcounts: [
        { id: `feed/${a}`, count: 0, newestItemTimestampUsec: '0' },
        { id: `feed/${b}`, count: 2, newestItemTimestampUsec: at(4) },
        { id: `feed/${c}`, count: 1, newestItemTimestampUsec: at(2) },
        { id: 'user/-/label/Default', count: 2, newestItemTimestampUsec: at(4) },
        { id: 'user/-/label/Work', count: 1, newestItemTimestampUsec: at(2) },
        { id: readingList, count: 3, newestItemTimestampUsec: at(4) },
      ],
    });
  });
});
