// For everybody: every page in every theme, on a desk and in a hand, held against the rules of axe; and reading without
// a mouse.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { highlightDemo } from '../../scripts/demo-highlights.ts';
import { fillWithDemo } from '../../scripts/demo-library.ts';
import { desktop, phone, useBrowser } from '../support/browser.ts';
import { until } from '../support/until.ts';
import { ownerPassword, startWebApp, type WebApp } from '../support/web-app.ts';

const browser = useBrowser();
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const themes = ['light', 'dark', 'sepia'] as const;
/** All that another theme can break: it changes nothing but colours. */
const aboutColours = ['color-contrast', 'link-in-text-block'];

/** With everything on the page that it can have. */
const halfMirrored = {
  configured: true,
  running: false,
  phase: 'updates',
  cursor: '2025-03-12T09:00:00.000Z',
  next_run_at: '2026-03-12T09:00:00.000Z',
  started_at: '2026-03-12T08:00:00.000Z',
  finished_at: '2026-03-01T08:00:00.000Z',
  problem: 'Raindrop could not be reached.',
  total: 1_200,
  raindrops: 400,
  removed: 3,
  copies: { stored: 300, none: 60, pending: 20, refused: 15, failed: 5 },
  waiting_copies: 25,
  estimate: { batches: 16, done_at: '2026-03-13T00:00:00.000Z' },
};

interface Violation {
  id: string;
  help: string;
  nodes: { html: string; failureSummary: string }[];
}

/** What axe finds, in the page and in the article that it frames. */
async function violationsIn(page: Page, rules?: readonly string[]): Promise<string[]> {
  await page.evaluate(`if (!window.axe) { ${axe} }`);
  const options = { resultTypes: ['violations'], iframes: false, ...(rules && { runOnly: rules }) };
  const { violations } = (await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`)) as {
    violations: Violation[];
  };
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}: ${html.slice(0, 160)}: ${failureSummary}`),
  );
}

describe('the pages are for everybody', () => {
  let app: WebApp;
  beforeAll(async () => {
    app = await startWebApp();
    await fillWithDemo(app);
    await highlightDemo(app);
    await app.api('POST', '/api/v1/searches', { name: 'Long lines', q: 'line' });
    for (const word of ['line', 'curlews']) {
      await until(`what says "${word}" is indexed`, async () => {
        const { data } = await app.api('GET', `/api/v1/search?q=${word}`);
        return data.length > 0;
      });
    }
  });
  afterAll(() => app.close());

  /** Each room is entered from the one before it in its part, and waits for its content. */
  const parts: Record<string, Record<string, (page: Page) => Promise<void>>> = {
    'the reader': {
      list: async (page) => {
        await page.goto(`${app.url}/?view=all`);
        await page.getByRole('link', { name: /What a shelf remembers/ }).waitFor();
      },
      feeds: async (page) => {
        await page.goto(app.url);
        await page.getByRole('navigation', { name: 'Groups and feeds' }).waitFor();
      },
      article: async (page) => {
        await page.goto(`${app.url}/?view=all`);
        await page.getByRole('link', { name: /How wide is a comfortable line/ }).click();
        await page.frameLocator('iframe >> visible=true').getByText('Ask ten printers').waitFor();
      },
      'what is similar to an article': async (page) => {
        const similar = {
          kind: 'entry',
          id: 1,
          title: 'What the storm brought',
          url: '',
          site: 'tide.example',
        };
        await page.route('**/api/items/*/similar?*', (route) =>
          route.fulfill({ json: { data: [similar], by: 'words', notice: null } }),
        );
        await page.goto(`${app.url}/?view=all`);
        await page.getByRole('link', { name: /Low water, first light/ }).click();
        await page.frameLocator('iframe >> visible=true').getByText('Curlew, about forty').waitFor();
        await page.evaluate(`document.getElementById('article-scroll').scrollTo(0, 1e6)`);
        await page.getByRole('region', { name: /^Similar/ }).waitFor();
      },
      keys: async (page) => {
        await page.keyboard.press('Shift+?');
        await page.getByRole('dialog', { name: 'Keys' }).getByRole('heading', { name: 'Marking' }).waitFor();
      },
      'adding a feed': async (page) => {
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        await page.keyboard.press('a');
        await page.getByRole('dialog', { name: 'Add a feed' }).waitFor();
      },
    },
    'the library': {
      library: async (page) => {
        await page.goto(`${app.url}/library`);
        await page.getByRole('link', { name: 'What a shelf remembers' }).waitFor();
      },
      'chosen items': async (page) => {
        for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key);
        await page.getByRole('toolbar', { name: 'What to do with the selected items' }).waitFor();
      },
      'tags of items': async (page) => {
        await page.keyboard.press('t');
        await page.getByRole('dialog', { name: 'Tags of 2 items' }).getByRole('option').first().waitFor();
      },
      'saving an address': async (page) => {
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        await page.keyboard.press('a');
        await page.getByLabel('Paste an address').fill('https://a.example/\nnonsense');
        await page.getByText('not an address').waitFor();
      },
      'the library as a list': async (page) => {
        await page.goto(`${app.url}/library?tag=reading`);
        await page.getByRole('link', { name: 'What a shelf remembers' }).waitFor();
        await page.keyboard.press('w');
        await page.getByText('My grandmother kept').first().waitFor();
      },
      'a saved page': async (page) => {
        await page.getByRole('link', { name: 'What a shelf remembers' }).click();
        await page.frameLocator('iframe >> visible=true').getByText('My grandmother kept').waitFor();
        await page.keyboard.press('w');
      },
      'highlights of a saved page': async (page) => {
        await page.getByRole('region', { name: '1 highlight whose passage was not found here' }).waitFor();
        await page.getByText('3 highlights on this page').click();
        await page.getByRole('button', { name: /^You do not look for a book/ }).click();
        await page.getByRole('dialog', { name: 'Highlight', exact: true }).waitFor();
      },
      'a selection in it': async (page) => {
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        await page.evaluate(`(() => {
        const frames = [...document.querySelectorAll('iframe')];
        const shown = frames.find((frame) => frame.checkVisibility({ visibilityProperty: true })).contentDocument;
        shown.getSelection().selectAllChildren(shown.querySelector('blockquote'));
      })()`);
        await page.getByRole('toolbar', { name: 'Highlight the selection' }).waitFor();
      },
    },
    'the highlights': {
      highlights: async (page) => {
        await page.goto(`${app.url}/highlights`);
        await page.getByText('The whole argument against folders').waitFor();
      },
      'the menu of a highlight': async (page) => {
        await page.getByRole('button', { name: 'More for this highlight' }).first().click();
        await page.getByRole('menu').waitFor();
      },
      'the sources of highlights': async (page) => {
        await page.goto(`${app.url}/highlights?view=sources`);
        await page.getByRole('region', { name: 'Where they come from' }).getByText('light-desk').waitFor();
        await page.getByLabel('Path of the file').waitFor();
      },
      'deleted highlights': async (page) => {
        await page.goto(`${app.url}/highlights?view=deleted`);
        await page.getByRole('heading', { name: 'Nothing was deleted' }).waitFor();
      },
      'the places of the library': async (page) => {
        await page.goto(`${app.url}/library?view=places`);
        await page.getByRole('link', { name: /^Reading room/ }).waitFor();
      },
    },
    'the search page': {
      'an empty search': async (page) => {
        await page.goto(`${app.url}/search`);
        await page.getByRole('link', { name: 'Long lines' }).waitFor();
      },
      search: async (page) => {
        await page.goto(`${app.url}/search?q=line+-tag:work+kind:item+kind:entry&mode=hybrid`);
        await page.locator('mark').first().waitFor();
        await page.getByRole('button', { name: 'Remove the filter: Not #work' }).waitFor();
        await page.getByRole('button', { name: 'Save this search' }).click();
        await page.getByRole('textbox', { name: 'Name' }).waitFor();
      },
      'what a search can be narrowed by': async (page) => {
        if ((page.viewportSize()?.width ?? 0) > phone.width) return;
        await page.getByRole('button', { name: 'Filters' }).click();
        await page.getByRole('dialog', { name: 'Narrow it down' }).waitFor();
      },
      'an answer of the library': async (page) => {
        await page.goto(`${app.url}/search?q=how+wide+is+a+comfortable+line`);
        await page.getByRole('button', { name: 'Ask your library' }).click();
        await page.getByRole('region', { name: 'Answer' }).getByText('No language model is set up').waitFor();
      },
      'a search that finds nothing': async (page) => {
        await page.goto(`${app.url}/search?q=zeppelins+tag:work&mode=text`);
        await page.getByRole('heading', { name: 'Nothing like that here' }).waitFor();
      },
    },
    'the pages beside them': {
      operations: async (page) => {
        await page.goto(`${app.url}/operations`);
        await page
          .getByRole('region', { name: 'How much room does it take?' })
          .getByText('Journal')
          .waitFor();
      },
      mirror: async (page) => {
        await page.route('**/api/v1/mirror', (route) => route.fulfill({ json: { data: halfMirrored } }));
        await page.goto(`${app.url}/mirror`);
        await page.getByRole('alert').getByText('Raindrop could not be reached.').waitFor();
      },
      'the mirror without a token': async (page) => {
        await page.unroute('**/api/v1/mirror');
        await page.goto(`${app.url}/mirror`);
        await page.getByRole('link', { name: 'Integrations at Raindrop' }).waitFor();
      },
      settings: async (page) => {
        await page.goto(`${app.url}/settings`);
        await page
          .getByRole('region', { name: 'Users' })
          .getByText('Owner', { exact: false })
          .first()
          .waitFor();
      },
      parts: async (page) => {
        await page.goto(`${app.url}/parts`);
        await page.getByRole('heading', { level: 1 }).waitFor();
      },
      login: async (page) => {
        await page.context().clearCookies();
        await page.goto(`${app.url}/login`);
        await page.getByRole('button', { name: 'Log in' }).waitFor();
      },
    },
  };

  const devices = Object.entries({ desktop, phone });
  it.each(
    Object.keys(parts).flatMap((part) => devices.map(([device, viewport]) => ({ part, device, viewport }))),
  )('axe finds nothing in $part on a $device, in any theme', async ({ part, viewport }) => {
    const context = await browser.context({ viewport, reducedMotion: 'reduce' });
    await app.logIn(context);
    const page = await context.newPage();
    const found: Record<string, string[]> = {};
    for (const [room, enter] of Object.entries(parts[part] ?? {})) {
      await enter(page);
      for (const [n, theme] of themes.entries()) {
        // As the settings page does it, without loading the room again for each.
        await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`);
        const violations = await violationsIn(page, n === 0 ? undefined : aboutColours);
        if (violations.length > 0) found[`${room} in ${theme}`] = violations;
      }
    }
    expect(found).toEqual({});
  });

  it('can be kept in order without a mouse, from saving to the bin', async () => {
    const page = await browser.page({ reducedMotion: 'reduce' });
    await app.logIn(page.context());
    const { keyboard } = page;
    app.site.put('/by-keys', { type: 'text/html', body: '<title>Saved by keys</title><p>Little.</p>' });
    await page.goto(`${app.url}/library`);
    await page.getByRole('link', { name: 'What a shelf remembers' }).waitFor();
    await keyboard.press('a');
    await page.getByLabel('Paste an address').waitFor();
    await keyboard.type(`${app.site.origin}/by-keys`);
    await keyboard.press('Tab');
    await keyboard.type('by hand');
    await keyboard.press('Enter');
    await keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const saved = page.getByRole('link', { name: 'Saved by keys' });
    await saved.waitFor();
    const focusIsOn = (title: string) =>
      until(`the focus is on ${title}`, () =>
        page.evaluate(`document.activeElement?.textContent.trim() === ${JSON.stringify(title)}`),
      );

    // Into the items past the rail and the places, by the link that skips them; the first is the newest.
    await keyboard.press('j');
    await focusIsOn('Saved by keys');
    await keyboard.press('ArrowRight');
    await focusIsOn('What a shelf remembers');
    await keyboard.press('ArrowLeft');
    await keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Saved by keys', level: 1 }).waitFor();
    await keyboard.press('e');
    await page.getByText('1 item archived.').waitFor();
    await keyboard.press('Escape');
    await focusIsOn('Saved by keys');
    await keyboard.press('#');
    await saved.waitFor({ state: 'detached' });
    await focusIsOn('What a shelf remembers');
    await keyboard.press('z');
    await saved.waitFor();
    const [kept] = await until('the server knows', async () => {
      const { items } = await app.api('GET', '/api/v1/items?tag=by%20hand');
      return items.length > 0 && items;
    });
    expect(kept).toMatchObject({ title: 'Saved by keys', status: 'archived' });
  });

  it('can be read from the login to the third article, and searched, without a mouse', async () => {
    const page = await browser.page({ reducedMotion: 'reduce' });
    const { keyboard } = page;
    const focused = () =>
      page.evaluate(
        `(document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '').trim()`,
      ) as Promise<string>;
    await page.goto(app.url);
    await page.getByLabel(/^Password/).waitFor();
    await keyboard.type(ownerPassword);
    await keyboard.press('Enter');
    const title = page.getByRole('article', { name: 'Article' }).getByRole('heading', { level: 1 });
    const row = page.getByRole('region', { name: 'Articles' }).getByRole('link');
    await row.first().waitFor();

    // The first step leads past the rail to the content.
    await keyboard.press('Tab');
    expect(await focused()).toBe('Skip to the content');
    await keyboard.press('Enter');
    const read: string[] = [];
    for (let n = 0; n < 3; n++) {
      await keyboard.press('j');
      await until('another article is open', async () => {
        const text = (await title.count()) ? await title.textContent() : '';
        return text && !read.includes(text) && read.push(text);
      });
    }
    await keyboard.press('s');
    await page.getByRole('button', { name: 'Remove the bookmark' }).waitFor();
    await keyboard.press('m');
    await page.getByRole('button', { name: 'Mark read' }).waitFor();
    // The third was unread before it was opened too: what tells is all three together, and that the star has come.
    await until('the server knows of every mark', async () => {
      const { data } = await app.api('GET', '/api/items?limit=100');
      const [first, second, last] = read.map((seen) =>
        data.find((item: { title: string }) => item.title === seen.trim()),
      );
      return first?.unread === false && second?.unread === false && last?.unread && last.bookmark_id !== null;
    });

    await keyboard.press('Shift+?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    // A dialog keeps the focus: however often one steps on, it stays inside.
    for (let n = 0; n < 4; n++) {
      await keyboard.press('Tab');
      expect(
        await page.evaluate(
          `document.activeElement === document.body || !!document.activeElement.closest('dialog')`,
        ),
      ).toBe(true);
    }
    await keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    await keyboard.press('/');
    await page.getByRole('searchbox', { name: 'Search your library' }).and(page.locator(':focus')).waitFor();
    await keyboard.type('curlews');
    const hit = page.getByRole('link', { name: 'Low water, first light' });
    await hit.first().waitFor();
    await keyboard.press('ArrowDown');
    await hit.and(page.locator(':focus')).waitFor();
    await keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Low water, first light', level: 1 }).waitFor();
  });
});
