// The ways of stopping a server that stops.ts tries.
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../', import.meta.url));
export const program = join(root, 'src', 'main.ts');
const launcher = join(root, 'bin', 'lectern');

/** Runs a program in a terminal. On stdin, `c` types Ctrl-C and `h` closes the terminal. */
const terminal = `
import os, pty, select, sys
pid, master = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
inputs = [master, 0]
while True:
    ready = select.select(inputs, [], [])[0]
    if 0 in ready:
        typed = os.read(0, 1)
        if typed == b'c': os.write(master, b'\\x03')
        if typed == b'h':
            os.close(master)
            break
        if typed == b'': inputs.remove(0)
    if master in ready:
        try: shown = os.read(master, 65536)
        except OSError: break
        if not shown: break
        os.write(1, shown)
code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
sys.exit(code if code >= 0 else 128 - code)
`;

export type Command = readonly [string, ...string[]];
const direct: Command = ['node', launcher, 'serve'];
const npm: Command = ['npm', 'start'];
const inTerminal = (command: Command): Command => ['python3', '-c', terminal, ...command];

/** A running server, as a way of stopping it sees it. */
export interface Stoppable {
  /** On the terminal: `c` is Ctrl-C, `h` closes it. */
  type(key: 'c' | 'h'): void;
  signal(signal: NodeJS.Signals): void;
  signalGroup(signal: NodeJS.Signals): void;
  /** The API alone, for a server that a launcher does not start. */
  signalServer(signal: NodeJS.Signals): void;
}

export interface Kind {
  readonly name: string;
  readonly count: number;
  /** Programs that it needs. */
  readonly needs?: readonly string[];
  readonly command: Command;
  readonly library?: 's3';
  /** The signal comes at a random moment of this range, in milliseconds after the server listens or, with `isEarly`, after its start. */
  readonly moment: readonly [number, number];
  readonly isEarly?: true;
  readonly hasJob?: true;
  readonly stop: (server: Stoppable, random: () => number) => Promise<void> | void;
  readonly exitCodes: readonly number[];
  /** Writes acknowledged this long before the kill may be missing. */
  readonly maxLagMs?: number;
}

const anyMoment = [20, 1_500] as const;
export const signalOf = (code: number) => 128 + code;
/** npm reports the signal that it got itself, whatever the server exits with. */
const npmCodes = [0, signalOf(2), signalOf(15)];

export const kinds: readonly Kind[] = [
  {
    name: 'ctrl-c-npm',
    count: 200,
    needs: ['python3', 'npm'],
    command: inTerminal(npm),
    moment: anyMoment,
    stop: (server) => server.type('c'),
    exitCodes: npmCodes,
  },
  {
    name: 'term-group',
    count: 200,
    command: direct,
    moment: anyMoment,
    stop: (server) => server.signalGroup('SIGTERM'),
    exitCodes: [0],
  },
  {
    name: 'ctrl-c',
    count: 30,
    needs: ['python3'],
    command: inTerminal(direct),
    moment: anyMoment,
    stop: (server) => server.type('c'),
    exitCodes: [0],
  },
  {
    name: 'term-process',
    count: 30,
    command: direct,
    moment: anyMoment,
    stop: (server) => server.signal('SIGTERM'),
    exitCodes: [0],
  },
  {
    name: 'term-npm',
    count: 30,
    needs: ['npm'],
    command: npm,
    moment: anyMoment,
    stop: (server) => server.signal('SIGTERM'),
    exitCodes: npmCodes,
  },
  {
    name: 'term-twice',
    count: 30,
    command: direct,
    moment: anyMoment,
    stop: async (server, random) => {
      server.signalGroup('SIGTERM');
      await pause(random() * 1_500);
      server.signalGroup('SIGTERM');
    },
    exitCodes: [0],
  },
  {
    name: 'mixed-signals',
    count: 30,
    command: direct,
    moment: anyMoment,
    stop: async (server, random) => {
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGINT', 'SIGTERM'] as const) {
        server.signalGroup(signal);
        await pause(random() * 100);
      }
    },
    exitCodes: [0],
  },
  {
    name: 'while-starting',
    count: 30,
    command: direct,
    moment: [0, 1_500],
    isEarly: true,
    stop: (server) => server.signalGroup('SIGTERM'),
    // Before a process can catch signals, the signal ends it.
    exitCodes: [0, signalOf(15)],
  },
  {
    name: 'worker-starting',
    count: 30,
    command: direct,
    moment: [0, 600],
    stop: (server) => server.signalGroup('SIGTERM'),
    exitCodes: [0],
  },
  {
    name: 'running-job',
    count: 30,
    command: direct,
    moment: anyMoment,
    hasJob: true,
    stop: (server) => server.signalGroup('SIGTERM'),
    exitCodes: [0],
  },
  {
    // As `docker stop`: the stop must end within 10 s.
    name: 'pid-1',
    count: 30,
    needs: ['unshare'],
    command: ['unshare', '--map-root-user', '--pid', '--fork', process.execPath, program, 'serve'],
    moment: anyMoment,
    hasJob: true,
    stop: (server) => server.signalServer('SIGTERM'),
    exitCodes: [0],
  },
  {
    name: 'closed-terminal',
    count: 30,
    needs: ['python3'],
    command: inTerminal(direct),
    moment: anyMoment,
    stop: (server) => server.type('h'),
    exitCodes: [0],
  },
  {
    name: 'launcher-killed',
    count: 30,
    command: direct,
    moment: anyMoment,
    stop: (server) => server.signal('SIGKILL'),
    exitCodes: [signalOf(9)],
  },
  {
    name: 'term-group-s3',
    count: 30,
    command: direct,
    library: 's3',
    moment: anyMoment,
    stop: (server) => server.signalGroup('SIGTERM'),
    exitCodes: [0],
  },
  {
    name: 'kill-group',
    count: 30,
    command: direct,
    moment: anyMoment,
    stop: (server) => server.signalGroup('SIGKILL'),
    exitCodes: [signalOf(9)],
    maxLagMs: 1_000,
  },
  {
    name: 'kill-group-s3',
    count: 30,
    command: direct,
    library: 's3',
    moment: [20, 20_000],
    stop: (server) => server.signalGroup('SIGKILL'),
    exitCodes: [signalOf(9)],
    maxLagMs: 15_000,
  },
];
