// A browser that takes pictures of pages of a small internet on the loopback, and what is left of it afterwards.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { createScreenshots, type ScreenshotOptions } from '../../src/items/screenshot/take-screenshot.ts';
import { browserProgram } from './chromium.ts';
import { temporaryFolder } from './library.ts';
import { createWorld } from './outbound.ts';

export async function createPictures(over: Partial<ScreenshotOptions> = {}) {
  const world = createWorld({ now: Date.now });
  const browser = browserProgram(await temporaryFolder());
  // Chromium makes a socket in it, whose path may have at most 107 characters: the folder for temporary files of a run may
  // be too deep.
  const folder = mkdtempSync('/tmp/lectern-');
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const isRoot = process.getuid?.() === 0;
  const screenshots = createScreenshots({
    browser,
    outbound: world.outbound,
    isRoot,
    temporaryFolder: folder,
    ...over,
  });
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());
  return {
    world,
    browser,
    folder,
    stopping,
    take: (url: string) => screenshots.take({ url, signal: stopping.signal }),
    /** Its folders and processes. */
    leftBehind: () => [...readdirSync(folder), ...processesOf(folder)],
  };
}

/** The size that stands at the beginning of a PNG. */
export function sizeOfPng(png: Uint8Array): { width: number; height: number } {
  const view = Buffer.from(png);
  return { width: view.readUInt32BE(16), height: view.readUInt32BE(20) };
}

export function processesOf(folder: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(folder);
    } catch {
      return false;
    }
  });
}
