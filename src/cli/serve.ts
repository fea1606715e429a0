// `lectern serve`: the API, the worker, or both.
import { closeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { Command, Option } from 'commander';
import { type Role, roles } from '../model/presence.ts';
import type { Runtime } from './runtime.ts';
import { listenForStop } from './stop-signals.ts';

interface ServeOptions {
  readonly role: Role;
  readonly holder?: string;
  readonly apiHolder?: string;
  readonly webApp?: string;
}

export function serveCommand(runtime: Runtime): Command {
  return new Command('serve')
    .description('Start Lectern.')
    .addOption(
      new Option('--role <role>', 'all: the API and one worker; api or worker: only that, any number of each')
        .choices(roles)
        .default('all'),
    )
    .addOption(new Option('--holder <name>', 'name of this process in its leases').hideHelp())
    .addOption(new Option('--api-holder <name>', 'name of the API that started this worker').hideHelp())
    .addOption(new Option('--web-app <folder>', 'with the files of the built web app').hideHelp())
    .action(async (options: ServeOptions) => {
      const { role, holder = runtime.randomText(12), apiHolder, webApp = runtime.webApp } = options;
      const stopRequest = runtime.stopRequest ?? listenForStop();
      outliveTerminal(runtime);
      // More than half of all that there is to load, and no other command needs it.
      const { serve } = await import('./server.ts');
      await serve({ ...runtime, webApp }, { role, holder, apiHolder, stopRequest });
    });
}

/** A terminal can be closed while the server runs. That must not end the process before the journal is flushed. */
function outliveTerminal({ stdout, stderr }: Runtime): void {
  for (const stream of [stdout, stderr]) stream.on('error', () => {});
  // At exit Node resets the terminal, and aborts if that fails. It skips descriptors that are closed.
  const terminals = [0, 1, 2].filter((fd) => isatty(fd));
  process.once('exit', () => {
    for (const fd of terminals) if (!isatty(fd)) closeSync(fd);
  });
}
