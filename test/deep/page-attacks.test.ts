// No page that is saved runs anything when its copy is read, or takes the reader of pages down.
import { describe, expect, it } from 'vitest';
import { sanitiseHtml } from '../../src/html/sanitise-html.ts';
import { readPage } from '../../src/items/page/read-page.ts';
import { harmsOf } from '../support/harmful-html.ts';
import { htmlAttacks } from '../support/html-attacks.ts';

const url = 'https://site.example/blog/post';
const read = (html: string) =>
  readPage({ bytes: Buffer.from(html), mediaType: 'text/html', charset: 'utf-8', url });
const sentence = 'There are some words in this sentence, and it is not the only one here. ';

describe('the copy of a page', () => {
  it('has nothing that runs, wherever the attack stands', async () => {
    for (const attack of htmlAttacks) {
      for (const page of [
        `<article><p>${sentence.repeat(5)}</p>${attack}<p>${sentence.repeat(5)}</p></article>`,
        `<head>${attack}</head><body><p>${sentence}</p></body>`,
        attack,
      ]) {
        const { html, facts } = await read(page);
        expect(harmsOf(html)).toEqual([]);
        expect(sanitiseHtml(html, { baseUrl: url })).toBe(html);
        for (const found of [...facts.imageUrls, ...facts.iconUrls]) expect(found).toMatch(/^https?:/);
      }
    }
  });

  it('has nothing that runs from what is text elsewhere', async () => {
    for (const attack of htmlAttacks) {
      const bytes = Buffer.from(attack);
      const { html } = await readPage({ bytes, mediaType: 'text/plain', charset: 'utf-8', url });
      expect(harmsOf(html)).toEqual([]);
      expect(html.replace(/<\/?(?:p|br)>/g, '')).not.toContain('<');
    }
  });
});

/** Anything that took time by the square of its size would need far more CPU time. How busy the machine is does not count. */
describe('a long page of', () => {
  const units: Record<string, string> = {
    'open tags': '<div>',
    'links in links': '<a href="x">',
    'rows of a table': '<table><tr><td>x',
    'closing tags': '</p>',
    metas: '<meta property="og:title" content="">',
    'more metas': '<meta name="a" content="b">',
    icons: '<link rel="icon" href="a.png">',
    dates: '<time datetime="2020-01-01">',
    authors: '<a rel="author">',
    items: '<span itemprop="author">',
    headings: '<h1> ',
    references: '&amp;',
    brackets: '<',
    comments: '<!--',
    quotes: '<p title="',
    'linked data': '<script type="application/ld+json">{"@type":"Article"}</script>',
    'broken linked data': '<script type="application/ld+json">{"@type":',
    spaces: '<p> ',
    images: '<img src=a>',
  };
  it.each(Object.entries(units))('%s is read in time', async (_what, unit) => {
    const page = `<title>Post</title>${unit.repeat(Math.ceil(200_000 / unit.length))}`;
    const before = process.cpuUsage();
    expect((await read(page)).facts.title).toBe('Post');
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(10_000);
  });
});
