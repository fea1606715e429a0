// What stands in an account that somebody has filled for years: varied, and for a seed the same every time.
import type { CopySource, FailedCache, HighlightChanges, RaindropFields } from './raindrop-account.ts';
import { type Random, randomFrom } from './random.ts';

type Sample = RaindropFields & { readonly highlights: readonly HighlightChanges[] };

interface Language {
  readonly code: string;
  readonly words: readonly string[];
  /** Between two words, and after a sentence. */
  readonly space: string;
  readonly stop: string;
}

const spaced = (code: string, text: string): Language => ({
  code,
  words: text.split(' '),
  space: ' ',
  stop: '. ',
});
const unspaced = (code: string, text: string): Language => ({
  code,
  words: text.split(' '),
  space: '',
  stop: '。',
});

const english = spaced(
  'en',
  'the garden holds water while quiet readers gather letters about slow machines and old harbours where ' +
    'morning light finds paper maps of every river between mountains under careful hands that measure time',
);
const german = spaced(
  'de',
  'die Bücher über große Gärten erzählen von Flüssen und Brücken während müde Leser früh am Morgen ' +
    'schöne Wörter für süße Äpfel suchen und Straßen außerhalb der Städte nach Österreich führen',
);
const japanese = unspaced(
  'ja',
  '図書館 で 静かな 朝 に 新しい 本 を 読む と 古い 地図 の 川 が 見える 東京 カメラ',
);
const chinese = unspaced('zh', '我们 在 图书馆 阅读 关于 山 和 河流 的 旧 书 早晨 的 光 照亮 城市 花园 机器');

/** As often as each is to be met. */
const languages = [english, english, english, german, german, japanese, english, german, chinese, english];
const types = ['link', 'article', 'link', 'article', 'link', 'video', 'image', 'link', 'article', 'link'];
const tagNames = [
  ...['recipes', 'to read', 'Übersicht', 'garden', 'typescript', 'new york', 'データ', 'slow food'],
  ...['Geschichte', 'maps', '2026', 'c++', 'long reads', 'straße'],
];
const domains = [
  ...['example.org', 'news.example.com', 'www.blog.example.net', 'zeitung.example.de', 'video.example'],
  ...['本.example.jp', 'docs.example.io', 'a.example'],
];
const colors = ['yellow', 'blue', 'green', 'red'];

/** Many that were changed at once, and so bear the same time: where they begin, and how many they are. */
const runs = [
  { from: 10, length: 3 },
  { from: 20, length: 60 },
  { from: 100, length: 130 },
];

export function sampleRaindrops({
  count,
  seed,
  now,
  addCollection,
}: {
  count: number;
  seed: number;
  now: number;
  addCollection: (fields: { title: string; parentId?: number }) => { readonly _id: number };
}): Sample[] {
  const random = randomFrom(seed);
  const collectionIds = nestedCollections(addCollection);
  const hour = 3_600_000;
  const createdAt = Array.from(
    { length: count },
    (_, at) => now - (count - at) * hour + random.below(hour / 2),
  );
  const updatedAt = createdAt.map((at) => (random.below(3) > 0 ? at : at + random.below(now - at)));
  for (const { from, length } of runs) {
    if (from + length > count) continue;
    const together = Math.floor(((createdAt[from + length - 1] ?? now) + now) / 2);
    updatedAt.fill(together, from, from + length);
  }
  const samples = createdAt.map((created, at) =>
    sample(random, at, { created, lastUpdate: updatedAt[at] ?? created }, collectionIds),
  );
  return samples.map((one, at) => (at > 0 && at === count - 1 ? sameLink(one, samples[0]) : one));
}

function sample(
  random: Random,
  at: number,
  times: { created: number; lastUpdate: number },
  collectionIds: readonly number[],
): Sample {
  const language = random.oneOf(languages);
  const domain = random.oneOf(domains);
  const words = (least: number, more: number) => sentence(random, language, least + random.below(more));
  const title = words(3, 5);
  return {
    ...times,
    link: new URL(`https://${domain}/${times.created.toString(36)}/${at}?from=list`).href,
    domain: domain.replace(/^www\./, ''),
    title,
    excerpt: random.below(5) === 0 ? '' : words(8, 12),
    note: random.below(4) === 0 ? words(4, 8) : '',
    type: random.oneOf(types),
    cover: random.below(2) === 0 ? '' : `https://${domain}/cover-${at}.jpg`,
    tags: [...new Set(Array.from({ length: random.below(4) }, () => random.oneOf(tagNames)))],
    important: random.below(12) === 0,
    broken: random.below(40) === 0,
    collectionId: random.below(3) === 0 ? -1 : random.oneOf(collectionIds),
    highlights: Array.from({ length: random.below(15) === 0 ? 1 + random.below(3) : 0 }, () => ({
      text: words(5, 10),
      note: random.below(2) === 0 ? '' : words(2, 4),
      color: random.oneOf(colors),
    })),
    ...copyOf(random, at, { title, language }),
  };
}

/** 37 of every 50 have a copy, which are the measured 74 %. */
function copyOf(
  random: Random,
  at: number,
  page: { title: string; language: Language },
): { copy?: CopySource; cacheStatus?: FailedCache } {
  const place = (at * 7) % 50;
  if (place < 37) return { copy: { html: pageOf(random, page) } };
  if (place < 41) return { cacheStatus: 'retry' };
  if (place < 44) return { cacheStatus: 'failed' };
  const [cacheStatus] = (['invalid-origin', 'invalid-timeout', 'invalid-size'] as const).slice(place - 44);
  return cacheStatus ? { cacheStatus } : {};
}

/** Two of them may have one address: Raindrop warns of it, and allows it. */
function sameLink(one: Sample, first: Sample | undefined): Sample {
  return first?.link === undefined || first.domain === undefined
    ? one
    : { ...one, link: first.link, domain: first.domain };
}

function nestedCollections(
  addCollection: (fields: { title: string; parentId?: number }) => { readonly _id: number },
): number[] {
  const under = (title: string, parentId?: number) =>
    addCollection(parentId === undefined ? { title } : { title, parentId })._id;
  const reading = under('Reading');
  const technology = under('Technik & Bücher', reading);
  const databases = under('データベース', technology);
  const kitchen = under('Kitchen');
  return [reading, technology, databases, kitchen, under('Süßes', kitchen)];
}

/** As large as 2 to 6 KB, with all that makes a page tedious to read by a program. */
function pageOf(random: Random, { title, language }: { title: string; language: Language }): string {
  const words = (least: number, more: number) => sentence(random, language, least + random.below(more));
  const blocks = [
    () =>
      `<p>${words(12, 20)} <em>${words(2, 3)}</em> &amp; <a href="/next?a=1&amp;b=2">${words(2, 4)}</a></p>`,
    () =>
      `<div class="box"><div><h2>${words(2, 4)}</h2><p>${words(10, 10)}&nbsp;&mdash; 5&#8239;&euro;</p></div></div>`,
    () => `<ul><li>${words(3, 4)}</li><li>${words(3, 4)}<ol><li>${words(3, 3)}</li></ol></li></ul>`,
    () =>
      `<table><tr><th>${words(1, 2)}</th><td>1 &lt; 2</td></tr><tr><th>${words(1, 2)}</th><td></td></tr></table>`,
    () => `<blockquote><p>${words(8, 8)}</p></blockquote><!-- ${words(2, 3)} <p>not shown</p> -->`,
    () => `<figure><img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" alt="${words(2, 3)}"></figure>`,
  ];
  const target = 1700 + random.below(3000);
  let body = '';
  // A block is smaller than what is left between the largest target and 6 KB.
  for (let at = random.below(blocks.length); Buffer.byteLength(body) < target; at++)
    body += `${blocks[at % blocks.length]?.()}\n`;
  return `<!DOCTYPE html>
<html lang="${language.code}"><head><meta charset="utf-8"><title>${title}</title>
<style>.box > div { color: #333; } p::after { content: "</p>"; }</style>
<script>if (1 < 2 && "a" > "b") document.write("<p>never shown</p>");</script></head>
<body><nav><a href="/">${words(1, 2)}</a></nav><article><h1>${title}</h1>
${body}</article><footer>&copy; 2026 &uuml;ber uns<script type="application/ld+json">{"@type":"Article"}</script></footer></body></html>
`;
}

function sentence(random: Random, { words, space, stop }: Language, length: number): string {
  const chosen = Array.from({ length }, () => random.oneOf(words));
  const middle = length > 14 ? [chosen.slice(0, 8), chosen.slice(8)] : [chosen];
  const text = middle.map((part) => part.join(space)).join(stop);
  return text.charAt(0).toUpperCase() + text.slice(1);
}
