// Reading in the web app: every part of the reader once, as somebody would use it.
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { phone, pressSequence, useBrowser } from '../support/browser.ts';
import { deepIt } from '../support/deep-it.ts';
import { until } from '../support/until.ts';
import { joinWebApp, plainFeed, type WebApp } from '../support/web-app.ts';
import { rss } from '../support/web-site.ts';

const browser = useBrowser();

const feedsPane = (page: Page) => page.getByRole('navigation', { name: 'Groups and feeds' });
const list = (page: Page) => page.getByRole('region', { name: 'Articles' });
/** The row of an entry; `is` asks for the word that stands before its text while it is unread. */
const row = (page: Page, title: string, is?: 'unread') =>
  list(page).getByRole('link', { name: new RegExp(`${is ? '^Unread:.*' : ''}${title}(?!\\d)`) });
const article = (page: Page) => page.getByRole('article', { name: 'Article' });
const opened = (page: Page, title: string) =>
  article(page).getByRole('heading', { name: title, exact: true });
const gone = (locator: Locator) => locator.waitFor({ state: 'detached' });

describe('the reader', () => {
  let app: WebApp;
  const feeds: Record<string, number> = {};
  const groups: Record<string, number> = {};

  beforeAll(async () => {
    app = await joinWebApp();
    for (const name of ['Science', 'Craft']) {
      groups[name] = (await app.api('POST', '/api/groups', { name })).data.id;
    }
    const titles = {
      Counting: 4,
      Marking: 5,
      Scrolling: 60,
      Clearing: 6,
      Leaving: 4,
      Keys: 6,
      Touch: 4,
      Moving: 1,
      Tabs: 3,
    };
    await Promise.all(
      Object.entries({ ...titles, Arriving: 2, Settling: 2, Breaking: 1 }).map(async ([title, entries]) => {
        const group = ['Counting', 'Marking'].includes(title) ? { groupId: groups.Science as number } : {};
        feeds[title] = await app.follow({ path: `/${title}.xml`, title, entries, ...group });
      }),
    );
  });
  afterAll(() => app.close());
  beforeEach(() =>
    app.api('PATCH', '/api/me/preferences', { show: 'unread', order: 'newest', mark_on_scroll: false }),
  );

  const openFeed = async (title: string, options = {}): Promise<Page> => {
    const page = await browser.page(options);
    await app.logIn(page.context());
    await page.goto(`${app.url}/?feed=${feeds[title]}`);
    await row(page, `${title}, entry 1`).waitFor();
    return page;
  };
  const itemsOf = async (title: string) =>
    (await app.api('GET', `/api/items?feed_id=${feeds[title]}&limit=100`)).data as {
      id: number;
      title: string;
      unread: boolean;
      bookmark_id: number | null;
    }[];
  const unreadOf = async (title: string) => (await itemsOf(title)).filter(({ unread }) => unread).length;

  it('shows groups and feeds with what is unread in them, and counts down while one reads', async () => {
    const page = await openFeed('Counting');
    const feed = (count: string) =>
      feedsPane(page).getByRole('link', { name: new RegExp(`^\\W*Counting\\b.*${count}`) });
    await feed('4').waitFor();
    const science = async () => {
      const text = await feedsPane(page)
        .getByRole('link', { name: /^Science/ })
        .textContent();
      return Number(/\d+/.exec(text ?? '')?.[0] ?? 0);
    };
    const before = await science();
    await row(page, 'Counting, entry 2').click();
    await opened(page, 'Counting, entry 2').waitFor();
    await article(page)
      .frameLocator('iframe >> visible=true')
      .getByText('This is the text of entry 2 of Counting.')
      .waitFor();
    await feed('3').waitFor();
    await until('the group counts down too', async () => (await science()) === before - 1);
    await until('the server knows', async () => (await unreadOf('Counting')) === 3);
    expect(await science()).toBe(before - 1);
  });

  it('marks by hand, keeps bookmarks, and shows what is unread, all, or bookmarked', async () => {
    const page = await openFeed('Marking');
    await row(page, 'Marking, entry 1').click();
    await opened(page, 'Marking, entry 1').waitFor();
    await gone(row(page, 'Marking, entry 1', 'unread'));
    await article(page).getByRole('button', { name: 'Mark unread' }).click();
    await row(page, 'Marking, entry 1', 'unread').waitFor();
    await article(page).getByRole('button', { name: 'Mark read' }).click();
    await article(page).getByRole('button', { name: 'Bookmark', exact: true }).click();
    await until('the server knows', async () => {
      const [first] = await itemsOf('Marking');
      return first?.unread === false && first.bookmark_id !== null;
    });

    await feedsPane(page)
      .getByRole('link', { name: /^Science/ })
      .click();
    await gone(row(page, 'Marking, entry 1'));
    await row(page, 'Marking, entry 2').waitFor();
    await list(page).getByRole('button', { name: 'Unread only, or all' }).click();
    await row(page, 'Marking, entry 1').waitFor();
    await feedsPane(page).getByRole('link', { name: 'Bookmarks' }).click();
    await row(page, 'Marking, entry 1').waitFor();
    await until('it is alone', async () => (await list(page).getByRole('listitem').count()) === 1);

    await row(page, 'Marking, entry 1').click();
    await article(page).getByRole('button', { name: 'Remove the bookmark' }).click();
    expect(
      await until('the server knows', async () => (await itemsOf('Marking'))[0]?.bookmark_id === null),
    ).toBe(true);
  });

  deepIt('marks what was scrolled past, for those who want that', async () => {
    const page = await openFeed('Scrolling');
    await list(page).getByRole('button', { name: 'How the list is shown' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Mark read while scrolling' }).click();
    await row(page, 'Scrolling, entry 2').hover();
    await page.mouse.wheel(0, 1_500);
    const passed = await until('the server knows', async () => {
      const left = await unreadOf('Scrolling');
      return left < 60 && 60 - left;
    });
    expect(passed).toBeLessThan(40);
    expect((await itemsOf('Scrolling'))[0]?.unread).toBe(false);
  });

  it('marks all read, and takes it back', async () => {
    const page = await openFeed('Clearing');
    await list(page).getByRole('button', { name: 'Mark 6 in Clearing read' }).click();
    const said = page.getByText('6 articles marked read.');
    await said.waitFor();
    await page.getByRole('heading', { name: 'All read' }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await row(page, 'Clearing, entry 6', 'unread').waitFor();
    expect(await unreadOf('Clearing')).toBe(6);

    await page.keyboard.press('Shift+A');
    await said.waitFor();
    // Whoever leaves the page does not want it back.
    await page.goto(`${app.url}/settings`);
    await until('the server knows', async () => (await unreadOf('Clearing')) === 0);
  });

  deepIt('loses nothing when a page is left that has not been able to keep it yet', async () => {
    const page = await openFeed('Leaving', { serviceWorkers: 'allow' });
    await until('the service worker is there', () =>
      page.evaluate('navigator.serviceWorker.controller !== null'),
    );
    const other = await page.context().newPage();
    await other.goto(`${app.url}/settings`);
    await other.evaluate(occupyDatabase);
    await row(page, 'Leaving, entry 2').click();
    await opened(page, 'Leaving, entry 2').waitFor();
    await page.keyboard.press('s');
    await article(page).getByRole('button', { name: 'Remove the bookmark' }).waitFor();
    await page.keyboard.press('Shift+A');
    await page.getByText('3 articles marked read.').waitFor();
    expect(await unreadOf('Leaving')).toBe(4);
    await page.goto(`${app.url}/settings`);
    await until('the server knows', async () => {
      const entries = await itemsOf('Leaving');
      return entries.every(({ unread }) => !unread) && entries[1]?.bookmark_id !== null;
    });
  });

  it('is read by the keys alone', async () => {
    app.site.put('/Keys/2', { type: 'text/html', body: '<title>The original</title>' });
    const page = await openFeed('Keys');
    await page.keyboard.press('j');
    await opened(page, 'Keys, entry 1').waitFor();
    await page.keyboard.press('j');
    await opened(page, 'Keys, entry 2').waitFor();
    await page.keyboard.press('k');
    await opened(page, 'Keys, entry 1').waitFor();
    await until('two are read', async () => (await unreadOf('Keys')) === 4);

    // n and p go along the list and open nothing; o opens.
    await page.keyboard.press('n');
    await page.keyboard.press('n');
    await page.keyboard.press('p');
    expect(await opened(page, 'Keys, entry 1').count()).toBe(1);
    await page.keyboard.press('o');
    await opened(page, 'Keys, entry 2').waitFor();
    await page.keyboard.press('m');
    await row(page, 'Keys, entry 2', 'unread').waitFor();
    await page.keyboard.press('s');
    await until('the server knows', async () => {
      const second = (await itemsOf('Keys'))[1];
      return second?.unread === true && second.bookmark_id !== null;
    });
    const [original] = await Promise.all([page.context().waitForEvent('page'), page.keyboard.press('v')]);
    await original.waitForURL(`${app.site.origin}/Keys/2`);
    expect(await original.evaluate('window.opener')).toBe(null);
    await original.close();

    await pressSequence(page, 'g', 's');
    await page.getByRole('heading', { name: 'Bookmarks', level: 1 }).waitFor();
    await pressSequence(page, 'g', 'a');
    await page.getByRole('heading', { name: 'All', level: 1 }).waitFor();
    await pressSequence(page, 'g', 'u');
    await page.getByRole('heading', { name: 'Unread', level: 1 }).waitFor();

    await page.keyboard.press('Shift+?');
    const help = page.getByRole('dialog', { name: 'Keys' });
    await help.waitFor();
    const explained = await help.locator('kbd').allTextContents();
    for (const key of 'jknpmsvor/?g') expect(explained).toContain(key);
    await page.keyboard.press('Escape');
    await gone(help);
    const held = Promise.withResolvers<void>();
    app.site.put('/Keys.xml', { body: rss(plainFeed('Keys', 6, app.site.origin)), after: held.promise });
    await page.keyboard.press('r');
    await page.getByRole('progressbar', { name: 'Fetching feeds' }).waitFor();
    held.resolve();
    await page.keyboard.press('/');
    await page.getByRole('searchbox', { name: 'Search your library' }).waitFor();
  });

  it('shows one pane at a time on a phone, and a swipe marks', async () => {
    const page = await openFeed('Touch', { viewport: phone, isMobile: true, hasTouch: true });
    await swipe(page, row(page, 'Touch, entry 2'), 160);
    await gone(row(page, 'Touch, entry 2', 'unread'));
    await swipe(page, row(page, 'Touch, entry 3'), -160);
    await until('the server knows', async () => {
      const [, second, third] = await itemsOf('Touch');
      return second?.unread === false && third?.bookmark_id !== null && third?.unread;
    });

    await row(page, 'Touch, entry 1').tap();
    await opened(page, 'Touch, entry 1').waitFor();
    await list(page).waitFor({ state: 'hidden' });
    await article(page).getByRole('button', { name: 'Next article' }).tap();
    await opened(page, 'Touch, entry 2').waitFor();
    await article(page).getByRole('button', { name: 'Back' }).first().tap();
    await row(page, 'Touch, entry 1').waitFor();
    await list(page).getByRole('button', { name: 'Feeds' }).tap();
    await feedsPane(page).waitFor();
    await expect(list(page).waitFor({ state: 'hidden' })).resolves.toBeUndefined();
  });

  it('adds a feed by the address of its site, after a look at what was found, into a new group', async () => {
    const { site } = app;
    site.put('/blog/', {
      type: 'text/html',
      body: '<title>A blog</title><link rel="alternate" type="application/rss+xml" href="/blog/feed.xml">',
    });
    site.put('/blog/feed.xml', rss(plainFeed('Harbour Letters', 3, site.origin)));
    const page = await openFeed('Tabs');
    await page.keyboard.press('a');
    const panel = page.getByRole('dialog', { name: 'Add a feed' });
    await panel.getByLabel('Address of a site or a feed').fill('not an address');
    await panel.getByRole('button', { name: 'Find feeds' }).click();
    await panel.getByRole('alert').filter({ hasText: 'does not look like an address' }).waitFor();
    await panel.getByLabel('Address of a site or a feed').fill(`${site.origin}/blog/`);
    await panel.getByRole('button', { name: 'Find feeds' }).click();
    await panel.getByText('Harbour Letters, entry 1').waitFor();
    await panel.getByRole('combobox', { name: 'Group' }).selectOption({ label: 'New group …' });
    await panel.getByLabel('Name of the group').fill('Letters');
    await panel.getByRole('button', { name: 'Follow' }).click();
    await gone(panel);
    await row(page, 'Harbour Letters, entry 3').waitFor();
    await expect(
      feedsPane(page)
        .getByRole('link', { name: /^Letters/ })
        .waitFor(),
    ).resolves.toBeUndefined();
  });

  deepIt('moves a feed to a group by dragging it there, and by its menu', async () => {
    const page = await openFeed('Moving');
    const feed = feedsPane(page).getByRole('link', { name: /Moving/ });
    const groupOf = async () => (await app.api('GET', `/api/feeds/${feeds.Moving}`)).data.group_id;
    await feed.hover();
    await page.mouse.down();
    await feedsPane(page)
      .getByRole('link', { name: /^Craft/ })
      .hover();
    await page.mouse.up();
    await page.getByText('Moving is now in Craft.').waitFor();
    await until('the server knows', async () => (await groupOf()) === groups.Craft);

    await feed.hover();
    await page.getByRole('button', { name: 'More for Moving' }).click();
    await page.getByRole('menuitem', { name: 'Move to a group' }).click();
    const panel = page.getByRole('dialog', { name: 'Move Moving' });
    await panel.getByLabel('Group').selectOption({ label: 'Science' });
    await panel.getByRole('button', { name: 'Move', exact: true }).click();
    await gone(panel);
    await until('the server knows', async () => (await groupOf()) === groups.Science);
    expect(await groupOf()).toBe(groups.Science);
  });

  deepIt('changes what can be set of a feed, and unfollows it', async () => {
    const page = await openFeed('Settling');
    const open = async (name: string) => {
      await feedsPane(page)
        .getByRole('link', { name: new RegExp(name) })
        .hover();
      await page.getByRole('button', { name: `More for ${name}` }).click();
      await page.getByRole('menuitem', { name: 'Feed settings' }).click();
      return page.getByRole('dialog', { name });
    };
    let panel = await open('Settling');
    await panel.getByLabel('Name').fill('Settled');
    await panel.getByLabel('Keep at most').fill('50');
    await panel.getByLabel('Read the full text of its pages').check();
    await panel.getByLabel('Pause this feed').check();
    await panel.getByRole('button', { name: 'Save' }).click();
    await gone(panel);
    expect((await app.api('GET', `/api/feeds/${feeds.Settling}`)).data).toMatchObject({
      name: 'Settled',
      keep_entries: 50,
      full_text: true,
      suspended: true,
    });
    panel = await open('Settled');
    await panel.getByText('You have paused this feed.').waitFor();
    await panel.getByRole('button', { name: 'Unfollow' }).click();
    await panel
      .getByRole('group', { name: 'Unfollow Settled?' })
      .getByRole('button', { name: 'Unfollow' })
      .click();
    await page.getByText('You no longer follow Settled.').waitFor();
    await gone(feedsPane(page).getByRole('link', { name: /Settled/ }));
  });

  deepIt('says why a feed fails, and what to do', async () => {
    app.site.put('/Breaking.xml', { status: 404, type: 'text/plain', body: 'gone fishing' });
    const page = await openFeed('Breaking');
    await list(page).getByRole('button', { name: 'How the list is shown' }).click();
    await page.getByRole('menuitem', { name: 'Feed settings' }).click();
    const panel = page.getByRole('dialog', { name: 'Breaking' });
    await panel.getByText('All is well.').waitFor();
    await panel.getByRole('button', { name: 'Fetch now' }).click();
    await panel.getByText('There is nothing at this address.').waitFor();
    await panel.getByText('It said: ').waitFor();
    await panel.getByRole('button', { name: 'Close' }).click();
    await expect(
      feedsPane(page)
        .getByRole('link', { name: /Breaking.*Needs attention/ })
        .waitFor(),
    ).resolves.toBeUndefined();
  });

  deepIt('fetches all feeds when asked, shows how far it is, and offers what has arrived', async () => {
    const { site } = app;
    const { promise: after, resolve: release } = Promise.withResolvers<void>();
    const feed = plainFeed('Arriving', 2, site.origin);
    const fresh = { guid: 'fresh', title: 'Arriving, the newest', html: '<p>Just now.</p>', at: Date.now() };
    site.put('/Arriving.xml', { body: rss({ ...feed, entries: [fresh, ...feed.entries] }), after });
    const page = await openFeed('Arriving');
    await feedsPane(page).getByRole('button', { name: 'Fetch all feeds now' }).click();
    const progress = page.getByRole('progressbar', { name: 'Fetching feeds' });
    await progress.waitFor();
    const ended = await until('some have ended', async () => {
      const value = Number(await progress.getAttribute('aria-valuenow'));
      return value > 2 && value;
    });
    expect(ended).toBeLessThan(Number(await progress.getAttribute('aria-valuemax')));
    release();
    await list(page).getByRole('button', { name: '1 new article' }).click();
    await row(page, 'Arriving, the newest', 'unread').waitFor();
    await gone(progress);
  });

  deepIt('shows in one tab what was marked in another', async () => {
    const page = await openFeed('Tabs');
    const other = await page.context().newPage();
    await other.goto(`${app.url}/?feed=${feeds.Tabs}`);
    await row(other, 'Tabs, entry 1', 'unread').waitFor();
    await row(page, 'Tabs, entry 1').click();
    await gone(row(other, 'Tabs, entry 1', 'unread'));
    await page.keyboard.press('m');
    await row(other, 'Tabs, entry 1', 'unread').waitFor();
    const counted = feedsPane(other).getByRole('link', { name: /^\W*Tabs\b.*3/ });
    await expect(counted.waitFor()).resolves.toBeUndefined();
  });
});

/** Run in a page, it has the table of waiting changes to itself for as long as that page is open. */
const occupyDatabase = `(async () => {
  const [{ name }] = await indexedDB.databases();
  const opening = indexedDB.open(name);
  await new Promise((resolve) => (opening.onsuccess = resolve));
  const rows = opening.result.transaction('changes', 'readwrite').objectStore('changes');
  const askOn = (then) => {
    rows.count().onsuccess = () => {
      then();
      askOn(() => {});
    };
  };
  await new Promise(askOn);
})()`;

/** A finger that goes sideways over an element and rests there: one that leaves in motion would throw the page. */
async function swipe(page: Page, target: Locator, byPx: number): Promise<void> {
  const box = await target.boundingBox();
  if (!box) throw new Error('there is nothing to swipe');
  const cdp = await page.context().newCDPSession(page);
  const y = box.y + box.height / 2;
  const from = box.x + box.width / 2 - byPx / 2;
  let timestamp = Date.now() / 1000;
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', x?: number, seconds = 0.016) => {
    timestamp += seconds;
    const touchPoints = x === undefined ? [] : [{ x, y }];
    return cdp.send('Input.dispatchTouchEvent', { type, timestamp, touchPoints });
  };
  await touch('touchStart', from);
  for (let step = 1; step <= 8; step++) await touch('touchMove', from + (byPx * step) / 8);
  await touch('touchMove', from + byPx + Math.sign(byPx), 0.3);
  await touch('touchEnd');
}
