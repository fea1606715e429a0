import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { largeSize, propertyRuns } from '../../../test/support/depth.ts';
import { extractContent } from './extract-content.ts';
import { parsePage } from './parse-page.ts';

const url = 'https://site.example/page';
const textOf = (html: string) => extractContent(parsePage(html), url).text;
const sentence = (word: string) => `${word} is a word in a sentence, and the sentence goes on for a while.`;
const prose = (word: string, paragraphs = 5) =>
  Array.from({ length: paragraphs }, () => `<p>${`${sentence(word)} `.repeat(4)}</p>`).join('');
const numbered = (word: string) =>
  Array.from({ length: 8 }, (_, n) => `<p>${sentence(`${word} ${n}`).repeat(2)}</p>`).join('');
const links = (word: string) =>
  `<ul>${Array.from({ length: 12 }, (_, n) => `<li><a href="/${n}">${word} ${n}</a></li>`).join('')}</ul>`;
const page = (body: string) =>
  `<!doctype html><html><head><title>A title</title></head><body>${body}</body></html>`;

describe('the content of a page', () => {
  it('is the article, without what stands around it', () => {
    const text = textOf(
      page(
        `<nav>${links('menu')}</nav><main><article><h1>Heading</h1>${prose('content')}</article></main>` +
          `<aside>${links('related')}</aside><footer>Imprint and privacy</footer>`,
      ),
    );
    expect(text).toContain('content');
    for (const other of ['menu', 'related', 'Imprint']) expect(text).not.toContain(other);
  });

  it('is found where the page has no elements for it', () => {
    const text = textOf(
      page(`<div class="menu">${links('menu')}</div><div class="text">${prose('content')}</div>`),
    );
    expect(text).toContain('content');
    expect(text).not.toContain('menu');
  });

  it('is the text of a page in Chinese', () => {
    const chinese = '这是一个关于阅读的长句子，它有足够的内容，可以被认为是文章的正文。';
    const text = textOf(
      page(`<nav>${links('菜单')}</nav><article>${`<p>${chinese.repeat(5)}</p>`.repeat(4)}</article>`),
    );
    expect(text).toContain(chinese);
    expect(text).not.toContain('菜单');
  });

  it('has a line once that the page has for small screens and for large ones', () => {
    const lead = sentence('lead');
    const text = textOf(
      page(
        `<script type="application/ld+json">{"@type":"Article"}</script>` +
          `<article><div><p>${lead}</p></div><div><p>${lead}</p></div>${numbered('content')}</article>`,
      ),
    );
    expect(text.match(/lead/g)).toHaveLength(1);
  });

  it.each([
    ['<img src="data:image/gif;base64,R0" data-src="/photo.jpg" alt="A photo">', 'src="/photo.jpg"'],
    ['<img data-lazy-src="/photo.jpg">', 'src="/photo.jpg"'],
    ['<img src="/spacer.gif" data-original="/photo.jpg">', 'src="/photo.jpg"'],
    ['<img src="/own.jpg" data-src="/late.jpg">', 'src="/own.jpg"'],
    ['<img data-srcset="/small.jpg 300w">', 'srcset="/small.jpg 300w"'],
    ['<noscript><img src="/photo.jpg"></noscript>', 'src="/photo.jpg"'],
  ])('has the images that are loaded late: %s', (image, shown) => {
    const html = extractContent(
      parsePage(page(`<article>${prose('content')}<figure>${image}</figure></article>`)),
      url,
    ).html;
    expect(html).toContain(shown);
  });

  it('has no scripts and nothing that is hidden', () => {
    const hidden = '<div hidden>secret</div><p style="display:none">unseen</p><script>let code</script>';
    const text = textOf(page(`<article>${prose('content')}${hidden}</article>`));
    for (const other of ['secret', 'unseen', 'code']) expect(text).not.toContain(other);
  });

  it('keeps what HTML there is to it', () => {
    const { html } = extractContent(
      parsePage(
        page(`<article><h2>Part</h2>${prose('content')}<pre><code>let x</code></pre>
          <table><tr><th>a</th><td>1</td></tr></table><p><a href="/there">there</a></p></article>`),
      ),
      url,
    );
    for (const kept of ['<h2', '<pre', '<table', 'href="/there"']) expect(html).toContain(kept);
  });
});

describe('a page that is no page', () => {
  it.each([
    ['nothing', ''],
    ['text', 'just text'],
    ['a frameset', '<frameset><frame src="a"></frameset>'],
    ['an open tag', '<div'],
    ['an open comment', '<!-- and so on'],
    ['tables without end', '<table><tr><td>'.repeat(largeSize(2_000))],
    ['a great many boxes in each other', `${'<div>'.repeat(largeSize(100_000))}deep`],
    ['as many inline', `${'<b>'.repeat(largeSize(100_000))}deep`],
    ['a great many paragraphs', `<p>word word</p>`.repeat(largeSize(120_000))],
    ['a very long attribute', `<p class="${'a '.repeat(largeSize(500_000))}">text</p>`],
  ])('%s is read to its end', (_what, html) => {
    const { html: content, text } = extractContent(parsePage(html), url);
    expect(typeof content).toBe('string');
    expect(typeof text).toBe('string');
  });

  it('is read the same each time, and no word is made up', () => {
    const part = fc.constantFrom(
      ...[
        '<div>',
        '</div>',
        '<p>',
        '</p>',
        '<article>',
        '<table>',
        '<tr>',
        '<td>',
        '<ul>',
        '<li>',
        '<a href="/x">',
      ],
      ...[
        '</a>',
        '<h1>',
        '</h1>',
        '<nav>',
        'alpha beta ',
        'gamma, delta. ',
        '<br>',
        '<img src="a">',
        '&amp;',
        '<!--',
      ],
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 120 }), (parts) => {
        const html = parts.join('');
        const text = textOf(html);
        expect(textOf(html)).toBe(text);
        for (const word of text.match(/[a-z]+/g) ?? []) expect(html).toContain(word);
      }),
      propertyRuns(300),
    );
  });
});
