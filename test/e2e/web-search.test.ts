// Searching, asking and what is similar, in the web app, as somebody would do it.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { limitReached } from '../../src/search/answer/ask-limit.ts';
import { phone, pressSequence, useBrowser } from '../support/browser.ts';
import { deepIt } from '../support/deep-it.ts';
import { usualData } from '../support/embedding-server.ts';
import { type Script, Speaker } from '../support/model-server.ts';
import { putPage } from '../support/saved-pages.ts';
import { until } from '../support/until.ts';
import { startWebApp, type WebApp } from '../support/web-app.ts';
import { rss } from '../support/web-site.ts';

const browser = useBrowser();

const box = (page: Page) => page.getByRole('searchbox', { name: 'Search your library' });
const hits = (page: Page) => page.locator('[data-hit]');
const hit = (page: Page, title: string) =>
  page.getByRole('main').getByRole('link', { name: title, exact: true });
const chip = (page: Page, name: string) =>
  page.getByRole('button', { name: `Remove the filter: ${name}`, exact: true });
const facets = (page: Page) => page.getByRole('complementary', { name: 'Narrow it down' });
const answer = (page: Page) => page.getByRole('region', { name: 'Answer' });
const found = (page: Page, text: string) =>
  page.locator('#search-says').getByText(text, { exact: true }).waitFor();
const inAddress = (page: Page, q: string) =>
  page.waitForURL((url) => (url.searchParams.get('q') ?? '') === q);

/** In the middle of a year, so that no clock and no time zone changes the year. */
const longAgo = Date.UTC(new Date().getUTCFullYear() - 2, 5, 15);

const html = (about: string) =>
  `<p>${about}</p>${'<p>It goes on for a while, as texts do that somebody has written with care and time.</p>'.repeat(3)}`;

describe('the search page', () => {
  let app: WebApp;
  let servers: Server[];
  /** What the model does, and how many questions were embedded. */
  let script: Script;
  let embedded: string[] = [];
  let embeddingFails = false;

  const listen = async (server: Server) => {
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  };

  beforeAll(async () => {
    servers = [];
    const models = await listen(
      createServer((request, response) => {
        request.resume();
        script(new Speaker(response, 'openai'));
      }),
    );
    const embeddings = await listen(
      createServer(async (request, response) => {
        const pieces: Buffer[] = [];
        for await (const piece of request) pieces.push(piece as Buffer);
        const { input } = JSON.parse(Buffer.concat(pieces).toString()) as { input: string[] };
        embedded.push(...input);
        if (embeddingFails) return response.writeHead(401).end();
        response.writeHead(200, { 'content-type': 'application/json' });
        return response.end(JSON.stringify({ data: usualData(input, 64) }));
      }),
    );
    app = await startWebApp({
      env: {
        AI_TYPE: 'openai',
        AI_MODEL: 'm-1',
        AI_BASE_URL: `http://127.0.0.1:${models}/v1`,
        LECTERN_EMBEDDINGS: `openai:http://127.0.0.1:${embeddings}/v1#m-1`,
      },
    });
    const { origin } = app.site;
    const birds = [
      ['The heron at the weir', 'A heron waits at the weir for fish, and nothing moves for an hour.'],
      ['Herons of the lower canal', 'Every heron of the lower canal waits for fish in the same light.'],
      ['A lamp for the cellar', 'The lamp in the cellar is older than the house above it.'],
    ];
    const bridge =
      'The harbour bridge stays closed until spring, the city said on Monday, after divers had found cracks in two of its piers; buses go around by the old lock.';
    const feed = (name: string, entries: string[][], newest = Date.now()) =>
      app.follow({
        path: `/${name.toLowerCase().replace(' ', '-')}.xml`,
        title: name,
        entries: rss({
          title: name,
          link: `${origin}/${encodeURIComponent(name)}/`,
          entries: entries.map(([title = '', about = ''], n) => ({
            guid: `${name} ${n}`,
            title,
            link: `${origin}/${encodeURIComponent(name)}/${n}`,
            author: 'Ada Winter',
            html: html(about),
            at: newest - (n + 1) * 60_000,
          })),
        }),
      });
    const save = (name: string, title: string, about: string, tags: string[]) =>
      app.api('POST', '/api/v1/items', { url: putPage(app.site, name, { title, body: html(about) }), tags });
    await Promise.all([
      feed('Field Notes', birds),
      feed(
        'Old Notes',
        [['The heron of long ago', 'A heron stood here before the lock was built.']],
        longAgo,
      ),
      feed('Morning Paper', [['Harbour bridge closed until spring', bridge]]),
      feed('Evening Post', [['Harbour bridge closed until spring', bridge]]),
      save('/heron-book', 'A book of herons', birds[0]?.[1] ?? '', ['birds', 'long reads']),
      save('/lamp-book', 'A book of lamps', birds[2]?.[1] ?? '', ['light']),
    ]);
    await until(
      'the pages have been read',
      async () => (await app.api('GET', '/api/v1/items/counts')).pending === 0,
    );
    const { items } = await app.api('GET', '/api/v1/items?tag=birds');
    await app.api('POST', '/api/annotations', {
      item_id: Number(items[0].id),
      text: 'nothing moves for an hour',
      color: 'yellow',
    });
    await until('all of it can be found, by words and by meaning', async () => {
      const { data } = await app.api('GET', '/api/v1/search/meaning');
      const { data: marked } = await app.api('GET', '/api/v1/search?q=kind:annotation');
      return data.pending === 0 && data.documents >= 12 && marked.length > 0;
    });
  }, 120_000);
  afterAll(async () => {
    await app.close();
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  });
  beforeEach(() => {
    embedded = [];
    embeddingFails = false;
    script = (speaker) => speaker.status(500);
  });

  const open = async (path: string, options = {}): Promise<Page> => {
    const page = await browser.page({ reducedMotion: 'reduce', ...options });
    await app.logIn(page.context());
    await page.goto(app.url + path);
    return page;
  };

  it('shows the filters of a query as chips, which are one with its text and its address', async () => {
    const page = await open('/search?q=heron+tag:birds+-site:example.org+is:unread&mode=text');
    await found(page, '1 found');
    await hit(page, 'A book of herons').waitFor();
    for (const name of ['#birds', 'Not example.org', 'Unread']) await chip(page, name).waitFor();
    await chip(page, '#birds').click();
    await inAddress(page, 'heron -site:example.org is:unread');
    await until(
      'the box follows',
      async () => (await box(page).inputValue()) === 'heron -site:example.org is:unread',
    );
    await hit(page, 'The heron at the weir').waitFor();
    // Written into the box it is a chip as well, once its value is finished.
    await box(page).press('End');
    await box(page).pressSequentially(' in:title ');
    await chip(page, 'In the title').waitFor();
    await hit(page, 'Herons of the lower canal').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Clear all' }).click();
    await inAddress(page, 'heron');
    await chip(page, 'Unread').waitFor({ state: 'detached' });

    await page.goBack();
    await inAddress(page, 'heron -site:example.org is:unread in:title ');
    await chip(page, 'In the title').waitFor();
    await page.goBack();
    await inAddress(page, 'heron -site:example.org is:unread');
    await page.goBack();
    await chip(page, '#birds').waitFor();
    await found(page, '1 found');
    await page.goForward();
    await chip(page, '#birds').waitFor({ state: 'detached' });
    expect(await box(page).inputValue()).toBe('heron -site:example.org is:unread');
  });

  it('counts by what it can be narrowed down, and does so by a click', async () => {
    const page = await open('/search?q=heron&mode=text');
    const kind = facets(page).getByRole('region', { name: 'Kind' });
    await kind.getByRole('button', { name: /^Saved pages 1$/ }).click();
    await inAddress(page, 'heron kind:item');
    await found(page, '1 found');
    await kind.getByRole('button', { name: /^Saved pages/, pressed: true }).waitFor();
    await kind.getByRole('button', { name: /^Saved pages/ }).click();
    await inAddress(page, 'heron');

    await facets(page)
      .getByRole('button', { name: /^Old Notes/ })
      .click();
    await hit(page, 'The heron of long ago').waitFor();
    await found(page, '1 found');
    // A feed is a number to the server, and a name to people.
    await chip(page, 'Feed: Old Notes').click();
    await inAddress(page, 'heron');
    await facets(page).getByRole('button', { name: 'Leave out Old Notes' }).click();
    await chip(page, 'Not Feed: Old Notes').waitFor();
    await hit(page, 'The heron of long ago').waitFor({ state: 'detached' });
    await chip(page, 'Not Feed: Old Notes').click();
    await facets(page)
      .getByRole('button', { name: /^Field Notes/ })
      .click({ modifiers: ['Alt'] });
    await chip(page, 'Not Feed: Field Notes').click();

    const year = String(new Date(longAgo).getUTCFullYear());
    await facets(page)
      .getByRole('button', { name: new RegExp(`^${year}`) })
      .click();
    await inAddress(page, `heron after:${year} before:${Number(year) + 1}`);
    await chip(page, year).click();
    await inAddress(page, 'heron');
    expect(await box(page).inputValue()).toBe('heron');
  });

  deepIt(
    'looks for words while one types, and for meaning once typing rests; the choice is remembered',
    async () => {
      const page = await open('/search');
      const asked: string[] = [];
      page.on('request', (request) => {
        const { pathname, searchParams } = new URL(request.url());
        if (pathname === '/api/v1/search')
          asked.push(`${searchParams.get('mode')}: ${searchParams.get('q')}`);
      });
      await box(page).focus();
      // The page's clock stands still, so that slow keys do not count as a rest.
      await page.clock.install();
      await page.clock.pauseAt(((await page.evaluate('Date.now()')) as number) + 1_000);
      await pressSequence(page, ...'fish heron');
      await page.clock.runFor(120);
      await hit(page, 'The heron at the weir').waitFor();
      expect(asked).toEqual(['text: fish heron*']);
      await page.clock.runFor(430);
      await until('meaning is asked, too', () => asked.length === 2);
      expect(asked).toEqual(['text: fish heron*', 'hybrid: fish heron*']);
      await page.clock.resume();
      await until('the question was embedded once', () => embedded.length > 0);
      expect(embedded).toEqual(['fish heron']);

      await page.getByRole('button', { name: 'Meaning', exact: true }).click();
      await page.waitForURL((url) => url.searchParams.get('mode') === 'semantic');
      await hits(page).first().waitFor();
      await page.getByRole('button', { name: 'Words', exact: true }).click();
      await page.waitForURL((url) => url.searchParams.get('mode') === 'text');
      await page.goto(`${app.url}/search?q=heron`);
      await page.getByRole('button', { name: 'Words', exact: true, pressed: true }).waitFor();

      embeddingFails = true;
      await page.goto(`${app.url}/search?q=heron+lamp&mode=hybrid`);
      await page
        .getByText('Search by meaning did not answer, so this was found by its words alone.')
        .waitFor();
      expect(new URL(page.url()).searchParams.get('mode')).toBe('hybrid');
      await page.getByRole('button', { name: 'Both', exact: true, pressed: true }).click();
    },
  );

  it('suggests what may have been meant, and opens what was found where it lives', async () => {
    const page = await open('/search?q=harbuor&mode=text');
    await page.getByText('Nothing like that here').waitFor();
    await page.getByRole('button', { name: 'harbour', exact: true }).click();
    await hit(page, 'Harbour bridge closed until spring').first().waitFor();
    await inAddress(page, 'harbour');

    await page.goto(`${app.url}/search?q=kind:annotation+moves`);
    await hits(page).first().waitFor();
    await box(page).press('Enter');
    await hits(page).first().and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/library\?item=\d+#highlight-\d+/);
    await page.getByRole('heading', { name: 'A book of herons', level: 1 }).waitFor();
    await page.goBack();
    await hits(page).first().waitFor();
    const { data: marked } = await app.api('GET', '/api/annotations');
    const note = { resource_id: marked[0].resource_id, content: 'To be read again in winter.' };
    const { data: made } = await app.api('POST', '/api/notes', note);
    await page.goto(`${app.url}/highlights?note=${made.id}`);
    await expect(
      page.getByRole('listitem').filter({ hasText: note.content }).and(page.locator(':focus')).waitFor(),
    ).resolves.toBeUndefined();
    await page.goto(`${app.url}/search?q=kind:feed+notes`);
    await hit(page, 'Old Notes').click();
    await page.waitForURL(/\/\?feed=\d+/);
  });

  deepIt('keeps searches under a name', async () => {
    const page = await open('/search?q=heron+is:unread&mode=text');
    await hits(page).first().waitFor();
    await page.getByRole('button', { name: 'Save this search' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Herons to read');
    await page.keyboard.press('Enter');
    const list = facets(page).getByRole('region', { name: 'Saved searches' });
    await list.getByRole('link', { name: 'Herons to read' }).waitFor();
    await page.getByRole('button', { name: 'Saved as Herons to read' }).waitFor();

    await page.goto(`${app.url}/search?q=lamp&mode=text`);
    await hits(page).first().waitFor();
    await list.getByRole('link', { name: 'Herons to read' }).click();
    await inAddress(page, 'heron is:unread');
    await chip(page, 'Unread').waitFor();

    await list.getByRole('button', { name: 'More for Herons to read' }).click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await list.getByRole('textbox', { name: 'Name' }).fill('Waders');
    await page.keyboard.press('Enter');
    await list.getByRole('link', { name: 'Waders' }).waitFor();
    await list.getByRole('button', { name: 'More for Waders' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByText('Waders was deleted.').waitFor();
    await list.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await list.getByRole('link', { name: 'Waders' }).waitFor();
    expect((await app.api('GET', '/api/v1/searches')).data).toMatchObject([
      { name: 'Waders', q: 'heron is:unread' },
    ]);
  });

  it('asks the library: the answer is text, and its citations lead to passages that open here', async () => {
    script = (speaker) => speaker.says('It waits <b>for fish</b> ', '[1]. ', 'Or so it seems [7].').ends();
    const page = await open('/search?q=heron&mode=text');
    await hits(page).first().waitFor();
    await box(page).fill('what does a heron wait for at the weir?');
    await box(page).press('Shift+Enter');
    await answer(page).getByText('It waits <b>for fish</b>').waitFor();
    // A passage that is not there is not cited.
    await answer(page).getByText('Or so it seems.').waitFor();
    expect(await answer(page).locator('b').count()).toBe(0);
    await answer(page).getByRole('link', { name: 'Passage 1' }).click();
    const cited = answer(page).getByRole('listitem').getByRole('link').and(page.locator(':focus'));
    const title = await cited.textContent();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: title ?? '', level: 1 }).waitFor();
    // Who comes back finds it as it was: no model is asked twice.
    script = (speaker) => speaker.status(500);
    await page.goBack();
    await answer(page).getByText('It waits <b>for fish</b>').waitFor();
  });

  deepIt(
    'says when the library holds no answer, when the model fails, and when it is stopped or left',
    async () => {
      const page = await open('/search?q=where+are+the+zeppelins+of+yesterday%3F&mode=text');
      await page.getByRole('button', { name: 'Ask your library' }).click();
      await answer(page).getByText('Your library does not hold an answer to this.').waitFor();

      const asking = page.getByRole('button', { name: 'Ask your library' });
      await box(page).fill('what does the heron wait for?');
      await asking.click();
      await answer(page).getByText('The language model did not answer.').waitFor();
      await answer(page).getByRole('listitem').first().waitFor();

      const held = Promise.withResolvers<void>();
      let isGone = held.promise;
      const hold: Script = (speaker) => {
        const gone = Promise.withResolvers<void>();
        isGone = gone.promise;
        speaker.response.on('close', () => gone.resolve());
        speaker.says('It waits for a while, ', 'and then ');
      };
      script = hold;
      await answer(page).getByRole('button', { name: 'Try again' }).click();
      await answer(page).getByText('It waits for a while').waitFor();
      await answer(page).getByRole('button', { name: 'Stop' }).click();
      await answer(page).getByText('Stopped.').waitFor();
      await answer(page).getByText('It waits for a while').waitFor();
      await isGone;

      // Who types on has left the question: the answer ends, and steps back.
      await answer(page).getByRole('button', { name: 'Ask again' }).click();
      await answer(page).getByRole('button', { name: 'Stop' }).waitFor();
      await answer(page).getByText('It waits for a while').waitFor();
      await box(page).pressSequentially(' lamp');
      await isGone;
      await answer(page).getByText('It waits for a while').waitFor({ state: 'detached' });
      await answer(page).getByRole('button', { name: 'Show the answer' }).click();
      await answer(page).getByText('It waits for a while').waitFor();
      await answer(page).getByRole('button', { name: 'Put the answer away' }).click();
      await expect(answer(page).waitFor({ state: 'detached' })).resolves.toBeUndefined();
    },
  );

  it('shows passages alone where there is no model, and says what to set', async () => {
    const page = await open('/search?q=what+does+the+heron+wait+for&mode=text');
    // As a Lectern without AI_TYPE says it.
    const passage = { n: 1, kind: 'feed', id: '1', title: 'Field Notes', url: '', text: 'A heron waits.' };
    await page.route('**/api/v1/ask', (route) =>
      route.fulfill({
        contentType: 'text/event-stream',
        body: `event: sources\ndata: ${JSON.stringify({ sources: [passage] })}\n\nevent: done\ndata: ${JSON.stringify({ citations: [], answered: false, notice: 'No language model is set up (AI_TYPE), so these are the passages that were found, without an answer.' })}\n\n`,
      }),
    );
    await page.getByRole('button', { name: 'Ask your library' }).click();
    await answer(page)
      .getByText(/No language model is set up.*AI_TYPE/)
      .waitFor();
    expect(await answer(page).getByRole('link', { name: 'Field Notes' }).getAttribute('href')).toBe(
      '/?feed=1',
    );
  });

  it('says when a member has asked as many questions as are allowed in a day, and does not offer to try again', async () => {
    const page = await open('/search?q=what+does+the+heron+wait+for&mode=text', {
      expecting: [/status of 429/],
    });
    const { message, retryAfterSeconds } = limitReached(100, Date.UTC(2026, 10, 18, 12));
    await page.route('**/api/v1/ask', (route) =>
      route.fulfill({
        status: 429,
        headers: { 'Retry-After': String(retryAfterSeconds) },
        json: { error: { code: 'too_many_requests', message } },
      }),
    );
    await page.getByRole('button', { name: 'Ask your library' }).click();
    await answer(page)
      .getByText(/^You have asked 100 questions today, which is the limit\. Ask again after .*2026/)
      .waitFor();
    expect(await answer(page).getByRole('button', { name: 'Try again' }).count()).toBe(0);
  });

  deepIt('shows what is similar below an article and below a saved page, and opens it there', async () => {
    const page = await open('/?view=all');
    await page.getByRole('link', { name: /^(Unread: ?)?.*The heron at the weir/ }).click();
    const similar = page.getByRole('region', { name: 'Similar' });
    await similar.getByRole('link', { name: /Herons of the lower canal/ }).click();
    await page.getByRole('heading', { name: 'Herons of the lower canal', level: 1 }).waitFor();
    expect(await page.getByText('Harbour bridge').count()).toBeGreaterThan(0);
    await similar.getByText('Herons of the lower canal').waitFor({ state: 'detached' });

    await page.goto(`${app.url}/library?tag=birds`);
    await page.getByRole('link', { name: 'A book of herons' }).click();
    await similar.getByRole('link', { name: /The heron at the weir/ }).waitFor();
    // What was highlighted in it is no other page.
    expect(await similar.getByText('A book of herons').count()).toBe(0);
  });

  deepIt(
    'is one row of the reader where two feeds tell the same, and reading it is reading both',
    async () => {
      const page = await open('/?view=all');
      const list = page.getByRole('region', { name: 'Articles' });
      const rows = list.getByRole('link', { name: /Harbour bridge closed until spring/ });
      const also = list.getByRole('button', { name: /^Also in (Morning Paper|Evening Post)$/ });
      await also.waitFor();
      expect(await rows.count()).toBe(1);
      await also.click();
      await rows.nth(1).waitFor();
      await also.click();
      await rows.nth(1).waitFor({ state: 'detached' });
      await rows.click();
      await until('both are read', async () => {
        const { data } = await app.api('GET', '/api/items?limit=100');
        const told = data.filter(({ title }: { title: string }) => title.startsWith('Harbour bridge'));
        return told.length === 2 && told.every(({ unread }: { unread: boolean }) => !unread);
      });
    },
  );

  deepIt('works in a hand, and by keys', async () => {
    const small = await open('/search?q=heron&mode=text', {
      viewport: phone,
      hasTouch: true,
      isMobile: true,
    });
    await hits(small).first().waitFor();
    await small.getByRole('button', { name: 'Filters' }).tap();
    const panel = small.getByRole('dialog', { name: 'Narrow it down' });
    await panel.getByRole('button', { name: /^Old Notes/ }).tap();
    await panel.getByRole('button', { name: 'Close' }).tap();
    await found(small, '1 found');
    await chip(small, 'Feed: Old Notes').tap();
    await inAddress(small, 'heron');
    expect(await small.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);

    const page = await open('/search?q=heron&mode=text');
    await hits(page).first().waitFor();
    await box(page).press('ArrowDown');
    await page.keyboard.press('j');
    await hits(page).nth(1).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('k');
    await hits(page).first().and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Shift+?');
    await page.getByRole('dialog', { name: 'Keys' }).getByText('ask your library, from the box').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('m');
    await page.waitForURL((url) => url.searchParams.get('mode') === 'hybrid');
    await page.keyboard.press('/');
    await box(page).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Escape');
    await inAddress(page, '');
    await page.keyboard.press('Escape');
    await box(page).and(page.locator(':focus')).waitFor({ state: 'detached' });
  });
});
