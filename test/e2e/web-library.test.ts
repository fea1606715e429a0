// The library in the web app: saving, reading and keeping order, as somebody would do it.
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { phone, pressSequence, useBrowser } from '../support/browser.ts';
import { deepIt } from '../support/deep-it.ts';
import { pageText, putPage, putPicture } from '../support/saved-pages.ts';
import { until } from '../support/until.ts';
import { joinWebApp, type WebApp } from '../support/web-app.ts';

const browser = useBrowser();

const items = (page: Page) => page.getByRole('region', { name: 'Items' });
const places = (page: Page) => page.getByRole('navigation', { name: 'Places of the library' });
const item = (page: Page, title: string) => items(page).getByRole('link', { name: title, exact: true });
const card = (page: Page, title: string) =>
  items(page)
    .getByRole('listitem')
    .filter({ has: page.getByRole('link', { name: title, exact: true }) });
const pane = (page: Page) => page.getByRole('article', { name: 'Item' });
const panel = (page: Page) => page.getByRole('dialog');
const copy = (page: Page, title: string) =>
  page.frameLocator('iframe >> visible=true').getByText(pageText(title));
const gone = (locator: Locator) => locator.waitFor({ state: 'detached' });
const focusIsOn = (page: Page, title: string) =>
  until(`the focus is on ${title}`, () =>
    page.evaluate(`document.activeElement?.textContent.trim() === ${JSON.stringify(title)}`),
  );
const titles = async (page: Page) => {
  const links = await items(page).getByRole('listitem').getByRole('link').allTextContents();
  return links.map((text) => text.trim());
};

interface Saved {
  id: string;
  title: string | null;
  status: string;
  isFavorite: boolean;
  tags: string[];
  collectionId: string | null;
}

describe('the library', () => {
  let app: WebApp;
  let picture: string;

  beforeAll(async () => {
    app = await joinWebApp();
    picture = await putPicture(app.site, '/picture.jpg', '#7a9e87');
  });
  afterAll(() => app.close());
  beforeEach(() => app.api('PATCH', '/api/me/preferences', { library_view: 'grid', density: 'cosy' }));

  const open = async (path = '/library', options = {}): Promise<Page> => {
    const page = await browser.page({ reducedMotion: 'reduce', ...options });
    await app.logIn(page.context());
    await page.goto(app.url + path);
    return page;
  };
  const all = async (query = ''): Promise<Saved[]> =>
    (await app.api('GET', `/api/v1/items?limit=50${query}`)).items;
  const byTitle = async (title: string) => (await all()).find((one) => one.title === title);
  /** With titles of their own, which need no page. Each one is newer than the one before. */
  const save = async (names: string[], more = {}): Promise<string[]> => {
    const ids: string[] = [];
    for (const title of names) {
      const url = `${app.site.origin}/own/${encodeURIComponent(title)}`;
      app.site.put(`/own/${encodeURIComponent(title)}`, { type: 'text/html', body: '<p>Little.</p>' });
      ids.push((await app.api('POST', '/api/v1/items', { url, title, ...more })).id);
    }
    return ids;
  };

  it('saves an address that is pasted, shows it at once, and its page when that has been read', async () => {
    const answer = Promise.withResolvers<void>();
    const title = 'What a shelf remembers';
    const url = putPage(app.site, '/shelf', { title, author: 'Ines Halloran', picture }, answer.promise);
    const page = await open();
    await page.getByRole('heading', { name: 'Keep what you want to read' }).waitFor();
    await page.getByRole('button', { name: 'Save an address' }).last().click();
    await panel(page).getByLabel('Paste an address').fill(url);
    await page.keyboard.press('Enter');
    await gone(panel(page));
    const first = items(page).getByRole('listitem').first();
    await first.getByText('Reading the page').waitFor();
    const before = await first.boundingBox();

    // It comes by itself, and nothing moves for it.
    answer.resolve();
    await item(page, title).waitFor();
    await first.locator('img[src*="/thumbnail"]').waitFor();
    await until('the picture has come', () =>
      page.evaluate(`document.querySelector('img[src*="/thumbnail"]').naturalWidth > 0`),
    );
    expect(await first.boundingBox()).toEqual(before);

    await item(page, title).click();
    await pane(page).getByRole('heading', { name: title, level: 1 }).waitFor();
    await copy(page, title).waitFor();
    await pane(page).getByText('Ines Halloran').waitFor();
    await pane(page)
      .getByText(/min read/)
      .waitFor();
    expect(new URL(page.url()).searchParams.get('item')).toBe((await byTitle(title))?.id);
    await page.keyboard.press('Escape');
    await item(page, title).waitFor();
    await focusIsOn(page, title);
  });

  it('returns the focus to an item, however long the browser takes to go back', async () => {
    await save(['Read and left']);
    const page = await open();
    await item(page, 'Read and left').click();
    await pane(page).getByRole('heading', { name: 'Read and left', level: 1 }).waitFor();
    await page.evaluate(
      `const back = history.back.bind(history); history.back = () => setTimeout(back, 300)`,
    );
    await page.keyboard.press('Escape');
    await item(page, 'Read and left').waitFor();
    await focusIsOn(page, 'Read and left');
    expect(await page.evaluate('document.activeElement.id')).toMatch(/^item-/);
  });

  deepIt('saves all addresses of a text, and says what became of each', async () => {
    const there = putPage(app.site, '/there', { title: 'There already' });
    await app.api('POST', '/api/v1/items', { url: there });
    const one = putPage(app.site, '/one', { title: 'One of two' });
    const two = putPage(app.site, '/two', { title: 'Two of two' });
    const page = await open();
    await item(page, 'There already').waitFor();
    await page.keyboard.press('a');
    const field = panel(page).getByLabel('Paste an address');
    await field.fill('nonsense');
    await panel(page).getByText('not an address').waitFor();
    expect(await panel(page).getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true);
    await field.fill(`I liked ${one} (and ${two}),\nand ${there}.`);
    await panel(page).getByText('3 addresses').waitFor();
    await panel(page).getByRole('button', { name: 'Save 3' }).click();
    await panel(page).getByText('2 saved, 1 already there.').waitFor();
    await panel(page).getByRole('button', { name: 'Done' }).click();
    await item(page, 'One of two').waitFor();
    await item(page, 'Two of two').waitFor();
    expect((await all()).filter(({ title }) => title === 'There already')).toHaveLength(1);
  });

  deepIt('says why a page could not be read, and tries again', async () => {
    const url = `${app.site.origin}/comes-later`;
    app.site.put('/comes-later', { status: 404, type: 'text/html', body: 'no' });
    await app.api('POST', '/api/v1/items', { url, tags: ['late'] });
    const page = await open('/library?tag=late');
    const again = items(page).getByRole('button', { name: 'Try again' });
    await again.waitFor();
    await places(page)
      .getByRole('link', { name: /^Failed/ })
      .waitFor();
    putPage(app.site, '/comes-later', { title: 'Here at last' });
    await again.click();
    await item(page, 'Here at last').waitFor();
    await expect(gone(places(page).getByRole('link', { name: /^Failed/ }))).resolves.toBeUndefined();
  });

  deepIt('asks after what it waits for, where the server cannot tell of it', async () => {
    const answer = Promise.withResolvers<void>();
    const url = putPage(app.site, '/untold', { title: 'Untold' }, answer.promise);
    const page = await browser.page({ reducedMotion: 'reduce', expecting: [/items\/events/] });
    await page.route('**/api/v1/items/events', (route) => route.abort());
    await app.logIn(page.context());
    await app.api('POST', '/api/v1/items', { url, tags: ['untold'] });
    await page.goto(`${app.url}/library?tag=untold`);
    await items(page).getByText('Reading the page').waitFor();
    answer.resolve();
    await item(page, 'Untold').waitFor();
    expect(await items(page).getByText('Reading the page').count()).toBe(0);
  });

  it('tags with what is known, narrows by tags, renames and deletes them everywhere', async () => {
    await save(['Tea for one', 'Tea for two'], { tags: ['beverages'] });
    await save(['Coffee']);
    const page = await open();
    await item(page, 'Coffee').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('t');
    await panel(page).getByRole('combobox').fill('bev');
    await panel(page)
      .getByRole('option', { name: /#beverages/ })
      .waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.keyboard.type('Strong, hot');
    await page.keyboard.press('Enter');
    // With nothing typed, Enter is done.
    await page.keyboard.press('Enter');
    await gone(panel(page));
    await until('the server knows', async () => (await byTitle('Coffee'))?.tags.length === 3);
    expect((await byTitle('Coffee'))?.tags).toEqual(['beverages', 'hot', 'strong']);

    await places(page)
      .getByRole('link', { name: /beverages/ })
      .click();
    await until('three are left', async () => (await titles(page)).length === 3);
    await places(page).getByRole('link', { name: /hot/ }).click();
    await until('one is left', async () => (await titles(page)).join() === 'Coffee');
    expect(new URL(page.url()).search).toBe('?tag=beverages&tag=hot');
    await page.getByRole('button', { name: 'Without the filter #hot' }).click();
    await until('three are back', async () => (await titles(page)).length === 3);

    await places(page)
      .getByRole('link', { name: /beverages/ })
      .hover();
    await places(page).getByRole('button', { name: 'More for beverages' }).click();
    await page.getByRole('menuitem', { name: 'Rename the tag' }).click();
    await panel(page).getByLabel('New name').fill('Drinks');
    await page.keyboard.press('Enter');
    await page.getByText('3 items now tagged drinks.').waitFor();
    await page.waitForURL('**/library?tag=drinks');
    await until('all three are there', async () => (await titles(page)).length === 3);

    await places(page)
      .getByRole('link', { name: /drinks/ })
      .hover();
    await places(page).getByRole('button', { name: 'More for drinks' }).click();
    await page.getByRole('menuitem', { name: 'Delete the tag' }).click();
    await panel(page).getByText('It is taken from 3 items').waitFor();
    await panel(page).getByRole('button', { name: 'Delete the tag' }).click();
    await page.getByText('Taken from 3 items.', { exact: true }).waitFor();
    expect((await byTitle('Tea for one'))?.tags).toEqual([]);
  });

  deepIt(
    'keeps collections in each other, by menu and by dragging, and deletes them in two ways',
    async () => {
      await save(['Oak', 'Elm']);
      const page = await open();
      await item(page, 'Elm').waitFor();
      const row = (name: string) => places(page).getByRole('link', { name: new RegExp(`^${name}`) });
      const create = async (name: string) => {
        await places(page).getByRole('button', { name: 'New collection' }).click();
        await panel(page).getByLabel('Name of the collection').fill(name);
        await page.keyboard.press('Enter');
        await page.getByRole('heading', { name, level: 1 }).waitFor();
      };
      const choose = async (name: string, entry: string) => {
        await row(name).hover();
        await places(page)
          .getByRole('button', { name: `More for ${name}` })
          .click();
        await page.getByRole('menuitem', { name: entry, exact: true }).click();
      };
      await create('Forest');
      await page.getByText('An empty shelf').waitFor();
      await create('Trees');
      await choose('Trees', 'Put into another collection');
      await panel(page).getByLabel('Inside').selectOption({ label: 'Forest' });
      await panel(page).getByRole('button', { name: 'Save' }).click();
      await places(page).getByRole('button', { name: 'Fold Forest' }).waitFor();
      await choose('Trees', 'Rename');
      await panel(page).getByLabel('Name of the collection').fill('Old trees');
      await page.keyboard.press('Enter');
      await row('Old trees').waitFor();

      await row('All').click();
      await drag(page, item(page, 'Oak'), row('Old trees'));
      await page.getByText('1 item moved.').waitFor();
      await item(page, 'Elm').focus();
      await page.keyboard.press('m');
      await panel(page).getByLabel('Collection').selectOption({ label: 'Forest' });
      await panel(page).getByRole('button', { name: 'Move' }).click();
      await row('Forest').click();
      // What lies in a collection within it is in it too.
      await until('both are there', async () => (await titles(page)).join() === 'Elm,Oak');
      await row('Forest').filter({ hasText: '2' }).waitFor();

      await drag(page, row('Old trees'), places(page).getByRole('heading', { name: 'Collections' }));
      await page.getByText('Old trees is now at the top.').waitFor();
      await drag(page, row('Old trees'), row('Forest'));
      await page.getByText('Old trees is now in Forest.').waitFor();

      await choose('Forest', 'Delete the collection');
      await panel(page).getByText('Its 1 item stays in the library without a collection.').waitFor();
      await panel(page).getByLabel('Delete everything in it').check();
      await panel(page)
        .getByText('2 items go to the bin for 30 days, and 1 collection inside it too.')
        .waitFor();
      await panel(page).getByLabel('Keep its items').check();
      await panel(page).getByRole('button', { name: 'Delete the collection' }).click();
      await gone(row('Forest'));
      await until('the server knows', async () => (await byTitle('Elm'))?.collectionId === null);
      await choose('Old trees', 'Delete the collection');
      await panel(page).getByLabel('Delete everything in it').check();
      await panel(page).getByRole('button', { name: 'Delete the collection' }).click();
      await gone(row('Old trees'));
      await gone(item(page, 'Oak'));
      await until('the server knows', async () =>
        (await all('&deleted=true')).some(({ title }) => title === 'Oak'),
      );
      expect((await byTitle('Elm'))?.collectionId).toBeNull();
    },
  );

  it('changes many at once, and takes it back at once', async () => {
    const names = ['Bulk 1', 'Bulk 2', 'Bulk 3', 'Bulk 4', 'Bulk 5'];
    await save(names, { tags: ['bulk'] });
    const page = await open('/library?tag=bulk');
    await item(page, 'Bulk 5').waitFor();
    const mark = (title: string) =>
      items(page).getByRole('checkbox', { name: `Select ${title}`, exact: true });
    const bar = page.getByRole('toolbar', { name: 'What to do with the selected items' });
    const states = async () =>
      (await all('&tag=bulk')).map(({ status, isFavorite, tags }) => [status, isFavorite, ...tags].join(' '));
    const before = await states();

    await mark('Bulk 5').click();
    await mark('Bulk 2').click({ modifiers: ['Shift'] });
    await bar.getByText('4 selected').waitFor();
    await mark('Bulk 3').click();
    await bar.getByText('3 selected').waitFor();
    await bar.getByRole('button', { name: 'Tags' }).click();
    // What is typed counts, also without Enter.
    await panel(page).getByRole('combobox').fill('several');
    await panel(page).getByRole('button', { name: 'Done' }).click();
    await page.getByText('3 items tagged.').waitFor();
    await until('the server knows', async () => (await all('&tag=several')).length === 3);
    await page.getByRole('button', { name: 'Undo' }).click();
    await until('it is as it was', async () => (await states()).join() === before.join());

    await page.keyboard.press('*');
    await bar.getByText('5 selected').waitFor();
    await bar.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('5 items deleted.').waitFor();
    await page.getByRole('heading', { name: 'Nothing fits all of that' }).waitFor();
    await until('the server knows', async () => (await all('&tag=bulk')).length === 0);
    await page.keyboard.press('z');
    await item(page, 'Bulk 1').waitFor();
    await until('all are back', async () => (await states()).join() === before.join());
    expect(
      await until('in their order', async () => (await titles(page)).join() === names.toReversed().join()),
    ).toBe(true);
  });

  deepIt('says in the address what is shown, for a reload, the way back and a link', async () => {
    await save(['Plain', 'Liked'], { tags: ['said'] });
    await save(['Both'], { tags: ['said', 'twice'], isFavorite: true });
    const page = await open('/library?tag=said');
    await until('three', async () => (await titles(page)).length === 3);
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Favourites' }).click();
    await until('one', async () => (await titles(page)).join() === 'Both');
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Saved by you' }).click();
    await page.waitForURL('**/library?tag=said&favourite=1&origin=saved');
    await page.reload();
    await item(page, 'Both').waitFor();
    await page.getByRole('button', { name: 'Without the filter Saved by you' }).waitFor();
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await page.getByRole('button', { name: 'How the library is shown' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Oldest first' }).click();
    await page.waitForURL('**/library?sort=oldest');
    await page.goBack();
    await page.goBack();
    await page.getByRole('button', { name: 'Without the filter #said' }).waitFor();
    await until('one', async () => (await titles(page)).join() === 'Both');
    await page.goForward();
    expect(await until('more', async () => (await titles(page)).length > 3)).toBe(true);
  });

  deepIt('is used by the keys alone', async () => {
    await app.follow({ path: '/feed.xml', title: 'Field Notes', entries: 1 });
    const title = 'Read by keys';
    const url = putPage(app.site, '/keys', { title });
    await save(['Key 1', 'Key 2'], { tags: ['keys'] });
    await app.api('POST', '/api/v1/items', { url, tags: ['keys'] });
    const page = await open('/library?tag=keys');
    const { keyboard } = page;
    await item(page, title).waitFor();
    await keyboard.press('j');
    await focusIsOn(page, title);
    await keyboard.press('o');
    await copy(page, title).waitFor();
    await keyboard.press('s');
    await page.getByRole('button', { name: 'Remove from favourites' }).waitFor();
    const [original] = await Promise.all([page.context().waitForEvent('page'), keyboard.press('v')]);
    await original.waitForURL(url);
    expect(await original.evaluate('window.opener')).toBe(null);
    await original.close();
    await keyboard.press('i');
    await pane(page).getByRole('textbox').and(page.locator(':focus')).waitFor();
    await keyboard.press('End');
    await keyboard.type(', renamed');
    await keyboard.press('Enter');
    await pane(page)
      .getByRole('heading', { name: `${title}, renamed` })
      .waitFor();
    await keyboard.press('j');
    await pane(page).getByRole('heading', { name: 'Key 2' }).waitFor();
    await keyboard.press('e');
    await page.getByText('1 item archived.').waitFor();
    await keyboard.press('Escape');
    await item(page, 'Key 2').waitFor();
    await keyboard.press('j');
    await keyboard.press('x');
    await page.getByText('1 selected').waitFor();
    await keyboard.press('#');
    await gone(item(page, 'Key 1'));
    // The focus goes to what has taken its place.
    await until('an item has the focus', () =>
      page.evaluate(`document.activeElement?.id.startsWith('item-')`),
    );
    await until('the server knows', async () => {
      const [second, first] = await all('&tag=keys');
      return first?.title === `${title}, renamed`
        ? false
        : second?.isFavorite && first?.status === 'archived';
    });
    await keyboard.press('z');
    await item(page, 'Key 1').waitFor();

    await keyboard.press('w');
    await until('it is a list', async () => (await page.locator('.rows > li .excerpt').count()) > 0);
    await keyboard.press('?');
    await panel(page).waitFor();
    const explained = await panel(page).locator('kbd').allTextContents();
    for (const key of 'jkovseti#zxa/?gl') expect(explained).toContain(key);
    await keyboard.press('Escape');
    await gone(panel(page));
    await pressSequence(page, 'g', 'u');
    await page.getByRole('navigation', { name: 'Places', exact: true }).waitFor();
    await page.waitForURL('**/?view=unread');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await pressSequence(page, 'g', 'l');
    await page.waitForURL('**/library');
  });

  it('gives back what was deleted', async () => {
    const title = 'Second thoughts';
    await app.api('POST', '/api/v1/items', { url: putPage(app.site, '/second', { title }) });
    const page = await open();
    await item(page, title).click();
    await copy(page, title).waitFor();
    await page.keyboard.press('Escape');
    await item(page, title).hover();
    await page.getByRole('button', { name: 'More for Second thoughts' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await gone(item(page, 'Second thoughts'));
    await places(page).getByRole('link', { name: /^Bin/ }).click();
    await item(page, 'Second thoughts').click();
    await pane(page).getByText('This item is in the bin.').waitFor();
    const answer = Promise.withResolvers<void>();
    await page.route('**/api/v1/items/bulk', (route) => answer.promise.then(() => route.continue()));
    await pane(page).getByRole('button', { name: 'Put back' }).click();
    await page.getByText('1 item is back.').waitFor();
    // Its copy is asked for when the server has it back.
    answer.resolve();
    await copy(page, title).waitFor();
    expect((await byTitle(title))?.status).toBe('unread');
  });

  deepIt('shows in one tab what was done in another', async () => {
    await save(['Shared 1', 'Shared 2'], { tags: ['tabs'] });
    const page = await open('/library?tag=tabs');
    await item(page, 'Shared 1').waitFor();
    const other = await page.context().newPage();
    await other.goto(`${app.url}/library?tag=tabs`);
    await item(other, 'Shared 1').waitFor();
    await item(other, 'Shared 1').focus();
    await other.keyboard.press('s');
    await card(page, 'Shared 1').getByText('Favourite').waitFor();
    await item(other, 'Shared 2').focus();
    await other.keyboard.press('#');
    await gone(item(page, 'Shared 2'));
    await save(['Shared 3'], { tags: ['tabs'] });
    await expect(item(page, 'Shared 3').waitFor()).resolves.toBeUndefined();
  });

  it('asks before it saves what another program hands over', async () => {
    const page = await open(
      `/library?title=${encodeURIComponent('Shared by hand')}&text=${encodeURIComponent(`Look: ${app.site.origin}/handed`)}`,
    );
    await panel(page).getByLabel('Paste an address').waitFor();
    expect(await panel(page).getByLabel('Title').inputValue()).toBe('Shared by hand');
    await page.waitForURL('**/library');
    expect(await byTitle('Shared by hand')).toBe(undefined);
    await panel(page).getByRole('button', { name: 'Save', exact: true }).click();
    await item(page, 'Shared by hand').waitFor();
    const manifest = await (await page.request.get(`${app.url}/manifest.webmanifest`)).json();
    expect(manifest.share_target.action).toBe('/library');
  });

  deepIt('shows one pane at a time on a phone', async () => {
    await save(['In a hand'], { tags: ['phone'] });
    await save(['In the archive'], { status: 'archived' });
    const page = await open('/library?tag=phone', { viewport: phone, isMobile: true, hasTouch: true });
    await item(page, 'In a hand').tap();
    await pane(page).getByRole('heading', { name: 'In a hand' }).waitFor();
    await gone(items(page));
    await pane(page).getByRole('button', { name: 'Back' }).tap();
    await items(page).getByRole('button', { name: 'Show the places' }).tap();
    await places(page)
      .getByRole('link', { name: /^Archive/ })
      .tap();
    await page.getByRole('heading', { name: 'Archive', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'How the library is shown' }).tap();
    await page.getByRole('menuitem', { name: 'Select items' }).tap();
    await items(page).getByRole('checkbox').first().tap();
    await page
      .getByRole('toolbar', { name: /selected items/ })
      .getByRole('button', { name: 'Back to unread' })
      .tap();
    await expect(page.getByText('1 item is unread again.').waitFor()).resolves.toBeUndefined();
  });
});

async function drag(page: Page, from: Locator, to: Locator): Promise<void> {
  await from.hover();
  await page.mouse.down();
  const box = await to.boundingBox();
  if (!box) throw new Error('there is nowhere to drag to');
  await page.mouse.move(box.x + 40, box.y + box.height / 2, { steps: 8 });
  await page.mouse.up();
}
