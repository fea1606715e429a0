import { Command } from 'commander';
import { importKinds } from '../highlights/import/import-kinds.ts';
import { importHighlightsCommand } from './import-highlights.ts';
import { importOpmlCommand } from './import-opml.ts';
import { importReedmeCommand } from './import-reedme.ts';
import type { Runtime } from './runtime.ts';

export function importCommand(runtime: Runtime): Command {
  const command = new Command('import')
    .description('Bring in what another program has kept.')
    .addCommand(importOpmlCommand(runtime))
    .addCommand(importReedmeCommand(runtime));
  for (const kind of importKinds) command.addCommand(importHighlightsCommand(runtime, kind));
  return command;
}
