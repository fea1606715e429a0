import { Command } from 'commander';
import { exportHighlightsCommand } from './export-highlights.ts';
import { exportOpmlCommand } from './export-opml.ts';
import type { Runtime } from './runtime.ts';

export function exportCommand(runtime: Runtime): Command {
  return new Command('export')
    .description('Write what Lectern keeps for other programs.')
    .addCommand(exportOpmlCommand(runtime))
    .addCommand(exportHighlightsCommand(runtime));
}
