// The commands of docs/backup.md, for the suites that run them.
import { readFileSync } from 'node:fs';

/** The shell blocks of the guide, by their heading. */
export function readGuideCommands(): Map<string, string[]> {
  const guide = readFileSync(new URL('../../docs/backup.md', import.meta.url), 'utf8');
  const blocks = new Map<string, string[]>();
  for (const section of guide.split(/^#+ /m).slice(1)) {
    const heading = section.slice(0, section.indexOf('\n'));
    const found = [...section.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, commands = '']) => commands);
    if (found.length > 0) blocks.set(heading, found);
  }
  return blocks;
}
