// What the Google Reader API changes of feeds and labels.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Upstream } from '../../src/errors.ts';
import { NoFeedFound } from '../../src/feeds/discover/discover-feeds.ts';
import { onEachEngine } from '../support/engines.ts';
import { type Archive, links, openArchive } from '../support/greader-archive.ts';
import type { Form, Subscription } from '../support/greader-session.ts';
import { fill, newFeed, published } from '../support/reader.ts';

const found = (link: string) => ({
  title: 'Found',
  link,
  siteUrl: 'https://new.example/',
  description: '',
  entries: 1,
  newest: [],
});

onEachEngine('subscriptions of the Google Reader API', (engine) => {
  let archive: Archive;

  beforeAll(async () => {
    archive = await openArchive(engine, {
      hours: 3,
      discoverFeeds: async (address) => {
        if (address.includes('down')) throw new Upstream('The site does not answer.');
        if (address.includes('empty')) return [];
        if (address.includes('none')) throw new NoFeedFound('No feed was found.');
        return [found('https://new.example/feed'), found('https://new.example/comments')];
      },
    });
    return () => archive.api.close();
  });

  /** As it was at first. */
  beforeEach(async () => {
    const { feeds, groups } = archive.rows;
    await groups.rename(1, { name: 'Default' });
    for (const { id, name } of await groups.list()) if (id !== 1 && name !== 'Work') await groups.delete(id);
    const hasWork = (await groups.list()).find(({ name }) => name === 'Work');
    const workId = (hasWork ?? (await groups.create({ name: 'Work' }))).id;
    for (const { id } of await feeds.list()) if (!archive.feeds.includes(id)) await feeds.delete(id);
    for (const [n, id] of archive.feeds.entries())
      await feeds.update(id, { name: `Feed ${n}`, groupId: n === 2 ? workId : 1 });
  });

  const api0 = '/reader/api/0';
  const list = async () =>
    (
      (await (await archive.get(`${api0}/subscription/list?output=json`)).json()) as {
        subscriptions: Subscription[];
      }
    ).subscriptions;
  const textOf = async (response: Response) => ({ status: response.status, text: await response.text() });
  const write = async (path: string, form: Form) => textOf(await archive.post(api0 + path, form));
  const ok = { status: 200, text: 'OK' };

  describe('a subscription', () => {
    const link = 'https://new.example/feed';
    const queued = async () => (await archive.api.rows()).jobs?.filter((job) => job.includes(link)).length;

    it('is made with a title and a label, which is made with it, and is fetched', async () => {
      const form: Form = [
        ['ac', 'subscribe'],
        ['s', `feed/${link}#top`],
        ['t', 'New one'],
        ['a', 'user/-/label/Brand new'],
      ];
      expect(await write('/subscription/edit', form)).toEqual(ok);
      expect((await list()).at(-1)).toMatchObject({
        title: 'New one',
        url: link,
        categories: [{ id: 'user/-/label/Brand new', label: 'Brand new' }],
      });
      expect(await queued()).toBe(1);
    });

    it('is made without either, and is not made twice', async () => {
      const form: Form = [
        ['ac', 'subscribe'],
        ['s', `feed/${link}`],
      ];
      expect(await write('/subscription/edit', form)).toEqual(ok);
      expect((await list()).at(-1)).toMatchObject({ title: link, categories: [{ label: 'Default' }] });
      expect(await write('/subscription/edit', [...form, ['a', 'user/-/label/Work']])).toEqual(ok);
      expect((await list()).slice(3)).toMatchObject([{ url: link, categories: [{ label: 'Work' }] }]);
    });

    it('is renamed and moved, to a label that is new too', async () => {
      const s = ['s', `feed/${archive.feeds[0]}`] as const;
      expect(await write('/subscription/edit', [['ac', 'edit'], s, ['t', 'Called so']])).toEqual(ok);
      expect((await list())[0]).toMatchObject({ title: 'Called so', categories: [{ label: 'Default' }] });
      const move = (a: string, r: string) =>
        write('/subscription/edit', [
          ['ac', 'edit'],
          s,
          ...(a === '' ? [] : [['a', `user/-/label/${a}`] as const]),
          ...(r === '' ? [] : [['r', `user/-/label/${r}`] as const]),
        ]);
      const label = async () => (await list())[0]?.categories[0]?.label;
      expect(await move('Work', 'Default')).toEqual(ok);
      expect(await label()).toBe('Work');
      expect(await move('A/b ☃', '')).toEqual(ok);
      expect(await label()).toBe('A/b ☃');
      expect(await move('', 'Work')).toEqual(ok);
      expect(await label()).toBe('A/b ☃');
      expect(await move('', 'A/b ☃')).toEqual(ok);
      expect(await label()).toBe('Default');
      expect((await list())[0]?.title).toBe('Called so');
    });

    it('is ended, by its id or its address, several at once', async () => {
      const other = ['https://x.example/feed', 'https://y.example/feed'] as const;
      const { id: x } = await archive.rows.feeds.create(newFeed(other[0]));
      await archive.rows.feeds.create(newFeed(other[1]));
      expect(
        await write('/subscription/edit', [
          ['ac', 'unsubscribe'],
          ['s', `feed/${x}`],
          ['s', `feed/${other[1]}`],
        ]),
      ).toEqual(ok);
      expect((await list()).map(({ url }) => url)).toEqual(links);
    });

    it.each<[what: string, form: Form, message: RegExp]>([
      ['no action', [['s', 'feed/1']], /^ac: /],
      [
        'another action',
        [
          ['ac', 'eat'],
          ['s', 'feed/1'],
        ],
        /^ac: /,
      ],
      ['no stream', [['ac', 'edit']], /^s: /],
      [
        'no feed',
        [
          ['ac', 'edit'],
          ['s', 'user/-/label/Work'],
        ],
        /^s: /,
      ],
      [
        'no address',
        [
          ['ac', 'subscribe'],
          ['s', 'feed/ftp://x.example/'],
        ],
        /^s: expected an http/,
      ],
      [
        'a number',
        [
          ['ac', 'subscribe'],
          ['s', 'feed/12345'],
        ],
        /^s: expected an http/,
      ],
      [
        'no label',
        [
          ['ac', 'subscribe'],
          ['s', 'feed/https://x.example/'],
          ['a', 'Work'],
        ],
        /^a: expected user/,
      ],
      [
        'a long title',
        [
          ['ac', 'subscribe'],
          ['s', 'feed/https://x.example/'],
          ['t', 'x'.repeat(501)],
        ],
        /^t: /,
      ],
      [
        'a long label',
        [
          ['ac', 'subscribe'],
          ['s', 'feed/https://x.example/'],
          ['a', `user/-/label/${'x'.repeat(201)}`],
        ],
        /^a: /,
      ],
    ])('is refused with %s, by the name of what is wrong', async (_what, form, message) => {
      const before = await list();
      const { status, text } = await write('/subscription/edit', form);
      expect(status).toBe(400);
      expect(text).toMatch(message);
      expect(await list()).toEqual(before);
    });

    it('of another user is not found', async () => {
      const [theirs] = await archive.other.feeds.list();
      for (const ac of ['edit', 'unsubscribe'])
        expect(
          await write('/subscription/edit', [
            ['ac', ac],
            ['s', `feed/${theirs?.id}`],
            ['t', 'Mine'],
          ]),
        ).toEqual({
          status: 404,
          text: 'feed not found',
        });
      expect((await archive.other.feeds.list())[0]).toEqual(theirs);
    });
  });

  describe('a quick addition', () => {
    const add = async (quickadd: string) =>
      (
        await archive.post(`${api0}/subscription/quickadd`, [
          ['quickadd', quickadd],
          ['T', 'x'],
        ])
      ).json();

    it('follows the first feed that is found', async () => {
      const body = await add('new.example');
      const feed = (await list()).at(-1);
      expect(feed).toMatchObject({
        title: 'Found',
        url: 'https://new.example/feed',
        htmlUrl: 'https://new.example/',
      });
      expect(body).toEqual({ query: 'new.example', numResults: 1, streamId: feed?.id, streamName: 'Found' });
      expect(await add('feed/https://new.example/blog')).toMatchObject({ numResults: 1, streamId: feed?.id });
      expect(await list()).toHaveLength(4);
    });

    it('knows what is followed already without asking for it', async () => {
      expect(await add(links[1])).toMatchObject({ numResults: 1, streamId: `feed/${archive.feeds[1]}` });
      expect(await add(`feed/${links[1]}`)).toMatchObject({
        numResults: 1,
        streamId: `feed/${archive.feeds[1]}`,
      });
    });

    it.each(['down.example', 'none.example', 'empty.example'])(
      'says that there is none at %s',
      async (address) => {
        expect(await add(address)).toEqual({ query: address, numResults: 0, error: expect.any(String) });
        expect(await list()).toHaveLength(3);
      },
    );

    it('is refused without an address', async () => {
      expect(await write('/subscription/quickadd', [])).toEqual({
        status: 400,
        text: 'quickadd: expected an address',
      });
    });
  });

  describe('a label', () => {
    const labels = async () => (await archive.rows.groups.list()).map(({ name }) => name);

    it('is renamed', async () => {
      const form: Form = [
        ['s', 'user/-/label/Work'],
        ['dest', 'user/-/label/Job/☃'],
      ];
      expect(await write('/rename-tag', form)).toEqual(ok);
      expect(await labels()).toEqual(['Default', 'Job/☃']);
      expect((await list())[2]?.categories[0]?.label).toBe('Job/☃');
      expect(
        await write('/rename-tag', [
          ['s', 'user/-/label/Default'],
          ['dest', 'user/-/label/Rest'],
        ]),
      ).toEqual(ok);
      expect(await labels()).toEqual(['Rest', 'Job/☃']);
    });

    it('is not renamed to one that is there, nor where there is none', async () => {
      const { status } = await write('/rename-tag', [
        ['s', 'user/-/label/Work'],
        ['dest', 'user/-/label/Default'],
      ]);
      expect(status).toBe(409);
      expect(
        (
          await write('/rename-tag', [
            ['s', 'user/-/label/No'],
            ['dest', 'user/-/label/Yes'],
          ])
        ).status,
      ).toBe(404);
      expect((await write('/rename-tag', [['s', 'user/-/label/Work']])).text).toMatch(/^dest: /);
      expect((await write('/rename-tag', [['dest', 'user/-/label/Work']])).text).toMatch(/^s: /);
      expect(await labels()).toEqual(['Default', 'Work']);
    });

    it('goes, and its feeds stay', async () => {
      expect(await write('/disable-tag', [['s', 'user/-/label/Work']])).toEqual(ok);
      expect(await labels()).toEqual(['Default']);
      expect((await list()).map(({ categories }) => categories[0]?.label)).toEqual([
        'Default',
        'Default',
        'Default',
      ]);
    });

    it('stays if it is the default one, or is not there', async () => {
      expect(await write('/disable-tag', [['s', 'user/-/label/Default']])).toEqual({
        status: 400,
        text: 'the default group cannot be deleted',
      });
      expect((await write('/disable-tag', [['s', 'user/-/label/No']])).status).toBe(404);
      expect((await write('/disable-tag', [])).text).toMatch(/^s: /);
    });

    it('is of one user alone', async () => {
      const { id } = await archive.other.groups.create({ name: 'Theirs' });
      expect(
        (
          await write('/rename-tag', [
            ['s', 'user/-/label/Theirs'],
            ['dest', 'user/-/label/Mine'],
          ])
        ).status,
      ).toBe(404);
      expect((await write('/disable-tag', [['s', 'user/-/label/Theirs']])).status).toBe(404);
      expect((await archive.other.groups.get(id)).name).toBe('Theirs');
    });
  });

  it('starts a new subscriber with what is there, as everywhere', async () => {
    await archive.rows.feeds.create(newFeed('https://shared.example/feed'));
    await fill(archive.api.opened.store, 'https://shared.example/feed', [published('shared')]);
    const berta = await archive.token('write', archive.otherUser);
    const form: Form = [
      ['ac', 'subscribe'],
      ['s', 'feed/https://shared.example/feed'],
    ];
    expect(await textOf(await archive.post(`${api0}/subscription/edit`, form, berta))).toEqual(ok);
    const feeds = await archive.other.feeds.list();
    expect(feeds.at(-1)).toMatchObject({ unread: 1, entries: 1 });
  });
});
