// Chromium: from the system, or from npm where the system has none. Tests prefer the headless shell from npm, whose browser
// contexts need a seventh of the CPU time of a system's Chromium, which draws a whole window for each.
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
import { type Browser, type BrowserServer, chromium, type LaunchOptions } from 'playwright-core';

const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));

/** As people see Lectern. TEST_BROWSER=npm, TEST_BROWSER=system or a path overrides every preference here. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch(launchOptions('system'));
}

export function launchTestBrowser(options?: LaunchOptions): Promise<Browser> {
  return chromium.launch(launchOptions('npm', options));
}

/** A test browser that other processes connect to. */
export function launchTestBrowserServer(): Promise<BrowserServer> {
  return chromium.launchServer({ ...launchOptions('npm'), host: '127.0.0.1' });
}

type Source = 'npm' | 'system';

function launchOptions(preferred: Source, options: LaunchOptions = {}): LaunchOptions {
  const system = systemProgram(preferred);
  return {
    ...(system ? { executablePath: system } : npmChromium()),
    ...options,
    // Fonts are drawn alike everywhere, and no process waits for a GPU that a server does not have.
    args: ['--font-render-hinting=none', '--disable-gpu', ...(options.args ?? [])],
  };
}

/** The npm package holds a program for this platform only. */
const hasNpmChromium = process.platform === 'linux' && process.arch === 'x64';

/** Path of the program to use instead of the one from npm. */
function systemProgram(preferred: Source): string | undefined {
  const wanted = process.env.TEST_BROWSER || (hasNpmChromium ? preferred : 'system');
  if (wanted === 'npm') return undefined;
  return wanted === 'system' ? findSystemChromium() : wanted;
}

/** A program that needs no environment: the system's Chromium, which operators use, or else the one from npm. */
export function browserProgram(folder: string): string {
  const system = systemProgram('system');
  if (system) return system;
  const { executablePath, env = {} } = npmChromium();
  const settings = ['FONTCONFIG_FILE', 'LD_LIBRARY_PATH'].map((name) => `export ${name}='${env[name]}'`);
  const script = join(folder, 'browser');
  writeFileSync(script, `#!/bin/sh\n${settings.join('\n')}\nexec '${executablePath}' "$@"\n`, {
    mode: 0o755,
  });
  return script;
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

export const phone = { width: 390, height: 844 };
export const desktop = { width: 1440, height: 900 };
