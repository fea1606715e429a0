// How soon the reader shows something, in a browser that has a quarter of this machine's speed and has never been here
// before. A page that is nothing but text, from the same machine in the same run, says what the browser itself takes.
import { gzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { fillWithDemo } from '../scripts/demo-library.ts';
import { desktop, launchBrowser } from '../test/support/chromium.ts';
import { until } from '../test/support/until.ts';
import { startWebApp, type WebApp } from '../test/support/web-app.ts';

const rounds = 7;
const slowdown = 4;
const goalMs = 1_500;
const goalScriptBytes = 90_000;
/** Beyond it, what moves is noticed. */
const goalShift = 0.1;

interface Visit {
  readonly firstContentMs: number;
  readonly largestContentMs: number;
  readonly firstRowMs: number;
  readonly layoutShift: number;
  readonly scriptBytes: number;
}

const observe = `
  window.measured = { fcp: 0, lcp: 0, cls: 0, row: 0 };
  new PerformanceObserver((list) => {
    for (const { name, startTime } of list.getEntries()) {
      if (name === 'first-contentful-paint') measured.fcp = startTime;
    }
  }).observe({ type: 'paint', buffered: true });
  new PerformanceObserver((list) => {
    for (const { startTime } of list.getEntries()) measured.lcp = startTime;
  }).observe({ type: 'largest-contentful-paint', buffered: true });
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) measured.cls += value;
  }).observe({ type: 'layout-shift', buffered: true });
  const look = () => {
    const row = document.querySelector('a[href*="entry="]') ?? document.querySelector('h1');
    if (row && (location.port !== rowPort || row.matches('a'))) measured.row = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
`;

export async function run(): Promise<boolean> {
  const app = await startWebApp();
  let browser: Browser | undefined;
  try {
    await fillWithDemo(app);
    app.site.put('/plain', {
      type: 'text/html',
      body: '<!doctype html><h1>Plain text</h1><p>And nothing else.',
    });
    browser = await launchBrowser();
    const plain: Visit[] = [];
    const reader: Visit[] = [];
    for (let round = 0; round <= rounds; round++) {
      const both = [
        await visit(browser, app, `${app.site.origin}/plain`),
        await visit(browser, app, app.url),
      ];
      // The first visit warms the server and the disk.
      if (round === 0) continue;
      plain.push(both[0] as Visit);
      reader.push(both[1] as Visit);
    }
    return report(plain, reader);
  } finally {
    await browser?.close();
    await app.close();
  }
}

async function visit(browser: Browser, app: WebApp, url: string): Promise<Visit> {
  const context = await browser.newContext({ viewport: desktop, locale: 'en-GB' });
  try {
    await app.logIn(context);
    await context.addInitScript(`{ const rowPort = ${JSON.stringify(new URL(app.url).port)}; ${observe} }`);
    const page = await context.newPage();
    const cdp = await context.newCDPSession(page);
    await cdp.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
    const scripts: Promise<number>[] = [];
    page.on('response', (response) => {
      if (response.request().resourceType() !== 'script') return;
      scripts.push(response.body().then((body) => gzipSync(body, { level: 9 }).length));
    });
    await page.goto(url);
    // Not waitForFunction, which the policy of the page does not let look again.
    await until('the page has shown what it is about', () =>
      page.evaluate('measured.row > 0 && measured.fcp > 0 && measured.lcp > 0'),
    );
    await page.waitForLoadState('networkidle', { timeout: 3_000 }).catch(() => {});
    const measured = (await page.evaluate('measured')) as Record<'fcp' | 'lcp' | 'cls' | 'row', number>;
    const sizes = await Promise.all(scripts);
    return {
      firstContentMs: measured.fcp,
      largestContentMs: measured.lcp,
      firstRowMs: measured.row,
      layoutShift: measured.cls,
      scriptBytes: sizes.reduce((sum, size) => sum + size, 0),
    };
  } finally {
    await context.close();
  }
}

function report(plain: readonly Visit[], reader: readonly Visit[]): boolean {
  const lines: { what: string; of: (visit: Visit) => number; digits: number; goal?: number }[] = [
    { what: 'first content, ms', of: (visit) => visit.firstContentMs, digits: 0, goal: goalMs },
    { what: 'largest content, ms', of: (visit) => visit.largestContentMs, digits: 0 },
    { what: 'first row of the list, ms', of: (visit) => visit.firstRowMs, digits: 0, goal: goalMs },
    { what: 'layout shift', of: (visit) => visit.layoutShift, digits: 3, goal: goalShift },
    { what: 'JavaScript, bytes of gzip', of: (visit) => visit.scriptBytes, digits: 0, goal: goalScriptBytes },
  ];
  process.stdout.write(
    `the reader on the loopback, first visit, CPU ${slowdown} times slower, median of ${rounds}\n\n` +
      `${''.padEnd(28)}${'plain page'.padStart(12)}${'reader'.padStart(12)}${'slowest'.padStart(12)}  goal\n`,
  );
  return lines
    .map(({ what, of, digits, goal }) => {
      const value = median(reader.map(of));
      const isMet = goal === undefined || value <= goal;
      const verdict = goal === undefined ? '' : `  ${goal} ${isMet ? 'met' : 'MISSED'}`;
      const numbers = [median(plain.map(of)), value, Math.max(...reader.map(of))];
      const cells = numbers.map((number) => number.toFixed(digits).padStart(12)).join('');
      process.stdout.write(`${what.padEnd(28)}${cells}${verdict}\n`);
      return isMet;
    })
    .every(Boolean);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
