// `lectern admin root-domain`: what the articles of feeds are grouped by.
import { Command } from 'commander';
import { parseRootDomain } from '../deframer/root-domain.ts';
import { Invalid } from '../errors.ts';
import { feedArgument } from './admin-feed.ts';
import { getDeframerFeed } from './find-deframer-feed.ts';
import { type Runtime, withStore } from './runtime.ts';
import { printable, printRows } from './table.ts';

export function adminRootDomainCommand(runtime: Runtime): Command {
  const command = new Command('root-domain').description(
    'The domains that feeds are grouped by, which /api/site?root=... asks for.',
  );

  command
    .command('list')
    .description('List each domain that a feed is grouped by, once.')
    .option('--json', 'print them as a JSON array')
    .action(async ({ json }: { json?: boolean }) => {
      const domains = await withStore(runtime, ({ store }) => store.deframerFeeds.rootDomains());
      if (json) {
        runtime.stdout.write(`${JSON.stringify(domains, null, 2)}\n`);
        return;
      }
      const rows = domains.map((domain) => ({ root_domain: domain }));
      const empty = 'No feed has a root domain. Give one with: lectern admin root-domain set FEED DOMAIN';
      printRows(runtime, rows, { width: 80, empty });
    });

  command
    .command('set')
    .description('Group the articles of a feed by this domain.')
    .addArgument(feedArgument())
    .argument('<domain>', 'such as example.org')
    .action(async (feed: string, text: string) => {
      const rootDomain = parseRootDomain(text);
      if (rootDomain === undefined) {
        throw new Invalid(
          `expected a domain such as example.org, without https://, a port or a path; got "${printable(text)}"`,
        );
      }
      const { url } = await change(runtime, feed, rootDomain);
      runtime.stdout.write(`The root domain of ${printable(url)} is ${rootDomain}.\n`);
    });

  command
    .command('clear')
    .description('Leave a feed without a root domain.')
    .addArgument(feedArgument())
    .action(async (feed: string) => {
      const { url } = await change(runtime, feed, null);
      runtime.stdout.write(`${printable(url)} has no root domain any more.\n`);
    });

  return command;
}

function change(runtime: Runtime, feed: string, rootDomain: string | null) {
  return withStore(runtime, async ({ store: { deframerFeeds } }) => {
    const { id } = await getDeframerFeed(deframerFeeds, feed);
    return deframerFeeds.change(id, { rootDomain });
  });
}
