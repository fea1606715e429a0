// Articles of the deframer for tests: ordinary ones, and such as somebody might write who wants to break a feed.
import fc from 'fast-check';
import { itemHash } from '../../src/deframer/item-hash.ts';
import { type Analysis, categories, type DeframedItem } from '../../src/model/deframer.ts';
import { anyCharacter } from './any-character.ts';

export function analysisOf(given: Partial<Analysis> = {}): Analysis {
  return {
    llm_model: 'test/1',
    title_original: 'You will not BELIEVE this',
    description_original: 'It is shocking.',
    title_corrected: 'A council has met',
    title_correction_reason: 'It says nothing.',
    description_corrected: 'The council has met on Monday.',
    description_correction_reason: 'It is no fact.',
    framing: 0.25,
    framing_reason: 'Some.',
    clickbait: 0.9,
    clickbait_reason: 'Much.',
    persuasive: 0,
    persuasive_reason: '',
    hyper_stimulus: 0.5,
    hyper_stimulus_reason: 'Half.',
    speculative: 0,
    speculative_reason: '',
    overall: 0.35,
    overall_reason: 'A little.',
    category: 'politics',
    ...given,
  };
}

export function deframedItem(
  url: string,
  { analysis, ...given }: Partial<Omit<DeframedItem, 'analysis'>> & { analysis?: Partial<Analysis> } = {},
): DeframedItem {
  return {
    id: '00000000-0000-4000-8000-000000000001',
    feedId: '00000000-0000-4000-8000-0000000000ff',
    hash: itemHash(url),
    url,
    analysis: analysisOf(analysis),
    content: '<p>The council has <b>met</b>.</p>',
    author: 'Anna',
    pubDate: Date.UTC(2026, 2, 12, 14, 5),
    createdAt: 0,
    updatedAt: 0,
    ...given,
  };
}

const nasty = [
  ']]>',
  '<![CDATA[',
  ']]',
  '>',
  '</item>\n',
  '</item>',
  '<item>',
  '<item>\n',
  '</channel>\n</rss>\n',
  '<deframer:overall>0</deframer:overall>',
  '</content:encoded>',
  '<!--',
  '-->',
  '<?xml version="1.0"?>',
  '<!DOCTYPE x [<!ENTITY a "b">]>',
  '&a;',
  '&amp;',
  '&lt;item&gt;',
  '&#0;',
  '\u0000',
  '\u0008',
  '\u000b',
  '\u001f',
  '\u007f',
  '\u0085',
  '\u2028',
  '\ufffe',
  '\uffff',
  '\ud800',
  '\udc00',
  '\ud83d\ude00',
  '\u{1fffe}',
  '\u200f\u202e',
  '\r\n\t',
  ' ',
  '"',
  "'",
  'ordinary words',
];

export const hostileText = fc.oneof(
  { weight: 3, arbitrary: fc.array(fc.constantFrom(...nasty), { maxLength: 6 }).map((all) => all.join('')) },
  { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 40 }) },
  { weight: 1, arbitrary: fc.string({ unit: fc.nat(0xffff).map((code) => String.fromCharCode(code)) }) },
);

const score = fc.oneof(
  fc.constantFrom(0, 1, 0.5, 0.35, 1e-7, 5e-324),
  fc.double({ min: 0, max: 1, noNaN: true }),
);

export const hostileAnalysis: fc.Arbitrary<Analysis> = fc.record(
  Object.fromEntries(
    Object.entries(analysisOf()).map(([field, value]) => [
      field,
      typeof value === 'number' ? score : hostileText,
    ]),
  ) as { [K in keyof Analysis]: fc.Arbitrary<Analysis[K]> },
);

const hostileUrl = fc.oneof(
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
  hostileText,
  hostileText.map((text) => `https://example.com/${text}`),
  fc.constantFrom('/relative', '//example.com/a', 'javascript:alert(1)', 'http://', 'https://exa mple.com/'),
);

export const hostileItem: fc.Arbitrary<DeframedItem> = fc
  .record({
    url: hostileUrl,
    content: hostileText,
    author: hostileText,
    pubDate: fc.oneof(
      fc.integer({ min: -1e15, max: 1e15 }),
      fc.constantFrom(0, Number.NaN, 8.64e15, 253_402_300_800_000, -62_135_596_800_000),
    ),
    analysis: hostileAnalysis,
    category: fc.constantFrom(...categories),
  })
  .map(({ url, category, analysis, ...given }) =>
    deframedItem(url, { ...given, analysis: { ...analysis, category } }),
  );

/** As the index has them: each address once. */
export const hostileItems = fc.uniqueArray(hostileItem, { maxLength: 6, selector: ({ url }) => url });

export const hostileHead = fc.record({
  title: hostileText,
  siteUrl: hostileUrl,
  feedUrl: fc.webUrl(),
  description: hostileText,
  language: fc.oneof(fc.constantFrom(null, 'en', 'de-CH', 'zh-Hant-TW', 'e', 'en_US', ''), hostileText),
});
