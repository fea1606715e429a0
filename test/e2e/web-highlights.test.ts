// Highlights in the web app: made where one reads, found again, and kept in order, as somebody would do it.
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { phone, useBrowser } from '../support/browser.ts';
import { deepIt } from '../support/deep-it.ts';
import { putPage } from '../support/saved-pages.ts';
import { until } from '../support/until.ts';
import { joinWebApp, type WebApp } from '../support/web-app.ts';

const browser = useBrowser();

const body = (name: string, passage: string) =>
  `<p>The story of ${name} begins at the weir. Nothing moved for an hour, and then the heron did, once, with great economy.</p>
   <p>It is said that ${passage}, and whoever has stood there long enough will believe it without being told twice.</p>
   <p>Afterwards we walked home along the canal, past the lock and the empty boats, and spoke of other things.</p>
   ${'<p>It goes on for a while, as texts do that somebody has written with care and with time to spare.</p>'.repeat(4)}`;

const gone = (locator: Locator) => locator.waitFor({ state: 'detached' });
const toolbar = (page: Page) => page.getByRole('toolbar', { name: 'Highlight the selection' });
const popover = (page: Page) => page.getByRole('dialog', { name: 'Highlight', exact: true });
const inFrame = (page: Page) => page.frameLocator('iframe >> visible=true');
const row = (page: Page, text: string) =>
  page.getByRole('main').getByRole('listitem').filter({ hasText: text });

/** Of the document in the frame that is shown: nothing in it runs, so that the page is asked. */
const framed = `[...document.querySelectorAll('iframe')].find((frame) => frame.checkVisibility({ visibilityProperty: true }))?.contentDocument`;

/** As a pointer would: the words, wherever they stand in the article. */
async function select(page: Page, words: string): Promise<void> {
  await inFrame(page).getByText(words.slice(0, 12)).first().waitFor();
  await page.evaluate(`(() => {
    const page = ${framed};
    const walker = page.createTreeWalker(page.body, 4);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const at = node.data.indexOf(${JSON.stringify(words)});
      if (at < 0) continue;
      page.getSelection().setBaseAndExtent(node, at, node, at + ${words.length});
      return;
    }
    throw new Error('these words stand nowhere');
  })()`);
}

/** What is painted, by colour. */
const painted = (page: Page) =>
  page.evaluate(`(() => {
    const page = ${framed};
    const found = {};
    if (!page) return found;
    for (const [name, ranges] of page.defaultView.CSS.highlights)
      for (const range of ranges) (found[name.replace('lectern-', '')] ??= []).push(range.toString());
    return found;
  })()`) as Promise<Record<string, string[]>>;

const isPainted = (page: Page, mark: string, words: string) =>
  until(`"${words}" is painted ${mark}`, async () => (await painted(page))[mark]?.includes(words));
const isBare = (page: Page, words: string) =>
  until(
    `"${words}" is not painted`,
    async () =>
      !Object.values(await painted(page))
        .flat()
        .includes(words),
  );

/** In the middle of the first line of a painted passage. */
async function clickPassage(page: Page, words: string): Promise<void> {
  const place = (await page.evaluate(`(() => {
    const page = ${framed};
    const ranges = [...page.defaultView.CSS.highlights.values()].flatMap((highlight) => [...highlight]);
    const range = ranges.find((one) => one.toString() === ${JSON.stringify(words)});
    range.startContainer.parentElement.scrollIntoView({ block: 'center' });
    const box = range.getClientRects()[0];
    const frame = page.defaultView.frameElement.getBoundingClientRect();
    return { x: frame.left + box.left + box.width / 2, y: frame.top + box.top + box.height / 2 };
  })()`)) as { x: number; y: number };
  await page.mouse.click(place.x, place.y);
}

interface Kept {
  id: number;
  text: string;
  color: string;
  source: string;
  boundary: { quote: { exact: string; prefix: string }; position: { start: number } };
  comments: { content: string }[];
}

describe('highlights', () => {
  let app: WebApp;
  beforeAll(async () => {
    app = await joinWebApp();
    await app.follow({ path: '/feed.xml', title: 'Field Notes', entries: 3 });
  }, 120_000);
  afterAll(() => app.close());

  const open = async (path: string, options = {}): Promise<Page> => {
    const page = await browser.page({ reducedMotion: 'reduce', ...options });
    await app.logIn(page.context());
    await page.goto(app.url + path);
    return page;
  };
  const kept = async (query: string): Promise<Kept[]> =>
    (await app.api('GET', `/api/annotations?limit=200&${query}`)).data;
  /** A saved page with its copy. */
  const save = async (name: string, passage: string): Promise<{ id: string; url: string }> => {
    const url = putPage(app.site, `/${name}`, { title: `About ${name}`, body: body(name, passage) });
    const { id } = await app.api('POST', '/api/v1/items', { url });
    await until(`the copy of ${name} is there`, async () => {
      const { details } = await app.api('GET', `/api/v1/items/${id}?include=details`);
      return details.hasContent;
    });
    return { id, url };
  };
  const highlight = async (itemId: string, text: string, more = {}): Promise<Kept> =>
    (await app.api('POST', '/api/annotations', { item_id: Number(itemId), text, color: 'yellow', ...more }))
      .data;

  it('are made from a selection, and are there again after a reload', async () => {
    const { id } = await save('harbour', 'the harbour remembers every boat');
    const page = await open(`/library?item=${id}`);
    await select(page, 'the harbour remembers every boat');
    await toolbar(page).getByRole('button', { name: 'Highlight in green' }).click();
    await isPainted(page, 'green', 'the harbour remembers every boat');
    await gone(toolbar(page));
    const [made] = await until('the server has it', async () => {
      const found = await kept(`item_id=${id}`);
      return found.length > 0 && found;
    });
    expect(made).toMatchObject({
      text: 'the harbour remembers every boat',
      color: 'green',
      source: 'lectern',
    });
    expect(made?.boundary.quote.prefix).toMatch(/It is said that $/);

    await page.reload();
    await isPainted(page, 'green', 'the harbour remembers every boat');
    // In another place of the same page, with the colour that was used last.
    await select(page, 'past the lock and the empty boats');
    await toolbar(page).waitFor();
    await page.keyboard.press('h');
    await isPainted(page, 'green', 'past the lock and the empty boats');
    await until('the server has both', async () => (await kept(`item_id=${id}`)).length === 2);
    await page.getByText('2 highlights on this page').click();
    await page.getByRole('button', { name: 'past the lock and the empty boats' }).waitFor();
  });

  it('have notes and a colour, which are changed where they are clicked, and can be removed and had back', async () => {
    const passage = 'a lamp outlives its keeper';
    const { id } = await save('lamp', passage);
    const page = await open(`/library?item=${id}`);
    await select(page, passage);
    await toolbar(page).getByRole('button', { name: 'Highlight with a note' }).click();
    await popover(page).getByLabel('Note', { exact: true }).fill('Ask Ines about this');
    await page.keyboard.press('Control+Enter');
    await popover(page).getByText('Ask Ines about this').waitFor();
    await page.keyboard.press('Escape');
    await gone(popover(page));

    await page.reload();
    await isPainted(page, 'noted', passage);
    await clickPassage(page, passage);
    await popover(page).getByText('Ask Ines about this').waitFor();
    await popover(page).getByRole('button', { name: 'purple' }).click();
    await isPainted(page, 'purple', passage);
    await popover(page).getByRole('button', { name: 'Edit the note' }).click();
    await popover(page).getByLabel('Note', { exact: true }).fill('Ines says yes');
    await popover(page).getByRole('button', { name: 'Save' }).click();
    await popover(page).getByText('Ines says yes').waitFor();
    await until('the server knows', async () => {
      const [one] = await kept(`item_id=${id}`);
      return one?.color === 'purple' && one.comments[0]?.content === 'Ines says yes';
    });

    await popover(page).getByRole('button', { name: 'Remove the highlight' }).click();
    await gone(popover(page));
    await isBare(page, passage);
    await page.getByText('Highlight removed.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await isPainted(page, 'purple', passage);
    const [back] = await until('the server has it again', async () => {
      const found = await kept(`item_id=${id}`);
      return found.length > 0 && found;
    });
    expect(back).toMatchObject({ source: 'restored', comments: [{ content: 'Ines says yes' }] });
  });

  deepIt('are made in an article that is not saved, without a mouse', async () => {
    const page = await open('/?view=all');
    await page.getByRole('link', { name: /Field Notes, entry 2/ }).click();
    const words = 'the text of entry 2';
    await select(page, words);
    await page.keyboard.press('h');
    await isPainted(page, 'yellow', words);
    await popover(page).waitFor();
    // Once more leads into it, and Escape back to the article.
    await page.keyboard.press('h');
    await until('the focus is in it', () =>
      page.evaluate(`document.activeElement.getAttribute('role') === 'dialog'`),
    );
    await popover(page).getByRole('button', { name: 'Add a note' }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.type('By keys alone');
    await page.keyboard.press('Control+Enter');
    await popover(page).getByText('By keys alone').waitFor();
    await page.keyboard.press('Escape');
    await gone(popover(page));
    await until('the focus is in the article', () =>
      page.evaluate(`document.activeElement.tagName === 'IFRAME'`),
    );
    await page.getByRole('article').getByRole('heading', { name: 'Field Notes, entry 2' }).waitFor();

    const { data: entries } = await app.api('GET', '/api/items?limit=10');
    const { id } = entries.find((one: { title: string }) => one.title === 'Field Notes, entry 2');
    const [made] = await until('the server has the note', async () => {
      const found = await kept(`entry_id=${id}`);
      return found[0]?.comments.length === 1 && found;
    });
    expect(made).toMatchObject({ text: words, comments: [{ content: 'By keys alone' }] });
    await page.reload();
    await isPainted(page, 'yellow', words);
    await page.keyboard.press('h');
    await page.getByText('Select some text first.').waitFor();
  });

  deepIt('whose passage is gone from a new copy are listed, and stay where it is still there', async () => {
    const { id } = await save('mill', 'the mill has always stood idle');
    await highlight(id, 'the mill has always stood idle', { comment: 'Is that so?' });
    await highlight(id, 'and then the heron did, once, with great economy');
    const page = await open(`/library?item=${id}`);
    await isPainted(page, 'yellow', 'the mill has always stood idle');
    expect(await page.getByText('whose passage was not found here').count()).toBe(0);

    putPage(app.site, '/mill', {
      title: 'About mill',
      body: `<p>A preface, in which somebody explains at length why all of this was written anew.</p>${body('mill', 'nobody knows')}`,
    });
    const { enrichedAt } = await app.api('GET', `/api/v1/items/${id}`);
    await app.api('POST', `/api/v1/items/${id}/enrich`);
    await until('the copy is taken anew', async () => {
      const item = await app.api('GET', `/api/v1/items/${id}`);
      return item.enrichmentStatus === 'succeeded' && item.enrichedAt !== enrichedAt;
    });
    await page.goto(`${app.url}/library?item=${id}`);
    const lost = page.getByRole('region', { name: '1 highlight whose passage was not found here' });
    await lost.getByText('the mill has always stood idle').waitFor();
    await lost.getByText('Is that so?').waitFor();
    await isPainted(page, 'yellow', 'and then the heron did, once, with great economy');
  });

  deepIt('go back to what they were, and say so, where the server is not reached', async () => {
    const passage = 'a bridge is a kind of promise';
    const { id } = await save('bridge', passage);
    const page = await open(`/library?item=${id}`, { expecting: [/ERR_FAILED|ERR_INTERNET/] });
    await page.route('**/api/annotations', (route) =>
      route.request().method() === 'POST' ? route.abort() : route.fallback(),
    );
    await select(page, passage);
    await toolbar(page).getByRole('button', { name: 'Highlight in blue' }).click();
    const told = page.getByRole('alert').filter({ hasText: 'Lectern cannot be reached' });
    await told.waitFor();
    await isBare(page, passage);
    expect(await kept(`item_id=${id}`)).toEqual([]);

    await page.unroute('**/api/annotations');
    await told.getByRole('button', { name: 'Try again' }).click();
    await isPainted(page, 'blue', passage);
    await until('the server has it', async () => (await kept(`item_id=${id}`)).length === 1);

    await page.route('**/api/annotations/*', (route) => route.abort());
    await clickPassage(page, passage);
    await popover(page).getByRole('button', { name: 'pink' }).click();
    await told.first().waitFor();
    await isPainted(page, 'blue', passage);
  });

  deepIt('are marked in the text itself where a browser cannot paint', async () => {
    const passage = 'paper keeps what stone forgets';
    const { id } = await save('paper', passage);
    // The frame runs no script, not even this one.
    const page = await browser.page({ reducedMotion: 'reduce', expecting: [/Blocked script execution/] });
    await page.addInitScript('delete window.Highlight');
    await app.logIn(page.context());
    await page.goto(`${app.url}/library?item=${id}`);
    await select(page, passage);
    await toolbar(page).getByRole('button', { name: 'Highlight in pink' }).click();
    const mark = inFrame(page).locator('mark');
    await mark.getByText(passage).waitFor();
    expect(await mark.getAttribute('data-mark')).toBe('pink');
    await until('the server has it', async () => (await kept(`item_id=${id}`)).length === 1);
    // It cuts the text into pieces, and the next one is found all the same.
    await select(page, 'stone');
    await toolbar(page).getByRole('button', { name: 'Highlight in green' }).click();
    await until('both are marked', async () => (await mark.allTextContents()).join('|') !== passage);
    await until('the server has both', async () => (await kept(`item_id=${id}`)).length === 2);
    await mark.first().click();
    await popover(page).getByRole('button', { name: 'Remove the highlight' }).click();
    await until('one is left', async () => (await kept(`item_id=${id}`)).length === 1);
  });

  deepIt('of a source that is kept in step are shown, and are not changed here', async () => {
    const passage = 'tides are the patience of the moon';
    const { id, url } = await save('tides', passage);
    await app.api('POST', '/api/light/sync', {
      source: 'light-desk',
      highlights: {
        [url]: [{ groupID: 1, repr: passage, chunks: [passage], date: '2026-03-01T10:00:00Z', url }],
      },
    });
    const page = await open(`/library?item=${id}`);
    await isPainted(page, 'yellow', passage);
    await clickPassage(page, passage);
    await popover(page).getByText('Kept in step with light-desk. Change it there.').waitFor();
    expect(await popover(page).getByRole('button', { name: 'Remove the highlight' }).count()).toBe(0);
    await popover(page).getByRole('button', { name: 'Add a note' }).click();
    await popover(page).getByLabel('Note', { exact: true }).fill('A note of mine');
    await popover(page).getByRole('button', { name: 'Save' }).click();
    await popover(page).getByText('A note of mine').waitFor();

    await page.goto(`${app.url}/highlights?view=sources`);
    const state = page.getByRole('region', { name: 'Where they come from' });
    await state.getByText('light-desk').waitFor();
    await state.getByText('1 new').waitFor();
    await page.getByText(`${app.url}/api/light/sync`).waitFor();
    await state.getByRole('link', { name: 'Show' }).click();
    await row(page, passage).getByText('Kept in step with light-desk').waitFor();
  });

  it('are listed with their pages, and narrowed by source, colour, day and page', async () => {
    const { id } = await save('orchard', 'an orchard is a slow library');
    const { id: otherId } = await save('quarry', 'a quarry is a hole that was useful');
    await highlight(id, 'an orchard is a slow library', { color: 'pink', made_at: '2024-05-01T12:00:00Z' });
    await highlight(id, 'past the lock and the empty boats', {
      color: 'blue',
      made_at: '2024-05-02T12:00:00Z',
    });
    await highlight(otherId, 'a quarry is a hole that was useful', {
      color: 'pink',
      made_at: '2024-05-03T12:00:00Z',
    });
    const page = await open('/highlights');
    await row(page, 'an orchard is a slow library').waitFor();
    const texts = () => page.locator('blockquote').allTextContents();

    await page.getByLabel('From', { exact: true }).fill('2024-05-01');
    await page.getByLabel('To', { exact: true }).fill('2024-05-03');
    await until(
      'those days are left, the newest first',
      async () =>
        (await texts()).join('|') ===
        'a quarry is a hole that was useful|past the lock and the empty boats|an orchard is a slow library',
    );
    await page.getByLabel('Colour').selectOption('pink');
    await until('the pink ones are left', async () => (await texts()).length === 2);
    await page
      .getByRole('group', { name: 'About orchard' })
      .getByRole('button', { name: 'More for this highlight' })
      .click();
    await page.getByRole('menuitem', { name: 'Only this page' }).click();
    await until('one page is left', async () => (await texts()).join('|') === 'an orchard is a slow library');
    const { searchParams } = new URL(page.url());
    expect(Object.fromEntries(searchParams)).toMatchObject({
      color: 'pink',
      from: '2024-05-01',
      to: '2024-05-03',
    });

    // The address is enough, and so is the way back.
    await page.reload();
    await until(
      'the same is shown',
      async () => (await texts()).join('|') === 'an orchard is a slow library',
    );
    await page.goBack();
    await until('the page before is shown', async () => (await texts()).length === 2);
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await until('all are shown', async () => (await texts()).length > 2);
    await page.goto(`${app.url}/highlights?source=nobody`);
    await page.getByRole('heading', { name: 'No highlight fits these filters' }).waitFor();

    await page.goto(`${app.url}/highlights?color=blue&from=2024-05-02&to=2024-05-02`);
    await page.getByRole('link', { name: 'About orchard' }).click();
    await page.getByRole('heading', { name: 'About orchard', level: 1 }).waitFor();
    await isPainted(page, 'blue', 'past the lock and the empty boats');
  });

  deepIt('are loaded further as one goes on', async () => {
    const { data: resource } = await app.api('POST', '/api/resources', {
      type: 'book',
      title: 'A long book',
    });
    for (let n = 0; n < 120; n++) {
      await app.api('POST', '/api/annotations', { resource_id: resource.id, text: `Sentence ${n}.` });
    }
    const page = await open(`/highlights?resource=${resource.id}`);
    await row(page, 'Sentence 119.').waitFor();
    expect(await page.locator('blockquote').count()).toBeLessThan(120);
    await until('all are there', async () => {
      await page.locator('blockquote').last().scrollIntoViewIfNeeded();
      return (await page.locator('blockquote').count()) === 120;
    });
    await page.getByRole('group', { name: 'A long book' }).waitFor();
  });

  deepIt('are changed in the list, deleted, had back at once or from what was deleted', async () => {
    const { id } = await save('ferry', 'the ferry waits for nobody');
    await highlight(id, 'the ferry waits for nobody');
    const page = await open('/highlights');
    const one = row(page, 'the ferry waits for nobody');
    await one.getByRole('button', { name: 'Add a note' }).click();
    await one.getByLabel('Note', { exact: true }).fill('Nor for me');
    await one.getByRole('button', { name: 'Save' }).click();
    await one.getByText('Nor for me').waitFor();
    const choose = async (name: string) => {
      await one.getByRole('button', { name: 'More for this highlight' }).click();
      await page.getByRole('menuitem', { name }).or(page.getByRole('menuitemcheckbox', { name })).click();
    };
    await choose('Make it blue');
    await until('the server knows', async () => (await kept(`item_id=${id}`))[0]?.color === 'blue');

    await choose('Remove the highlight');
    await gone(one);
    await until('the server knows', async () => (await kept(`item_id=${id}`)).length === 0);
    await page.getByRole('link', { name: /^Deleted/ }).click();
    await one.getByRole('button', { name: 'Restore' }).click();
    await gone(one);
    await page.getByText('Restored.', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Show it' }).click();
    await one.getByText('Nor for me').waitFor();
    expect(await kept(`item_id=${id}`)).toMatchObject([{ source: 'restored', color: 'blue' }]);

    await choose('Remove the highlight');
    await gone(one);
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await one.getByText('Nor for me').waitFor();
    await one.getByRole('button', { name: 'Delete the note' }).click();
    await gone(one.getByText('Nor for me'));
    await page.getByText('Note deleted.').waitFor();
  });

  it('come from a file, once it was seen what it would bring', async () => {
    const clippings = [
      'The Long Field (Ada Winter)',
      '- Your Highlight on page 12 | Location 170-172 | Added on Sunday, 1 March 2026 10:00:00',
      '',
      'A field is never as flat as it looks.',
      '==========',
      '',
    ].join('\r\n');
    const page = await open('/highlights?view=sources', { expecting: [/status of 400/] });
    const section = page.getByRole('region', { name: 'Import a file' });
    const choose = () =>
      section
        .locator('input[type=file]')
        .setInputFiles({ name: 'My Clippings.txt', mimeType: 'text/plain', buffer: Buffer.from(clippings) });
    await section.getByLabel('From').selectOption('kindle');
    await choose();
    await section.getByText('1 new highlight in 1 new book or page').waitFor();
    expect(await kept('source=kindle')).toEqual([]);
    await section.getByRole('button', { name: 'Import' }).click();
    await section.getByText('Imported: 1 new, 0 changed.').waitFor();
    expect(await kept('source=kindle')).toMatchObject([{ text: 'A field is never as flat as it looks.' }]);
    await section.getByRole('button', { name: 'Close' }).click();
    await choose();
    await section.getByText('There is nothing new in it.').waitFor();
    await page
      .getByRole('region', { name: 'Where they come from' })
      .getByRole('link', { name: 'Show' })
      .last()
      .waitFor();

    // A file that is none says so, and nothing is changed.
    await section.getByLabel('From').selectOption('hypothesis');
    await choose();
    await section.getByRole('alert').getByText(/\w/).waitFor();
    expect(await kept('source=hypothesis')).toEqual([]);
  });

  it('go out as files', async () => {
    const page = await open('/highlights?view=sources');
    for (const name of ['Markdown', 'JSON', 'W3C annotations']) {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('region', { name: 'Export' }).getByRole('link', { name }).click(),
      ]);
      expect(download.suggestedFilename()).toMatch(/\.(md|json|zip|jsonld)$/);
    }
  });

  deepIt('are made and listed in a hand', async () => {
    const passage = 'a kite is a letter to the wind';
    const { id } = await save('kite', passage);
    const page = await open(`/library?item=${id}`, { viewport: phone, isMobile: true, hasTouch: true });
    await select(page, passage);
    const buttons = toolbar(page).getByRole('button');
    await buttons.first().waitFor();
    for (const box of await Promise.all((await buttons.all()).map((button) => button.boundingBox()))) {
      expect(box?.width).toBeGreaterThanOrEqual(40);
      expect(box?.x).toBeGreaterThanOrEqual(0);
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(phone.width);
    }
    await toolbar(page).getByRole('button', { name: 'Highlight in yellow' }).tap();
    await isPainted(page, 'yellow', passage);
    await until('the server has it', async () => (await kept(`item_id=${id}`)).length === 1);
    await clickPassage(page, passage);
    await popover(page).getByRole('button', { name: 'green' }).tap();
    await isPainted(page, 'green', passage);
    await page.keyboard.press('Escape');
    await gone(popover(page));

    await page.goto(`${app.url}/highlights`);
    await row(page, passage).waitFor();
    const width = await page.evaluate('document.getElementById("content").scrollWidth');
    expect(width).toBeLessThanOrEqual(phone.width);
  });

  deepIt('say what to do where there are none, in German too', async () => {
    const other = await joinWebApp();
    const page = await browser.page({ reducedMotion: 'reduce', locale: 'de-DE' });
    await other.logIn(page.context());
    await page.goto(`${app.url}/highlights`);
    await page.getByRole('heading', { name: 'Noch nichts markiert' }).waitFor();
    await page.getByRole('link', { name: 'Markierungen herholen' }).click();
    await page.getByRole('heading', { name: 'Eine Datei einlesen' }).waitFor();
    expect(await page.getByRole('heading', { name: 'Research' }).count()).toBe(0);
    await page.getByRole('link', { name: /^Gelöscht/ }).click();
    await page.getByRole('heading', { name: 'Nichts wurde gelöscht' }).waitFor();
  });
});
