// A process of its own that parses the large documents it is given by name, and tells what came of each and how much
// memory it took.
import { LecternError } from '../../src/errors.ts';
import { parseFeed } from '../../src/feeds/parse/parse-feed.ts';
import { largeFeeds } from './large-feeds.ts';

const names = process.argv.slice(2);
for (const [name, make] of Object.entries(largeFeeds)) {
  if (!names.includes(name)) continue;
  const bytes = make();
  const before = process.resourceUsage().maxRSS;
  const outcome = outcomeOf(bytes);
  process.send?.({ name, outcome, growthMb: (process.resourceUsage().maxRSS - before) / 1024 });
}
process.disconnect?.();

function outcomeOf(bytes: Uint8Array): string {
  try {
    return `${parseFeed({ bytes, contentType: null, url: 'https://a.example/' }).entries.length} entries`;
  } catch (error) {
    if (error instanceof LecternError) return error.name;
    throw error;
  }
}
