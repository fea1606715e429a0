import { describe, expect, it } from 'vitest';
import { parsePage } from '../extract/parse-page.ts';
import { type PageFacts, pageFacts } from './page-facts.ts';

const url = 'https://site.example/blog/post.html';
const factsOf = (html: string, content?: string) =>
  pageFacts(parsePage(html), content === undefined ? { url } : { url, content });
const ld = (value: unknown) => `<script type="application/ld+json">${JSON.stringify(value)}</script>`;
const at = (text: string) => Date.parse(text);

type Case = readonly [what: string, html: string, expected: Partial<PageFacts>];

function check(cases: readonly Case[]): void {
  it.each(cases)('%s', (_what, html, expected) => {
    expect(factsOf(html)).toMatchObject(expected);
  });
}

describe('the title of a page', () => {
  check([
    [
      'is og:title before <title>',
      '<title>Post | Site</title><meta property="og:title" content="Post">',
      { title: 'Post' },
    ],
    [
      'is og:title by another attribute',
      "<meta name='og:title' content='Post'><title>Other</title>",
      { title: 'Post' },
    ],
    [
      'is the first og:title of several',
      '<meta property="og:title" content="A"><meta property="og:title" content="B">',
      { title: 'A' },
    ],
    [
      'is not an empty og:title',
      '<meta property="og:title" content="  "><title>Post</title>',
      { title: 'Post' },
    ],
    [
      'may stand in the body',
      '<body><p>x</p><meta property="og:title" content="Post"></body>',
      { title: 'Post' },
    ],
    [
      'may stand in a property with two names',
      '<meta property="og:title twitter:title" content="Post">',
      { title: 'Post' },
    ],
    ['may have capitals in its name', '<META PROPERTY="OG:Title" CONTENT="Post">', { title: 'Post' }],
    [
      'is <title> where there is nothing else',
      '<title>\n  Post\t of  the\u00a0day </title>',
      { title: 'Post of the day' },
    ],
    ['is the <title> that has text', '<title></title><title>Post</title>', { title: 'Post' }],
    [
      'is not that of a drawing',
      '<body><svg><title>Arrow</title></svg><h1>Post</h1></body>',
      { title: 'Post' },
    ],
    [
      'is twitter:title after those',
      '<meta name="twitter:title" content="Post"><h1>Other</h1>',
      { title: 'Post' },
    ],
    [
      'is the headline of JSON-LD after those',
      `${ld({ '@type': 'Article', headline: 'Post' })}<h1>Other</h1>`,
      { title: 'Post' },
    ],
    [
      'is the first heading with text at last',
      '<h1> </h1><h1>The <i>Post</i></h1><h1>Other</h1>',
      { title: 'The Post' },
    ],
    ['is empty where nothing says it', '<p>text</p>', { title: '' }],
    [
      'is decoded twice where it was encoded twice',
      '<meta property="og:title" content="Tom &amp;amp; Jerry&amp;#8217;s">',
      { title: 'Tom & Jerry’s' },
    ],
    [
      'has no tags',
      '<title>A &lt;b&gt;bold&lt;/b&gt; post&lt;br&gt;of two lines</title>',
      { title: 'A bold post of two lines' },
    ],
    [
      'has no tags that were encoded twice',
      '<title>A &amp;lt;b&amp;gt;bold post</title>',
      { title: 'A <b>bold post' },
    ],
    [
      'keeps a tag that it is about',
      '<title>&lt;div&gt;: the element for anything</title>',
      { title: '<div>: the element for anything' },
    ],
    [
      'keeps what only looks like one',
      '<title>Vec&lt;T&gt;, a &lt; b &amp;&amp; c &gt; d</title>',
      { title: 'Vec<T>, a < b && c > d' },
    ],
    [
      'has no scripts',
      '<title>Post&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;</title>',
      { title: 'Post' },
    ],
    ['has no control characters', '<title>A\u0000B\u0007C\u0085D&#1;E</title>', { title: 'A B C D E' }],
  ]);

  it('is cut at a word, with the ellipsis inside the limit', () => {
    const { title } = factsOf(`<title>${'word '.repeat(100)}</title>`);
    expect(title).toMatch(/^(?:word )+word…$/);
    expect(title.length).toBeLessThanOrEqual(200);
    expect(title.length).toBeGreaterThan(190);
    expect(factsOf(`<title>${'字'.repeat(300)}</title>`).title).toBe(`${'字'.repeat(199)}…`);
    expect(factsOf(`<title>${'w'.repeat(200)}</title>`).title).toBe('w'.repeat(200));
  });

  it('is not cut inside of a character', () => {
    const { title } = factsOf(`<title>${'😀'.repeat(150)}</title>`);
    expect(title.isWellFormed()).toBe(true);
    expect(title).toBe(`${'😀'.repeat(99)}…`);
  });
});

const sentence = 'This is the first paragraph that says something, and it is long enough for that.';

describe('the excerpt of a page', () => {
  check([
    [
      'is og:description before the other',
      '<meta name="description" content="B"><meta property="og:description" content="A">',
      { excerpt: 'A' },
    ],
    [
      'is the description before what Twitter is told',
      '<meta name="twitter:description" content="B"><meta name="Description" content="A">',
      { excerpt: 'A' },
    ],
    [
      'is what Twitter is told where there is nothing to read',
      '<meta name="twitter:description" content="B">',
      { excerpt: 'B' },
    ],
    [
      'has no tags',
      '<meta name="description" content="&lt;p&gt;One&lt;/p&gt;&lt;p&gt;two &amp;nbsp; three&lt;/p&gt;">',
      { excerpt: 'One two three' },
    ],
  ]);

  it.each([
    [
      'the first paragraph that says something',
      `<h1>Title</h1><p>2 May</p><p>${sentence}</p><p>More.</p>`,
      sentence,
    ],
    ['a line where there are no paragraphs', `<div>${sentence}</div>`, sentence],
    [
      'a paragraph with tags and references',
      `<p><b>Ham &amp; eggs</b>: ${sentence}</p>`,
      `Ham & eggs: ${sentence}`,
    ],
    [
      'a short paragraph in a dense script',
      '<p>短い</p><p>吾輩は猫である。名前はまだ無い。どこで生れたか。</p>',
      '吾輩は猫である。名前はまだ無い。どこで生れたか。',
    ],
    ['all there is where it is little', '<h1>Hello</h1><p>There.</p>', 'Hello There.'],
    ['nothing where there is nothing', '', ''],
    [
      'text that looks like a tag',
      `<p>About &lt;b&gt; and its friends: ${sentence}</p>`,
      `About <b> and its friends: ${sentence}`,
    ],
  ])('is %s, where the page gives none', (_what, content, expected) => {
    expect(factsOf('<title>x</title>', content).excerpt).toBe(expected);
  });

  it('is cut at 500 characters, wherever it comes from', () => {
    const long = 'word '.repeat(200);
    for (const excerpt of [
      factsOf(`<meta name="description" content="${long}">`).excerpt,
      factsOf('', `<p>${long}</p>`).excerpt,
    ]) {
      expect(excerpt).toMatch(/word…$/);
      expect(excerpt.length).toBeLessThanOrEqual(500);
    }
  });
});

describe('the author of a page', () => {
  const by = (author: unknown) => ld({ '@type': 'NewsArticle', author });
  check([
    ['is a person in JSON-LD', by({ '@type': 'Person', name: 'Jo Doe' }), { author: 'Jo Doe' }],
    ['is a text in JSON-LD', by('Jo Doe'), { author: 'Jo Doe' }],
    [
      'is a list in JSON-LD',
      by(['Jo Doe', { name: 'Al Roe' }, { name: ['Jo Doe'] }]),
      { author: 'Jo Doe, Al Roe' },
    ],
    [
      'is a reference in JSON-LD',
      ld({
        '@graph': [
          { '@type': 'Article', author: { '@id': '#jo' } },
          { '@type': 'Person', '@id': '#jo', name: 'Jo Doe' },
        ],
      }),
      { author: 'Jo Doe' },
    ],
    ['is given in two parts', by({ givenName: 'Jo', familyName: 'Doe' }), { author: 'Jo Doe' }],
    [
      'is nothing of the wrong type',
      by({ name: { first: 1 } }) + by(7) + by(null) + by([[[[[['x']]]]]]),
      { author: '' },
    ],
    [
      'is not that of a review on the page',
      ld([{ '@type': 'Review', author: 'Reader' }]) + by('Jo Doe'),
      { author: 'Jo Doe' },
    ],
    [
      'is article:author, if that is a name',
      '<meta property="article:author" content="https://facebook.com/jo"><meta name="author" content="By Jo Doe">',
      { author: 'Jo Doe' },
    ],
    [
      'is several metas',
      '<meta name="citation_author" content="Doe, Jo"><meta name="citation_author" content="Roe, Al">',
      { author: 'Doe, Jo, Roe, Al' },
    ],
    ['is a meta of Dublin Core', '<meta name="DC.Creator" content="Jo Doe">', { author: 'Jo Doe' }],
    [
      'is a link to them',
      '<body><a rel="nofollow author" href="/jo"> Jo\n Doe </a></body>',
      { author: 'Jo Doe' },
    ],
    [
      'is an item in the text',
      '<body><span itemprop="author"><img alt=""><b itemprop="name">Jo Doe</b>, editor</span></body>',
      { author: 'Jo Doe' },
    ],
    [
      'is who is behind the account at last',
      '<meta name="twitter:creator" content="@jodoe">',
      { author: '@jodoe' },
    ],
  ]);

  it('is cut at 200 characters, however many there are', () => {
    const { author } = factsOf(by(Array.from({ length: 1_000 }, (_, n) => `Author Number ${n}`)));
    expect(author.length).toBeLessThanOrEqual(200);
    expect(author).toMatch(/^Author Number 0, Author Number 1,/);
  });
});

describe('the site of a page', () => {
  check([
    [
      'is og:site_name',
      `${ld({ '@type': 'WebSite', name: 'B' })}<meta property="og:site_name" content="A">`,
      { siteName: 'A' },
    ],
    [
      'is the site of JSON-LD',
      ld([
        { '@type': 'Article', publisher: { name: 'B' } },
        { '@type': 'WebSite', name: 'A' },
      ]),
      { siteName: 'A' },
    ],
    [
      'is the publisher',
      ld({ '@type': ['Article'], publisher: { '@type': 'Organization', name: 'A' } }),
      { siteName: 'A' },
    ],
    ['is the application', '<meta name="application-name" content="A">', { siteName: 'A' }],
    ['is unknown', '<title>Post - Site</title>', { siteName: '' }],
  ]);
});

describe('the language of a page', () => {
  check([
    [
      'is that of its root',
      '<html lang="de-at"><meta property="og:locale" content="en_US">',
      { language: 'de-AT' },
    ],
    ['is that of JSON-LD', `${ld({ '@type': 'Article', inLanguage: 'pt_BR' })}`, { language: 'pt-BR' }],
    ['is og:locale', '<html lang=""><meta property="og:locale" content="fr_FR">', { language: 'fr-FR' }],
    [
      'is that of a header in the page',
      '<meta http-equiv="Content-Language" content="es">',
      { language: 'es' },
    ],
    [
      'is nothing that is no language',
      '<html lang="english"><meta name="language" content="x-default"><meta property="og:locale" content="{{locale}}">',
      { language: '' },
    ],
    ['is not said to be unknown', '<html lang="und">', { language: '' }],
    ['may have a script', '<html lang="zh-hant-tw">', { language: 'zh-Hant-TW' }],
  ]);
});

describe('the date of a page', () => {
  check([
    [
      'is that of JSON-LD',
      `${ld({ '@type': 'Article', datePublished: '2024-05-06T07:08:09Z', dateModified: '2025-01-01' })}<meta property="article:published_time" content="2023-01-01">`,
      { publishedAt: at('2024-05-06T07:08:09Z') },
    ],
    [
      'is article:published_time',
      '<meta property="article:published_time" content="2024-05-06T07:08:09+02:00">',
      { publishedAt: at('2024-05-06T05:08:09Z') },
    ],
    [
      'is a date of RFC 2822',
      '<meta name="date" content="Mon, 06 May 2024 07:08:09 GMT">',
      { publishedAt: at('2024-05-06T07:08:09Z') },
    ],
    [
      'is that of Dublin Core',
      '<meta name="DC.date.issued" content="2024-05-06">',
      { publishedAt: at('2024-05-06') },
    ],
    [
      'is that of a paper',
      '<meta name="citation_publication_date" content="1905/06/30">',
      { publishedAt: at('1905-06-30') },
    ],
    [
      'is a <time> in the article',
      '<body><aside><time datetime="2020-01-01">x</time></aside><article><time datetime="2024-05-06">6 May</time></article><time datetime="2021-01-01"></time></body>',
      { publishedAt: at('2024-05-06') },
    ],
    [
      'is the only <time>',
      '<body><time datetime="2024-05-06">6 May</time></body>',
      { publishedAt: at('2024-05-06') },
    ],
    [
      'is none of many that belong to other pages',
      '<body><time datetime="2024-05-06"></time><time datetime="2024-05-07"></time></body>',
      { publishedAt: null },
    ],
    [
      'is one that is marked',
      '<body><time datetime="2020-01-01"></time><time itemprop="datePublished" datetime="2024-05-06"></time><i itemprop="datePublished" content="2019-01-01"></i></body>',
      { publishedAt: at('2024-05-06') },
    ],
    [
      'is none that cannot be',
      '<meta name="date" content="yesterday"><meta name="pubdate" content="1970-01-01T00:00:00Z"><meta name="dc.date" content="0001-01-01">',
      { publishedAt: null },
    ],
    [
      'is none of the wrong type',
      ld({ '@type': 'Article', datePublished: { toString: 1 } }),
      { publishedAt: null },
    ],
  ]);
});

describe('the canonical address of a page', () => {
  check([
    [
      'is its link',
      '<meta property="og:url" content="https://other.example/"><link rel="canonical" href="/post">',
      { canonicalUrl: 'https://site.example/post' },
    ],
    [
      'is og:url',
      '<meta property="og:url" content="https://site.example/post">',
      { canonicalUrl: 'https://site.example/post' },
    ],
    [
      'begins at the base',
      '<base href="//cdn.example/a/"><link rel="canonical" href="post">',
      { canonicalUrl: 'https://cdn.example/a/post' },
    ],
    [
      'is none of another kind',
      '<link rel="canonical" href="javascript:alert(1)"><link rel="canonical" href=""><meta property="og:url" content="ftp://a.example/">',
      { canonicalUrl: '' },
    ],
  ]);
});

describe('the images of a page', () => {
  check([
    [
      'come in the order in which they are believed',
      `${ld({ '@type': 'Article', image: ['/5.png', { url: '/6.png' }, { '@id': '#img' }], thumbnailUrl: '/8.png' })}${ld({ '@type': 'ImageObject', '@id': '#img', contentUrl: '/7.png' })}
       <link rel="image_src" href="/9.png"><meta name="twitter:image:src" content="/4.png"><meta name="twitter:image" content="/3.png">
       <meta property="og:image" content="/1.png"><meta property="og:image" content="/2.png"><meta property="og:image:secure_url" content="https://site.example/1.png">`,
      { imageUrls: [1, 2, 3, 4, 5, 6, 7, 8].map((n) => `https://site.example/${n}.png`) },
    ],
    [
      'are absolute',
      '<meta property="og:image" content="a.png"><meta property="og:image" content="//cdn.example/b.png"><meta property="og:image" content=" https://c.example/c d.png?a=1&amp;b=2 ">',
      {
        imageUrls: [
          'https://site.example/blog/a.png',
          'https://cdn.example/b.png',
          'https://c.example/c%20d.png?a=1&b=2',
        ],
      },
    ],
    [
      'are found under all three names',
      '<meta property="og:image:url" content="/a.png"><meta property="og:image:secure_url" content="/b.png">',
      { imageUrls: ['https://site.example/a.png', 'https://site.example/b.png'] },
    ],
    [
      'are of the web',
      '<meta property="og:image" content="data:image/png;base64,AAAA"><meta property="og:image" content="file:///etc/passwd"><meta property="og:image" content="http://"><meta name="twitter:image" content="/a.png">',
      { imageUrls: ['https://site.example/a.png'] },
    ],
    [
      'are few',
      Array.from({ length: 99 }, (_, n) => `<meta property="og:image" content="/${n}.png">`).join(''),
      { imageUrls: Array.from({ length: 8 }, (_, n) => `https://site.example/${n}.png`) },
    ],
  ]);

  it('end with those of the text that could be a cover', () => {
    const img = (src: string, rest = '') => `<img src="https://site.example/${src}"${rest}>`;
    const content = [
      img('logo.png'),
      img('small.png', ' width="50" height="50"'),
      '<img src="data:image/png;base64,AAAA">'.repeat(3),
      img('a.png?x=1&amp;y=2', ' alt="a"'),
      img('b.png', ' width="800" height="600"'),
    ].join('');
    expect(factsOf('<meta property="og:image" content="/og.png">', content).imageUrls).toEqual(
      ['og.png', 'a.png?x=1&y=2', 'b.png'].map((src) => `https://site.example/${src}`),
    );
  });

  it('have icons beside them, the best first', () => {
    const html =
      '<link rel="icon" sizes="16x16" href="/16.png"><link rel="shortcut icon" sizes="32x32" href="/32.png"><link rel="icon" href="data:image/png;base64,AAAA">';
    expect(factsOf(html).iconUrls).toEqual(['https://site.example/32.png', 'https://site.example/16.png']);
  });
});
