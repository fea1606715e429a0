import { writeFile } from 'node:fs/promises';
import { Command } from 'commander';
import { Invalid } from '../errors.ts';
import { exportOpml } from '../feeds/opml/export-opml.ts';
import { type Runtime, withStore } from './runtime.ts';
import { getUserOrOwner } from './user.ts';

/** `lectern export opml` */
export function exportOpmlCommand(runtime: Runtime): Command {
  return new Command('opml')
    .description('Write your feeds and groups as OPML, which every reader can import.')
    .option('--user <name>', 'whose feeds (default: the owner)')
    .option('-o, --output <file>', 'where to (default: standard output)')
    .action(async ({ user, output }: { user?: string; output?: string }) => {
      const file = await withStore(runtime, async ({ store }) => {
        const { id } = await getUserOrOwner(store, user);
        return exportOpml(store.forUser(id), runtime);
      });
      if (output === undefined) await written(runtime, file);
      else await save(output, file);
    });
}

/** A pipe may take only so much at once. */
function written({ stdout }: Runtime, text: string): Promise<void> {
  return new Promise((resolve, reject) => stdout.write(text, (error) => (error ? reject(error) : resolve())));
}

async function save(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text);
  } catch (cause) {
    throw new Invalid(`${path} cannot be written: ${(cause as NodeJS.ErrnoException).code}`, { cause });
  }
}
