// What the contract asks of enrichment, line by line, with the real reader of pages and real images.
import sharp from 'sharp';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { createPageProcess } from '../../src/items/page/page-process.ts';
import { onEachEngine } from '../support/engines.ts';
import { type SitePage, url, useEnrichment } from '../support/enrichment-suite.ts';
import { scene } from '../support/odd-images.ts';
import { pdfOf } from '../support/pdf.ts';

const words = 'A sentence of some length, as it stands in an article that somebody has written. '.repeat(8);
const article = `<article><h1>The heading</h1><p>${words}</p><p>${words}</p></article>`;
const jpeg = await scene(1_200, 630).jpeg().toBuffer();

onEachEngine('what is asked of enrichment', (engine) => {
  const t = useEnrichment(engine);
  const page = createPageProcess();
  afterAll(() => page.close());
  beforeEach(() => t.rework({ page }));

  const enrich = async (given: SitePage | string) => {
    t.pages['/a'] = typeof given === 'string' ? { body: given } : given;
    const id = await t.work.save(t.anna, url);
    expect(await t.work.work()).toEqual(['done']);
    return t.work.item(t.anna, id);
  };

  describe('a title', () => {
    it.each([
      [
        'og:title',
        '<meta property="og:title" content="Of Open Graph"><title>Of the page</title>',
        'Of Open Graph',
      ],
      ['<title>', '<title>Of the page</title>', 'Of the page'],
      [
        'the text of it, with entities decoded, tags stripped and white space folded',
        '<title>  Tom &amp;amp; &lt;b&gt;Jerry&lt;/b&gt; &#8212;\n\t again </title>',
        'Tom & Jerry — again',
      ],
      ['its first 200 characters', `<title>${'word '.repeat(80)}</title>`, /^(word ?){30,40}…?$/],
    ])('is %s', async (_what, head, title) => {
      const row = await enrich(`<!doctype html><head>${head}</head><body>${article}`);
      if (title instanceof RegExp) expect(row.title).toMatch(title);
      else expect(row.title).toBe(title);
      expect(row.title.length).toBeLessThanOrEqual(200);
    });
  });

  describe('an excerpt', () => {
    it.each([
      [
        'og:description',
        '<meta name="description" content="Of the page"><meta property="og:description" content="Of Open Graph">',
        'Of Open Graph',
      ],
      ['the description', '<meta name="description" content="Of the page">', 'Of the page'],
      ['the first paragraph that says something', '', /^A sentence of some length/],
    ])('is %s', async (_what, head, excerpt) => {
      const row = await enrich(`<!doctype html><head><title>x</title>${head}</head><body>${article}`);
      if (excerpt instanceof RegExp) expect(row.excerpt).toMatch(excerpt);
      else expect(row.excerpt).toBe(excerpt);
      expect(row.excerpt.length).toBeLessThanOrEqual(500);
    });
  });

  it('a thumbnail is a JPEG of 600x400 and at most 100 KB, of the image that the page names', async () => {
    t.pages['/cover.jpg'] = { headers: { 'content-type': 'image/jpeg' }, body: jpeg };
    const head = '<meta property="og:image" content="/cover.jpg">';
    const row = await enrich(`<!doctype html><head>${head}</head><body>${article}`);
    expect(row.thumbnail_key).toBe(`${t.anna}/${row.id}.jpg`);
    const bytes = await t.work.files.read(`thumbnails/${row.thumbnail_key}`);
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'jpeg', width: 600, height: 400 });
    expect(bytes?.length).toBeLessThanOrEqual(100 * 1024);
    await t.expectNamedFiles(row.id);
  });

  it('the copy is what there is to read, without anything that runs', async () => {
    const row = await enrich(
      `<!doctype html><title>x</title><body><nav>Menu Menu</nav>${article.replace('</p>', '<script>steal()</script><img src=x onerror=steal()></p>')}`,
    );
    const readable = await t.work.text(`items/${row.id}/readable.html`);
    const plain = await t.work.text(`items/${row.id}/plain.txt`);
    expect(readable).toContain('A sentence of some length');
    expect(readable).not.toMatch(/script|onerror|steal|Menu/);
    expect(plain).toContain('A sentence of some length');
    expect(row.word_count).toBeGreaterThan(100);
    const chunks = (await t.work.text(`items/${row.id}/chunks.jsonl`)) ?? '';
    const first = JSON.parse(chunks.split('\n')[0] ?? '');
    expect(first).toMatchObject({ key: `it-${row.id}-c00` });
    expect(plain).toContain(first.text);
  });

  it('a PDF gives its text', async () => {
    const body = pdfOf({
      pages: [['A line of a paper.', 'And one more of it.']],
      info: { Title: 'A paper' },
    });
    const row = await enrich({ headers: { 'content-type': 'application/pdf' }, body });
    expect(row).toMatchObject({ title: 'A paper', enrichment_status: 'succeeded' });
    expect(await t.work.text(`items/${row.id}/plain.txt`)).toContain('A line of a paper.');
  });

  it('what else a page says of itself is kept', async () => {
    const row = await enrich(`<!doctype html><html lang="de-AT"><head><title>x</title>
      <link rel="canonical" href="/canonical"><meta name="author" content="Anna Autor">
      <meta property="og:site_name" content="Eine Seite">
      <meta property="article:published_time" content="2024-03-01T12:00:00Z"></head><body>${article}`);
    expect(row).toMatchObject({
      author: 'Anna Autor',
      site_name: 'Eine Seite',
      canonical_url: 'http://site.example/canonical',
      published_at: Date.UTC(2024, 2, 1, 12),
      site_origin: 'http://site.example',
    });
    expect(row.language).toMatch(/^de/);
  });

  it('a page in another character set is read by what it says', async () => {
    const body = Buffer.from(`<!doctype html><title>Größe</title><body>${article}`, 'latin1');
    const row = await enrich({ headers: { 'content-type': 'text/html; charset=iso-8859-1' }, body });
    expect(row.title).toBe('Größe');
  });
});
