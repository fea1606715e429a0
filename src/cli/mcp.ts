// `lectern mcp`: the library for an assistant that starts us. Its output is the protocol's alone.
import { Command } from 'commander';
import { createMcpServer } from '../mcp/server.ts';
import { serveStdio } from '../mcp/stdio.ts';
import { findInLibrary } from '../search/find-in-library.ts';
import type { Meaning } from '../search/meaning/meaning.ts';
import { withMeaning } from './meaning.ts';
import { type Runtime, withStore } from './runtime.ts';
import { searchSources } from './search-sources.ts';
import { getUserOrOwner } from './user.ts';

export function mcpCommand(runtime: Runtime): Command {
  return new Command('mcp')
    .description('Lend the library to an assistant, by the Model Context Protocol over stdin and stdout.')
    .option('--user <name>', 'whose library it is (default: the owner)')
    .option('--write', 'let it save, tag and mark too; without, it may only read')
    .action(({ user: name, write = false }: { user?: string; write?: boolean }) =>
      withStore(runtime, async (opened) => {
        const { store, library, log } = opened;
        const { files } = library;
        const { id: userId } = await getUserOrOwner(store, name);
        const sources = searchSources(store, files);
        const stopping = new AbortController();
        const stop = () => stopping.abort();
        for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, stop);
        const serve = (meaning: Meaning | undefined) =>
          serveStdio({
            server: createMcpServer({ version: runtime.version, log }),
            peer: {
              scope: write ? 'write' : 'read',
              context: {
                rows: store.forUser(userId),
                files,
                find: (input) =>
                  findInLibrary({ store, sources, now: runtime.now, meaning }, { ...input, userId }),
                findText: async (kind, id) => (await sources[kind].read([id], userId))[0],
              },
            },
            input: runtime.stdin,
            output: runtime.stdout,
            signal: stopping.signal,
          });
        await withMeaning(runtime, opened, serve);
      }),
    );
}
