// What a feed writes stays text: it cannot run, ask for anything, or lead anybody away.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useBrowser } from '../support/browser.ts';
import { until } from '../support/until.ts';
import { startWebSite, type WebSite } from '../support/web-site.ts';
import { setXssTrap } from '../support/xss-trap.ts';
import { xssVectors } from '../support/xss-vectors.ts';

const browser = useBrowser();

/** Otherwise nothing would be proven by a page in which nothing happens. */
describe('the trap', () => {
  let evil: WebSite;
  beforeAll(async () => {
    evil = await startWebSite();
  });
  afterAll(() => evil.close());

  it('catches every vector in a page that does not protect itself', async () => {
    const vectors = xssVectors(evil.origin);
    expect(vectors.length).toBeGreaterThanOrEqual(60);
    const harmless = { type: 'text/html', body: 'x' };
    for (const [n, { html }] of vectors.entries()) {
      evil.put(`/raw/${n}`, { type: 'text/html', body: `<!doctype html><body>${html}` });
      evil.put(`/canary/${n}`, harmless);
    }
    const context = await browser.context({ expecting: [/./] });
    const { caught } = await setXssTrap(context, { home: evil.origin, evil: evil.origin });
    const isCaught = (n: number) =>
      caught.some((what) => new RegExp(`\\(${n}\\)|/canary/${n}(?!\\d)`).test(what));
    const asleep = (wakes: string) =>
      [...vectors.entries()].filter(([n, vector]) => vector.wakes === wakes && !isCaught(n));

    evil.put('/all', {
      type: 'text/html',
      body: vectors.map((_, n) => `<iframe src="/raw/${n}"></iframe>`).join(''),
    });
    const page = await context.newPage();
    await page.goto(`${evil.origin}/all`);
    await page.evaluate(`for (const { contentDocument } of document.querySelectorAll('iframe')) {
      for (const element of contentDocument?.querySelectorAll('a, button, label, text') ?? []) {
        element.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, view: window }));
      }
    }`);
    // A focus goes to one element of a page alone.
    for (const [n] of asleep('by itself')) {
      await page.goto(`${evil.origin}/raw/${n}`);
      await until(`vector ${n} is caught`, () => isCaught(n), 2_000);
    }
    await until('clicks are caught', () => asleep('on a click').length === 0, 2_000).catch(() => {});
    expect([...asleep('by itself'), ...asleep('on a click')]).toEqual([]);
  });
});
