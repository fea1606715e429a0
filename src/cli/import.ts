import { Command } from 'commander';
import { importOpmlCommand } from './import-opml.ts';
import { importReedmeCommand } from './import-reedme.ts';
import type { Runtime } from './runtime.ts';

export function importCommand(runtime: Runtime): Command {
  return new Command('import')
    .description('Bring in what another program has kept.')
    .addCommand(importOpmlCommand(runtime))
    .addCommand(importReedmeCommand(runtime));
}
