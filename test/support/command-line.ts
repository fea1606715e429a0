// One command in this process. It costs a few milliseconds; a process of its own costs half a second of CPU time.
import { Readable, Writable } from 'node:stream';
import { runCommandLine } from '../../src/cli/command-line.ts';
import { readConfig } from '../../src/config.ts';
import { testRuntime } from './test-runtime.ts';

export interface CommandOptions {
  /** The complete environment of the command. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin?: string;
}

export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export async function runCli(
  args: readonly string[],
  { env, stdin = '' }: CommandOptions,
): Promise<CommandResult> {
  const [stdout, stderr] = [new Collector(), new Collector()];
  const runtime = testRuntime({
    entry: '',
    readConfig: () => readConfig(env),
    stdin: Readable.from([Buffer.from(stdin)]) as NodeJS.ReadStream,
    stdout: stdout as Writable as NodeJS.WriteStream,
    stderr: stderr as Writable as NodeJS.WriteStream,
  });
  const code = await runCommandLine(runtime, args);
  return { code, stdout: stdout.text, stderr: stderr.text };
}

/** An output stream that is not a terminal. */
class Collector extends Writable {
  text = '';

  constructor() {
    super({ decodeStrings: false });
  }

  override _write(chunk: string | Uint8Array, _encoding: string, done: () => void): void {
    this.text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8');
    done();
  }
}
