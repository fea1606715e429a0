import { describe, expect, it } from 'vitest';
import { encryptedPdf, pdfOf } from '../../../test/support/pdf.ts';
import { noFacts } from './page-facts.ts';
import { type PageCopy, readPage } from './read-page.ts';
import { readPdf } from './read-pdf.ts';

const url = 'https://site.example/blog/post';
const read = (content: string | Uint8Array, mediaType = 'text/html', charset: string | null = 'utf-8') =>
  readPage({
    bytes: typeof content === 'string' ? Buffer.from(content) : content,
    mediaType,
    charset: charset ?? undefined,
    url,
  });
const facts = (found: object) => ({ ...noFacts, ...found });
const sentences = 'There are some words in this sentence, and it is not the only one here. '.repeat(5).trim();
const nothing: PageCopy = { facts: noFacts, html: '', text: '', wordCount: 0 };

describe('a web page', () => {
  const page = `<html lang="en"><head><title>Post</title><base href="/files/"><meta property="og:image" content="a.png"></head>
    <body><nav><a href="/">Home</a></nav><article><h1>Post</h1><p>${sentences}</p>
    <p onclick="alert(1)">See <a href="more.html">more</a>, <a href="javascript:alert(1)">or not</a>.<script>alert(1)</script></p>
    <p>${sentences}</p></article></body></html>`;

  it('gives what it says of itself, and a copy to read', async () => {
    const copy = await read(page);
    expect(copy.facts).toEqual(
      facts({
        title: 'Post',
        language: 'en',
        excerpt: sentences,
        imageUrls: ['https://site.example/files/a.png'],
      }),
    );
    expect(copy.html).toContain(`<p>${sentences}</p>`);
    expect(copy.html).toContain(
      '<a href="https://site.example/files/more.html" rel="noopener noreferrer">more</a>',
    );
    expect(copy.html).not.toMatch(/script|onclick|Home/);
    expect(copy.text.split('\n')).toContain('See more, or not.');
    expect(copy.wordCount).toBeGreaterThan(150);
    expect(copy.wordCount).toBeLessThan(170);
  });

  it('is the same whatever the server calls it, or if it calls it nothing', async () => {
    const copy = await read(page);
    const xhtml = `<?xml version="1.0"?>${page.replace('<html', '<html xmlns="http://www.w3.org/1999/xhtml"')}`;
    for (const [content, type] of [
      [page, 'TEXT/HTML '],
      [page, ''],
      [xhtml, 'application/xhtml+xml'],
      [xhtml, 'application/xml'],
    ] as const) {
      expect(await read(content, type)).toEqual(copy);
    }
  });

  it('is read in its charset', async () => {
    const bytes = Buffer.from(`<title>\xcf\xf0\xe8\xe2\xe5\xf2</title>`, 'latin1');
    expect((await read(bytes, 'text/html', 'windows-1251')).facts.title).toBe('Привет');
    const declared = Buffer.concat([Buffer.from('<meta charset="windows-1251">'), bytes]);
    expect((await read(declared, 'text/html', null)).facts.title).toBe('Привет');
  });

  it('with nothing to read gives no copy', async () => {
    for (const empty of [
      '',
      '   ',
      '<html></html>',
      '<script>app()</script><div id="root"></div>',
      '\0\0\0',
    ]) {
      expect(await read(empty)).toEqual(nothing);
    }
  });

  it('is cut where the copy would be too large', async () => {
    const long = `<article>${`<p>${sentences} 字字字字字 <a href="x">x</a></p>`.repeat(500)}</article>`;
    const page = { bytes: Buffer.from(long), mediaType: 'text/html', charset: 'utf-8', url };
    const { html } = await readPage(page, 50_000);
    expect(Buffer.byteLength(html)).toBeLessThanOrEqual(50_000);
    expect(Buffer.byteLength(html)).toBeGreaterThan(40_000);
    expect(html).toMatch(/<\/p>$/);
  });
});

describe('a text', () => {
  it('becomes paragraphs, and nothing in it is markup', async () => {
    const copy = await read('First <b>line</b>\r\nsecond & last\r\n \r\n\r\nNext', 'text/plain');
    expect(copy.html).toBe('<p>First &lt;b&gt;line&lt;/b&gt;<br>second &amp; last</p>\n<p>Next</p>');
    expect(copy.text).toBe('First <b>line</b>\nsecond & last\nNext');
    expect(copy.facts).toEqual(facts({ excerpt: 'First <b>line</b> second & last Next' }));
    expect(copy.wordCount).toBe(7);
  });

  it('has a title if it is Markdown with a heading', async () => {
    const text = `---\nlayout: post\n---\n\n# The *Post*\n\n${sentences}\n\n# Other`;
    expect((await read(text, 'text/markdown')).facts).toMatchObject({
      title: 'The *Post*',
      excerpt: sentences,
    });
    expect((await read(text, 'text/plain')).facts.title).toBe('');
  });

  it('is cut where the copy would be too large', async () => {
    const bytes = Buffer.from('<字 '.repeat(50_000));
    const { html } = await readPage({ bytes, mediaType: 'text/plain', charset: undefined, url }, 50_000);
    expect(Buffer.byteLength(html)).toBeLessThanOrEqual(50_000);
    expect(html).toMatch(/<\/p>$/);
  });
});

describe('a PDF', () => {
  const pages = [
    [
      'A Heading',
      '',
      'This is the first line of a paragraph, which has',
      'another line with a hyphen-',
      'ated word (in brackets).',
      '',
      'This is the second paragraph, and it goes on over the',
      '12',
    ],
    ['next page without a break.', '', '\u2022 One point', '\u2022 Another <b>point</b>'],
  ];
  const info = { Title: 'Microsoft Word - The Paper', Author: 'Jo Doe' };
  const paragraphs = [
    'A Heading',
    'This is the first line of a paragraph, which has another line with a hyphenated word (in brackets).',
    'This is the second paragraph, and it goes on over the next page without a break.',
    '• One point',
    '• Another <b>point</b>',
  ];
  const bytes = pdfOf({
    pages: pages.map((lines) => lines.map((line) => line.replace('\u2022', '\x95'))),
    info,
  });

  it('gives its text in paragraphs, and what it says of itself', async () => {
    const copy = await read(bytes, 'application/pdf', null);
    expect(copy.text).toBe(paragraphs.join('\n'));
    expect(copy.html).toContain('<p>• Another &lt;b&gt;point&lt;/b&gt;</p>');
    expect(copy.facts).toEqual(facts({ title: 'The Paper', author: 'Jo Doe', excerpt: paragraphs[1] }));
    expect(copy.wordCount).toBe(42);
  });

  it('is known by its first bytes, whatever it is called', async () => {
    const copy = await read(bytes, 'application/pdf');
    for (const type of ['application/octet-stream', 'text/html', ''])
      expect(await read(bytes, type)).toEqual(copy);
  });

  it('leaves the bytes it was given as they were', async () => {
    const given = new Uint8Array(bytes);
    await readPdf(given);
    expect(given).toEqual(new Uint8Array(bytes));
  });

  it('is read up to a page and a letter', async () => {
    const many = pdfOf({ pages: Array.from({ length: 9 }, (_, n) => [`Page ${n}.`]) });
    expect((await readPdf(many, { pages: 3, chars: 1_000 })).paragraphs).toEqual([
      'Page 0.',
      'Page 1.',
      'Page 2.',
    ]);
    expect((await readPdf(many, { pages: 9, chars: 10 })).paragraphs).toEqual(['Page 0.', 'Pag']);
  });

  it.each([
    ['locked by a password', encryptedPdf()],
    ['cut off', bytes.subarray(0, 200)],
    ['a header', Buffer.from('%PDF-1.7')],
    ['zeros', Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(100_000)])],
    ['a page', Buffer.from('<html><title>Not found</title></html>')],
    ['nothing', new Uint8Array()],
  ])('that is %s gives no text', async (_what, broken) => {
    expect(await read(broken, 'application/pdf')).toEqual(nothing);
  });

  it('with damage at any place gives some text or none', async () => {
    for (let at = 0; at < bytes.length; at += 41) {
      const damaged = new Uint8Array(bytes);
      damaged.fill(0x20, at, at + 7);
      await expect(read(damaged, 'application/pdf')).resolves.toHaveProperty('wordCount');
    }
  });
});

describe('something else', () => {
  it('that is an image is its own cover', async () => {
    const copy = await read(Uint8Array.of(1, 2, 3), 'image/png', null);
    expect(copy).toEqual({
      facts: facts({ imageUrls: [url] }),
      html: `<img src="${url}" alt="">`,
      text: '',
      wordCount: 0,
    });
  });

  it.each([
    'application/zip',
    'video/mp4',
    'audio/mpeg',
    'application/octet-stream',
    'application/json',
    'text/css',
    'x',
    '',
  ])('of type "%s" says nothing of itself', async (type) => {
    expect(await read('{"title": "x"} <p>text</p>', type)).toEqual(nothing);
  });
});
