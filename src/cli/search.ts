import { Command, InvalidArgumentError, Option } from 'commander';
import { askedKinds } from '../model/search.ts';
import { rebuildIndex } from '../search/rebuild-index.ts';
import { type LibraryResult, type SearchMode, searchLibrary, searchModes } from '../search/search-library.ts';
import type { ShownHit } from '../search/show-hits.ts';
import { withMeaning } from './meaning.ts';
import { type Runtime, withStore } from './runtime.ts';
import { searchSources } from './search-sources.ts';
import { printRows } from './table.ts';
import { getUserOrOwner } from './user.ts';

interface SearchOptions {
  readonly user?: string;
  readonly kind?: string;
  readonly mode: SearchMode;
  readonly limit: number;
  readonly json?: boolean;
}

/** Where there is no terminal. */
const usualWidth = 80;
const mostHits = 100;

export function searchCommand(runtime: Runtime): Command {
  const command = new Command('search')
    .description(
      'Search everything that you have: words, "phrases", -not, OR, prefix*, and filters such as tag:work.',
    )
    .argument('<words...>', 'what to look for')
    // Such as -word.
    .allowUnknownOption()
    .option('--user <name>', 'whose library; the owner without it')
    .addOption(new Option('--kind <kind>', 'only this kind').choices([...askedKinds]))
    .addOption(
      new Option('--mode <mode>', 'by words, by meaning, or by both')
        .choices([...searchModes])
        .default('hybrid'),
    )
    .option('--limit <n>', `how many, at most ${mostHits}`, parseLimit, 20)
    .option('--json', 'print the answer as JSON')
    .action(async (words: string[], options: SearchOptions) => {
      const result = await withStore(runtime, async (opened) => {
        const { store, library } = opened;
        const { user, kind, mode, limit } = options;
        const { id: userId } = await getUserOrOwner(store, user);
        const sources = searchSources(store, library.files);
        const asked = { userId, q: asTyped(words), mode, limit, ...(kind && { kinds: [kind] }) };
        return withMeaning(runtime, opened, (meaning) =>
          searchLibrary({ store, sources, now: runtime.now, meaning }, asked),
        );
      });
      print(runtime, result, options.json);
    });

  command
    .command('rebuild')
    .description('Make the index of search new. The old one answers until the new one is complete.')
    .action(() =>
      withStore(runtime, async ({ store, library }) => {
        const { searchIndex, leases } = store;
        const sources = Object.values(searchSources(store, library.files));
        await rebuildIndex({ searchIndex, leases, sources }, runtime.randomText(12));
        runtime.stdout.write(`Indexed anew. Documents that can be found: ${await searchIndex.count()}.\n`);
      }),
    );

  return command;
}

/** One argument is the query as it is; of several, what the shell has taken the quotes of is a phrase still. */
function asTyped(words: readonly string[]): string {
  if (words.length === 1) return words[0] as string;
  const quoted = words.map((word) => {
    if (!/\s/.test(word) || word.includes('"')) return word;
    const [, filter = '', value = ''] = /^(-?(?:[a-z]+:)?)(.*)$/su.exec(word) ?? [];
    return `${filter}"${value}"`;
  });
  return quoted.join(' ');
}

function print(runtime: Runtime, result: LibraryResult, json: boolean | undefined): void {
  const { hits, found, atLeast, mode, notice, suggestion } = result;
  if (json) {
    const data = hits.map(({ kind, text, snippet }) => ({
      kind,
      id: String(text.refId),
      title: text.title,
      url: text.url,
      site: text.site,
      published_at: new Date(text.publishedAt).toISOString(),
      snippet: snippet.text,
    }));
    const said = { data, found, at_least: atLeast, mode, notice, suggestion };
    runtime.stdout.write(`${JSON.stringify(said, null, 2)}\n`);
    return;
  }
  const empty = suggestion ? `Nothing was found. Did you mean: ${suggestion}` : 'Nothing was found.';
  printRows(runtime, hits.map(toRow), { empty, width: usualWidth });
  if (hits.length < found || atLeast)
    runtime.stdout.write(`\n${hits.length} of ${atLeast ? 'at least ' : ''}${found}.\n`);
  if (notice) runtime.stderr.write(`${notice}\n`);
}

function toRow({ kind, text, snippet }: ShownHit) {
  return {
    kind,
    id: text.refId,
    date: new Date(text.publishedAt).toISOString().slice(0, 10),
    title: text.title || snippet.text,
    site: text.site ?? '',
  };
}

function parseLimit(text: string): number {
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > mostHits)
    throw new InvalidArgumentError(`expected a number from 1 to ${mostHits}`);
  return limit;
}
