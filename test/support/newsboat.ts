// newsboat, the reader for the terminal: run to its end for a command, or in a terminal of its own, where a test types as a
// person does. `script` of util-linux gives the terminal.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { stripVTControlCharacters } from 'node:util';
import { until } from './until.ts';

export interface CachedArticle {
  readonly guid: string;
  readonly title: string;
  readonly content: string;
  readonly unread: number;
}

export class Newsboat {
  readonly #folder = mkdtempSync(join(tmpdir(), 'lectern-newsboat-'));
  readonly #ended = new AbortController();
  #running: { child: ChildProcess; closed: Promise<unknown> } | undefined;
  #screen = '';

  /** The settings as newsboat's own file has them. */
  constructor(settings: Readonly<Record<string, string>>) {
    const lines = Object.entries(settings).map(([name, value]) => `${name} "${value}"\n`);
    writeFileSync(join(this.#folder, 'config'), lines.join(''));
    writeFileSync(join(this.#folder, 'urls'), '');
  }

  get #args(): string[] {
    const file = (name: string) => join(this.#folder, name);
    return ['-C', file('config'), '-u', file('urls'), '-c', file('cache.db')];
  }

  get #env(): NodeJS.ProcessEnv {
    const terminal = { TERM: 'xterm', LINES: '30', COLUMNS: '100', LC_ALL: 'C.UTF-8' };
    return { PATH: process.env.PATH, HOME: this.#folder, ...terminal };
  }

  /** `-x` and these: what it writes. */
  execute(...commands: string[]): Promise<string> {
    return new Promise((resolve, reject) => {
      const options = { env: this.#env, signal: this.#ended.signal };
      execFile('newsboat', [...this.#args, '-x', ...commands], options, (error, stdout, stderr) =>
        error ? reject(new Error(`${error.message}\n${stdout}${stderr}`)) : resolve(stdout),
      );
    });
  }

  /** What it has kept of the articles that it fetched. */
  cached(): CachedArticle[] {
    const db = new DatabaseSync(join(this.#folder, 'cache.db'), { readOnly: true });
    try {
      return db
        .prepare('SELECT guid, title, content, unread FROM rss_item ORDER BY title')
        .all() as unknown as CachedArticle[];
    } finally {
      db.close();
    }
  }

  open(): void {
    const quoted = ['newsboat', ...this.#args].map((word) => `'${word}'`).join(' ');
    const child = spawn('script', ['--quiet', '--flush', '--command', quoted, '/dev/null'], {
      cwd: this.#folder,
      env: this.#env,
      stdio: 'pipe',
    });
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.#screen += text;
    });
    // It may have ended before it reads what is typed.
    child.stdin.on('error', () => {});
    this.#running = { child, closed: new Promise((resolve) => child.once('close', resolve)) };
  }

  /** Waits for a text to appear that was not there before the last key. */
  async shows(text: string): Promise<void> {
    await until(`newsboat shows "${text}"`, () => this.#shown().includes(text)).catch((error) => {
      throw new Error(`${error.message}\n${this.#shown()}`);
    });
  }

  type(keys: string): void {
    this.#screen = '';
    this.#running?.child.stdin?.write(keys);
  }

  /** As by the key for it. */
  async quit(): Promise<void> {
    this.type('Q');
    await this.#running?.closed;
    this.#running = undefined;
  }

  async end(): Promise<void> {
    this.#ended.abort();
    this.#running?.child.kill('SIGKILL');
    await this.#running?.closed;
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #shown(): string {
    return stripVTControlCharacters(this.#screen);
  }
}
