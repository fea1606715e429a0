// `npm run conformance -- NAME DIR`: holds a part of Lectern against a public corpus in DIR, which is not part of the
// project, or against a set that is, and needs no DIR. Exit code 1 when the goal is missed, 2 when nothing could be checked.
import { checkExtraction } from './extract.ts';
import { checkFeeds } from './feeds.ts';
import { checkHeadlines } from './headlines.ts';
import { checkSearch } from './search.ts';

type Print = (line: string) => void;

interface Suite {
  readonly about: string;
  readonly run: (directory: string, print: Print) => number | Promise<number>;
  /** What it is held against is part of the project. */
  readonly isOurs?: boolean;
}

const suites: Record<string, Suite> = {
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
  search: {
    about: 'a hundred queries over 2,000 documents of our own, by words and by meaning; without a folder',
    run: (_, print) => checkSearch(print),
    isOurs: true,
  },
};

const [name, directory] = process.argv.slice(2);
const chosen = name === undefined ? undefined : suites[name];
if (chosen && (directory !== undefined || chosen.isOurs)) {
  process.exitCode = await chosen.run(directory ?? '', (line) => process.stdout.write(`${line}\n`));
} else {
  const list = Object.entries(suites).map(([key, { about }]) => `  ${key.padEnd(11)}${about}\n`);
  process.stdout.write(`npm run conformance -- NAME DIR, with one of:\n\n${list.join('')}`);
  process.exitCode = name === undefined ? 0 : 2;
}
