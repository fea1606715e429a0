// What it costs to make clean entries of a feed of 100 KB with 25 entries, compared with JSON.parse of the same texts in
// the same run. Time is that of the processor: other work on the machine does not count.
import { parseFeed } from '../src/feeds/parse/parse-feed.ts';

/** How many times JSON.parse it may take. Sanitising is most of it, so tags count more than letters. */
const goals = { prose: 60, 'dense HTML': 160 } as const;
const rounds = 200;

const words = 'Words that people write in their blogs every day, with a comma here and there. ';
const samples: Record<keyof typeof goals, string> = {
  prose: `<p>${words.repeat(8)}<a href="https://example.com/x?y=1">a link</a> and ${words}</p>\n`.repeat(5),
  'dense HTML':
    '<p>Some <b>bold</b> text, a <a href="/rel?x=1&amp;y=2">link</a> &amp; an image <img src="/a.jpg" srcset="/a.jpg 1x, /b.jpg 2x" width="600" height="400" alt="x"> and &#8217;words&#8217; to fill the line.</p>\n'.repeat(
      17,
    ),
};

export async function run(): Promise<boolean> {
  let met = true;
  for (const [name, html] of Object.entries(samples) as [keyof typeof goals, string][]) {
    const feed = new TextEncoder().encode(rss(html));
    const json = JSON.stringify({
      items: Array.from({ length: 25 }, (_, id) => ({ id, title: 'Title', html })),
    });
    const parse = () => parseFeed({ bytes: feed, contentType: null, url: 'https://example.com/feed' });
    const ours = perRound(parse);
    const reference = perRound(() => JSON.parse(json));
    const ratio = ours / reference;
    met &&= ratio <= goals[name];
    process.stdout.write(
      `${name}: ${(feed.length / 1024).toFixed(0)} KB in ${ours.toFixed(2)} ms, ${(1000 / ours).toFixed(0)} feeds/s, ` +
        `${(feed.length / ours / 1000).toFixed(1)} MB/s; ${ratio.toFixed(0)} times JSON.parse, the goal is ${goals[name]}\n`,
    );
  }
  return met;
}

function perRound(work: () => unknown): number {
  for (let round = 0; round < rounds; round++) work();
  const before = process.cpuUsage();
  for (let round = 0; round < rounds; round++) work();
  return process.cpuUsage(before).user / 1000 / rounds;
}

function rss(html: string): string {
  const items = Array.from(
    { length: 25 },
    (_, id) =>
      `<item><title>Title ${id} &amp; more</title><link>https://example.com/${id}</link><guid isPermaLink="false">g${id}</guid>` +
      `<pubDate>Mon, 02 Jan 2006 15:04:05 GMT</pubDate><dc:creator>Jo</dc:creator><content:encoded><![CDATA[${html}]]></content:encoded></item>`,
  );
  return `<rss version="2.0"><channel><title>T</title><link>https://example.com/</link>${items.join('\n')}</channel></rss>`;
}
