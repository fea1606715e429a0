// `npm run conformance -- NAME DIR`: holds a part of Lectern against a public corpus in DIR, which is not part of the
// project. Exit code 1 when the goal is missed, 2 when nothing could be checked.
import { checkExtraction } from './extract.ts';
import { checkFeeds } from './feeds.ts';
import { checkHeadlines } from './headlines.ts';

const suites: Record<
  string,
  { about: string; run: (directory: string, print: (line: string) => void) => number | Promise<number> }
> = {
  feeds: {
    about: 'the feeds of feedparser, with a cases.json of [{file, checks: [{path, equals}]}]',
    run: checkFeeds,
  },
  extract: {
    about: 'pages of WCXB, with a ground-truth.json of [{page, url, type, main_content, with, without}]',
    run: checkExtraction,
  },
  headlines: {
    about: 'the headlines of Stop Clickbait, as clickbait.txt and non_clickbait.txt, one on each line',
    run: checkHeadlines,
  },
};

const [name, directory] = process.argv.slice(2);
const chosen = name === undefined ? undefined : suites[name];
if (chosen && directory !== undefined) {
  process.exitCode = await chosen.run(directory, (line) => process.stdout.write(`${line}\n`));
} else {
  const list = Object.entries(suites).map(([key, { about }]) => `  ${key.padEnd(11)}${about}\n`);
  process.stdout.write(`npm run conformance -- NAME DIR, with one of:\n\n${list.join('')}`);
  process.exitCode = name === undefined ? 0 : 2;
}
