import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../test/support/any-character.ts';
import { propertyRuns } from '../../../test/support/depth.ts';
import { parsePage } from '../extract/parse-page.ts';
import { noFacts, pageFacts } from './page-facts.ts';

const factsOf = (html: string) => pageFacts(parsePage(html), { url: 'https://site.example/blog/post.html' });
const ld = (value: unknown) => `<script type="application/ld+json">${JSON.stringify(value)}</script>`;

describe('JSON-LD in bad shape', () => {
  const good = ld({ '@type': 'Article', headline: 'Post', author: 'Jo Doe' });
  it.each([
    ['cut off', '<script type="application/ld+json">{"@type": "Article", "headline": "Oth</script>'],
    ['empty', '<script type="application/ld+json"></script>'],
    [
      'of one value',
      '<script type="application/ld+json">null</script><script type="application/ld+json">7</script>',
    ],
    ['nested without end', `<script type="application/ld+json">${'['.repeat(100_000)}</script>`],
    [
      'nested deep',
      `<script type="application/ld+json">${'{"@graph":['.repeat(5_000)}${']}'.repeat(5_000)}</script>`,
    ],
    [
      'with an end tag in a text',
      '<script type="application/ld+json">{"@type":"Article","headline":"</script><b>Other"}</script>',
    ],
    [
      'with the keys of a prototype',
      '<script type="application/ld+json">{"@type":"Thing","__proto__":{"headline":"Evil","name":"Evil"},"constructor":{"prototype":{"headline":"Evil"}}}</script>',
    ],
    [
      'with references in a circle',
      ld({
        '@graph': [
          { '@type': 'Thing', '@id': '#a', author: { '@id': '#a' } },
          { '@type': 'Thing', '@id': '#b', image: { '@id': '#b' } },
        ],
      }),
    ],
  ])('%s: does no harm', (_what, html) => {
    expect(factsOf(html + good)).toMatchObject({ title: 'Post', author: 'Jo Doe' });
    expect(({} as Record<string, unknown>).headline).toBeUndefined();
  });

  it('of a megabyte takes no time', () => {
    const large = ld({ '@type': 'Article', headline: 'Post', articleBody: 'word '.repeat(200_000) });
    const many = ld(Array.from({ length: 20_000 }, (_, n) => ({ '@type': 'Person', name: `P${n}` })));
    const before = process.cpuUsage();
    expect(factsOf(large + many).title).toBe('Post');
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(2_000);
  });
});

describe('whatever a page says', () => {
  const text = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.constantFrom(
      '',
      'https://a.example/x',
      '//a',
      'javascript:1',
      '2024-01-01',
      '<b>x</b>',
      '&lt;',
      '\ud800',
      'de_DE',
    ),
  );
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 4 },
      text,
      fc.integer(),
      fc.constant(null),
      fc.array(tie('any')),
      tie('object'),
    ),
    object: fc.dictionary(
      fc.constantFrom(
        '@type',
        '@id',
        '@graph',
        '@value',
        'name',
        'headline',
        'author',
        'image',
        'url',
        'publisher',
        'datePublished',
        'inLanguage',
        '__proto__',
      ),
      tie('any'),
    ),
  })).any;
  const metas = fc.array(
    fc.tuple(
      fc.constantFrom(
        'og:title',
        'og:image',
        'og:url',
        'og:locale',
        'author',
        'date',
        'description',
        'og:site_name',
      ),
      text,
    ),
  );

  it('its facts keep their bounds', () => {
    fc.assert(
      fc.property(metas, value, text, (written, linked, title) => {
        const escaped = (raw: string) =>
          raw.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
        const html = `<title>${escaped(title)}</title>${written
          .map(([name, content]) => `<meta property="${name}" content="${escaped(content)}">`)
          .join('')}${ld(linked)}`;
        const facts = factsOf(html);
        expect(Object.keys(facts)).toEqual(Object.keys(noFacts));
        for (const [field, most] of [
          ['title', 200],
          ['excerpt', 500],
          ['author', 200],
          ['siteName', 200],
        ] as const) {
          expect(facts[field].length).toBeLessThanOrEqual(most);
          expect(facts[field].isWellFormed()).toBe(true);
          expect(facts[field]).not.toMatch(/\p{Cc}|^\s|\s$|\s\s/u);
        }
        for (const found of [...facts.imageUrls, ...facts.iconUrls, facts.canonicalUrl].filter(
          (one) => one !== '',
        )) {
          expect(found).toMatch(/^https?:\/\/[^/]/);
        }
        expect(facts.publishedAt === null || Number.isSafeInteger(facts.publishedAt)).toBe(true);
        if (facts.language !== '') expect(Intl.getCanonicalLocales(facts.language)).toEqual([facts.language]);
      }),
      propertyRuns(300),
    );
  });
});
