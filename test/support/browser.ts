// A real browser for tests: the Chromium of the system, or else the one that npm has brought along. A page that logs
// an error, breaks its policy or throws fails the test that opened it.
import { execFileSync } from 'node:child_process';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type LaunchOptions,
  type Page,
} from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';

const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));

/** TEST_BROWSER=npm leaves the system's browser alone; a path names any other. */
export function launchBrowser(options: LaunchOptions = {}): Promise<Browser> {
  const wanted = process.env.TEST_BROWSER;
  const system = wanted === 'npm' ? undefined : wanted || findSystemChromium();
  return chromium.launch({
    ...(system ? { executablePath: system } : npmChromium()),
    ...options,
    // Fonts are drawn alike everywhere, and no process waits for a GPU that a server does not have.
    args: ['--font-render-hinting=none', '--disable-gpu', ...(options.args ?? [])],
  });
}

function findSystemChromium(): string | undefined {
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Unpacked once for each version, beside everything else that was made from packages. */
function npmChromium(): Pick<LaunchOptions, 'executablePath' | 'env'> {
  const pack = join(modules, '@sparticuz', 'chromium');
  const { version } = JSON.parse(readFileSync(join(pack, 'package.json'), 'utf8'));
  const folder = join(modules, '.cache', `lectern-chromium-${version}`);
  if (!existsSync(folder)) {
    // The package unpacks into the folder for temporary files and takes whatever lies there for whole. Suites run
    // side by side: each unpacks for itself, and the first to have finished gives it the name.
    const fresh = `${folder}.${process.pid}`;
    mkdirSync(fresh, { recursive: true });
    const script = `import { inflate } from '@sparticuz/chromium';
      const parts = ['chromium.br', 'al2023.tar.br', 'fonts.tar.br', 'swiftshader.tar.br'];
      await Promise.all(parts.map((part) => inflate(${JSON.stringify(join(pack, 'bin'))} + '/' + part)));`;
    execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
      cwd: modules,
      env: { PATH: process.env.PATH, TMPDIR: fresh },
    });
    // Its own file of settings names folders that exist in Amazon's cloud; without any font the browser ends itself.
    writeFileSync(
      join(fresh, 'fonts.conf'),
      `<fontconfig><dir>${folder}/fonts</dir><cachedir>${folder}/fonts-cache</cachedir></fontconfig>`,
    );
    try {
      renameSync(fresh, folder);
    } catch (error) {
      rmSync(fresh, { recursive: true, force: true });
      if (!existsSync(folder)) throw error;
    }
  }
  const libraries = [join(folder, 'al2023', 'lib'), process.env.LD_LIBRARY_PATH].filter(Boolean);
  return {
    executablePath: join(folder, 'chromium'),
    env: {
      ...(process.env as Record<string, string>),
      FONTCONFIG_FILE: join(folder, 'fonts.conf'),
      LD_LIBRARY_PATH: libraries.join(':'),
    },
  };
}

export interface OpenOptions extends BrowserContextOptions {
  /** Errors that belong to what is tested. Anything else in the console fails the test. */
  readonly expecting?: readonly RegExp[];
}

export interface TestBrowser {
  /** A context of its own, which ends with the test. */
  context(options?: OpenOptions): Promise<BrowserContext>;
  page(options?: OpenOptions): Promise<Page>;
  readonly browser: Browser;
}

export const phone = { width: 390, height: 844 };
export const desktop = { width: 1440, height: 900 };

/** One browser for the file that calls it. */
export function useBrowser(launch: LaunchOptions = {}): TestBrowser {
  let browser: Browser | undefined;
  const contexts = new Map<BrowserContext, string[]>();
  const running = () => {
    if (!browser) throw new Error('the browser is there within tests alone');
    return browser;
  };

  beforeAll(async () => {
    browser = await launchBrowser(launch);
  });
  afterEach(async () => {
    const ended = [...contexts];
    contexts.clear();
    await Promise.all(ended.map(([context]) => context.close()));
    expect(ended.flatMap(([, problems]) => problems)).toEqual([]);
  });
  afterAll(() => browser?.close());

  const open = async ({ expecting = [], ...options }: OpenOptions = {}) => {
    const context = await running().newContext({ viewport: desktop, locale: 'en-GB', ...options });
    context.setDefaultTimeout(10_000);
    const problems: string[] = [];
    contexts.set(context, problems);
    watch(context, (problem) => {
      if (!expecting.some((pattern) => pattern.test(problem))) problems.push(problem);
    });
    return context;
  };
  return {
    get browser() {
      return running();
    },
    context: open,
    page: async (options) => (await open(options)).newPage(),
  };
}

/** Tells of every error that a page logs, throws, or has against its policy. */
export function watch(context: BrowserContext, report: (problem: string) => void): void {
  context.on('console', (message) => {
    if (message.type() !== 'error') return;
    const { url } = message.location();
    report(`console: ${message.text()} (${url})`);
  });
  context.on('weberror', (error) => report(`thrown: ${error.error().stack ?? error.error().message}`));
  context
    .addInitScript(`document.addEventListener('securitypolicyviolation', (event) => {
      console.error('policy: ' + event.effectiveDirective + ' refused ' + event.blockedURI + ' ' + event.sample);
    });`)
    .catch(() => {});
}
