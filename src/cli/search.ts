import { Command } from 'commander';
import { createIndexer, indexEverything } from '../search/index-pending.ts';
import { type Runtime, withStore } from './runtime.ts';
import { searchSources } from './search-sources.ts';

export function searchCommand(runtime: Runtime): Command {
  const command = new Command('search').description('Look after the index of search.');

  command
    .command('rebuild')
    .description(
      'Index every text anew. Until it is through, less is found; a Lectern that runs helps with it.',
    )
    .action(() =>
      withStore(runtime, async ({ store, library }) => {
        const { searchIndex, leases } = store;
        const sources = Object.values(searchSources(store, library.files));
        await searchIndex.clear();
        await indexEverything(createIndexer({ searchIndex, leases, sources }, runtime.randomText(12)));
        runtime.stdout.write(`Indexed anew. Documents that can be found: ${await searchIndex.count()}.\n`);
      }),
    );

  return command;
}
