// A real browser for tests. A page that logs an error, breaks its policy or throws fails the test that opened it.
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type LaunchOptions,
  type Page,
} from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest';
import { desktop, launchTestBrowser } from './chromium.ts';
import { isDeep } from './depth.ts';
import { until } from './until.ts';

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

/** The browser of the run (browser-setup.ts), or with `launch` options a browser for the calling file only. */
export function useBrowser(launch?: LaunchOptions): TestBrowser {
  let browser: Browser | undefined;
  const contexts = new Map<BrowserContext, string[]>();
  const running = () => {
    if (!browser) throw new Error('the browser is there within tests alone');
    return browser;
  };

  beforeAll(async () => {
    const endpoint = launch ? undefined : inject('browserEndpoint');
    browser = endpoint ? await chromium.connect(endpoint) : await launchTestBrowser(launch);
  });
  afterEach(async () => {
    const ended = [...contexts];
    contexts.clear();
    await Promise.all(ended.map(([context]) => context.close()));
    expect(ended.flatMap(([, problems]) => problems)).toEqual([]);
  });
  afterAll(() => browser?.close());

  const open = async ({ expecting = [], ...options }: OpenOptions = {}) => {
    const context = await running().newContext({
      viewport: desktop,
      locale: 'en-GB',
      timezoneId: 'UTC',
      // Each context would install the service worker and its files, which doubles the CPU time of a test.
      serviceWorkers: isDeep ? 'allow' : 'block',
      ...options,
    });
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

/**
 * Expects that a page repeats its requests to `prefix` while it is visible, and sends none while it is hidden. `open` loads the page.
 * Requests are counted in the page, since the test process learns of them late, and only this function moves the page's clock.
 * A poll is complete when the page has read the answers and set the timer of the next poll.
 */
export async function expectPolling(
  page: Page,
  poll: { prefix: string; intervalMs: number; requests: number },
  open: () => Promise<void>,
) {
  const { prefix, intervalMs, requests } = poll;
  // Before the script below, which wraps the timers of this clock.
  await page.clock.install();
  await page.addInitScript(`{
    const send = window.fetch;
    const later = window.setTimeout;
    Object.assign(window, { asked: 0, askedBeforeTimer: 0 });
    window.fetch = (path, options) => {
      if (path.startsWith('${prefix}')) window.asked += 1;
      return send(path, options);
    };
    window.setTimeout = (run, ms, ...values) => {
      if (ms === ${intervalMs}) window.askedBeforeTimer = window.asked;
      return later(run, ms, ...values);
    };
  }`);
  const asked = () => page.evaluate('window.asked') as Promise<number>;
  const settle = () =>
    until('the next poll is planned', () =>
      page.evaluate('window.asked > 0 && window.asked === window.askedBeforeTimer'),
    );
  const setHidden = (hidden: boolean) =>
    page.evaluate(`Object.defineProperty(document, 'hidden', { configurable: true, value: ${hidden} });
      document.dispatchEvent(new Event('visibilitychange'))`);

  await open();
  // Far enough ahead that a busy machine does not get there first.
  await page.clock.pauseAt(((await page.evaluate('Date.now()')) as number) + 60_000);
  await settle();
  const before = await asked();
  await page.clock.runFor(intervalMs + 100);
  expect(await asked()).toBe(before + requests);
  await settle();
  await page.clock.runFor((intervalMs * 5) / 6);
  expect(await asked()).toBe(before + requests);
  await page.clock.runFor(intervalMs / 3);
  expect(await asked()).toBe(before + 2 * requests);
  await settle();

  await setHidden(true);
  await page.clock.runFor(300_000);
  expect(await asked()).toBe(before + 2 * requests);
  await setHidden(false);
  expect(await asked()).toBe(before + 3 * requests);
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
