// `lectern`: parses the words, runs the command, turns its outcome into an exit code:
// 0 done, 1 failed, 2 the command was not understood.
import { Command, CommanderError } from 'commander';
import { LecternError, StartupError } from '../errors.ts';
import type { Runtime } from './runtime.ts';

/** In the order of the help. Each loads what it needs by itself: to load all of them takes longer than most of them run. */
const commands: Readonly<Record<string, () => Promise<(runtime: Runtime) => Command>>> = {
  serve: async () => (await import('./serve.ts')).serveCommand,
  user: async () => (await import('./user.ts')).userCommand,
  token: async () => (await import('./token.ts')).tokenCommand,
  jobs: async () => (await import('./jobs.ts')).jobsCommand,
  library: async () => (await import('./library.ts')).libraryCommand,
  reinflate: async () => (await import('./reinflate.ts')).reinflateCommand,
  search: async () => (await import('./search.ts')).searchCommand,
  ask: async () => (await import('./ask.ts')).askCommand,
  mcp: async () => (await import('./mcp.ts')).mcpCommand,
  import: async () => (await import('./import.ts')).importCommand,
  export: async () => (await import('./export.ts')).exportCommand,
  sync: async () => (await import('./sync.ts')).syncCommand,
  highlights: async () => (await import('./highlights.ts')).highlightsCommand,
  mirror: async () => (await import('./mirror.ts')).mirrorCommand,
  admin: async () => (await import('./admin.ts')).adminCommand,
};

export const commandNames: readonly string[] = Object.keys(commands);

export async function runCommandLine(runtime: Runtime, args: readonly string[]): Promise<number> {
  try {
    await (await program(runtime, args[0])).parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (error instanceof StartupError || error instanceof LecternError) {
      runtime.stderr.write(`${error.message}\n`);
      return error instanceof StartupError ? error.exitCode : 1;
    }
    // Ctrl-C: at a question, or in the middle of what heeds it.
    const { code, name } = error as { code?: unknown; name?: unknown };
    if (code === 'ABORT_ERR' || name === 'AbortError') return 130;
    throw error;
  }
}

/** With the command that is asked for alone; with all of them when it is none of them, for help and for what is misspelt. */
async function program(runtime: Runtime, asked = ''): Promise<Command> {
  const root = new Command('lectern')
    .description('Lectern: the self-hosted library for everything you read.')
    .version(runtime.version)
    .addHelpText('after', help);
  const wanted = Object.hasOwn(commands, asked) ? [asked] : commandNames;
  for (const name of wanted) {
    const create = await commands[name]?.();
    if (create) root.addCommand(create(runtime));
  }
  for (const command of withSubcommands(root)) {
    command.exitOverride().configureOutput({
      writeOut: (text) => runtime.stdout.write(text),
      writeErr: (text) => runtime.stderr.write(text),
    });
    command.showHelpAfterError('Run it with --help to see how it is used.');
  }
  return root;
}

function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)];
}

const help = `
Examples:
  lectern serve                                   start on http://127.0.0.1:8484
  lectern user add anna                           add a user, asking for the password
  lectern token create --name phone --scope write make a password for a reader app
  lectern token list --json                       the same for programs
  lectern jobs list --state dead                  what could not be done, and why
  lectern import opml feeds.opml --dry-run        what would come of another reader's feeds?
  lectern library check                           verify every file of the library
  lectern library repair                          write damaged segments again from the index
  lectern reinflate                               rebuild the index from the library
  lectern search heron tag:birds after:2025       find it again
  lectern search rebuild                          make the index of search new, while it answers
  lectern ask who built the lighthouse            an answer from your library, with its sources
  lectern mcp                                     lend the library to an assistant that starts it
  lectern import reedme reedme.db                 bring in what ReedMe or Fusion has kept
  lectern import kindle "My Clippings.txt"        bring in the highlights of a Kindle
  lectern export highlights -o highlights.md      all highlights as one document
  lectern sync research --db research.db          bring highlights in step with Research
  lectern mirror status                           where the mirror of Raindrop stands
  lectern admin feed add https://example.org/rss  have the deframer weigh and set a feed anew

Settings come from the environment: LECTERN_HOME (./data), LECTERN_PORT (8484),
LECTERN_DATABASE_URL, LECTERN_PASSWORD and more; README.md lists them.
`;
