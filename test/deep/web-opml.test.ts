// Feeds from another reader: the plan, the import, and the way back out.
import { text as textOf } from 'node:stream/consumers';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useBrowser } from '../support/browser.ts';
import { phone } from '../support/chromium.ts';
import { joinWebApp, type WebApp } from '../support/web-app.ts';

const browser = useBrowser();

describe('OPML in the web app', () => {
  let app: WebApp;
  beforeAll(async () => {
    app = await joinWebApp();
    await app.follow({ path: '/there.xml', title: 'There', entries: 1 });
  });
  afterAll(() => app.close());

  const opml = (name: string) => `<opml><body>
    <outline text="${name}"><outline text="Inner">
      <outline text="&lt;img src=x onerror=alert(1)&gt;" xmlUrl="${app.site.origin}/${name}-1.xml"/>
      <outline text="Two" xmlUrl="${app.site.origin}/${name}-2.xml"/>
    </outline></outline>
    <outline text="There" xmlUrl="${app.site.origin}/there.xml"/>
    <outline text="Bad" xmlUrl="ftp://&lt;b&gt;.example/"/>
  </body></opml>`;
  const fileOf = (name: string, text: string) => ({ name, mimeType: '', buffer: Buffer.from(text) });

  async function open(options = {}): Promise<{ page: Page; section: ReturnType<Page['getByRole']> }> {
    const page = await browser.page(options);
    await app.logIn(page.context());
    await page.goto(`${app.url}/settings#feeds`);
    return { page, section: page.getByRole('region', { name: 'Feeds' }) };
  }

  it.each([
    ['on a desk', {}],
    ['on a phone', { viewport: phone, isMobile: true, hasTouch: true }],
  ])('shows what a file would bring, imports it, and gives it back: %s', async (name, options) => {
    const { page, section } = await open(options);
    await section.getByLabel('Choose a file').setInputFiles(fileOf('feeds.opml', opml(name)));
    await section.getByText('2 new feeds').waitFor();
    await section.getByText('1 feed you follow already').waitFor();
    await section.getByText('1 new group', { exact: true }).waitFor();
    await section.getByText('1 feed that cannot be followed').waitFor();
    await section.getByText('ftp://<b>.example/').waitFor();
    const links = async () =>
      (await app.api('GET', '/api/feeds')).data.map(({ link }: { link: string }) => link);
    expect(await links()).not.toContain(`${app.site.origin}/${encodeURI(name)}-1.xml`);

    await section.getByRole('button', { name: 'Import 2 feeds' }).click();
    await section.getByText('2 feeds are yours now, in 1 new group.').waitFor();
    expect(await links()).toContain(`${app.site.origin}/${encodeURI(name)}-1.xml`);

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      section.getByRole('link', { name: 'Download' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^lectern-\d{4}-\d\d-\d\d\.opml$/);
    const text = await textOf(await download.createReadStream());
    expect(text).toContain(`<outline text="${name}" title="${name}">`);

    await section.getByLabel('Choose a file').setInputFiles(fileOf('mine.opml', text));
    await section.getByText('Nothing in it is new to you.').waitFor();
  });

  it('takes a file that is dropped, and says what is wrong with one that is none', async () => {
    const { page, section } = await open({ expecting: [/status of 400/] });
    const drop = async (name: string, text: string) => {
      const given = `new File([${JSON.stringify(text)}], ${JSON.stringify(name)})`;
      const dataTransfer = await page.evaluateHandle(
        `(() => { const data = new DataTransfer(); data.items.add(${given}); return data; })()`,
      );
      await section.getByRole('group', { name: 'Import OPML' }).dispatchEvent('drop', { dataTransfer });
    };
    await drop('page.html', '<html></html>');
    await section.getByRole('alert').getByText('The file is a web page, not OPML.').waitFor();
    await drop('feeds.opml', opml('dropped'));
    await section.getByText('2 new feeds').waitFor();
    await section.getByRole('alert').waitFor({ state: 'detached' });
    await section.getByRole('button', { name: 'Cancel' }).click();
    await section.getByText('2 new feeds').waitFor({ state: 'detached' });
    expect(await section.getByRole('alert').count()).toBe(0);
  });
});
