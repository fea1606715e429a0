// A real browser for tests. A page that logs an error, breaks its policy or throws fails the test that opened it.
import type { Browser, BrowserContext, BrowserContextOptions, LaunchOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { desktop, launchBrowser } from './chromium.ts';

export { desktop, phone } from './chromium.ts';

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
    // Long enough for a machine that does much else at the same time.
    context.setDefaultTimeout(40_000);
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

/** Keys that belong together if one follows another soon enough, however slow the machine is at answering to each. */
export async function pressSequence(page: Page, ...keys: string[]): Promise<void> {
  await Promise.all(keys.map((key) => page.keyboard.press(key)));
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
