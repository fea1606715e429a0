// The feeds of the deframer, for a person and for a program.
import type { DeframerFeedState } from '../model/deframer.ts';
import type { Runtime } from './runtime.ts';
import { printable, printableJson, shortTime, table, widthOf } from './table.ts';

const usualWidth = 80;
const shortIdLength = 8;

export function printFeeds(
  { stdout }: Pick<Runtime, 'stdout'>,
  feeds: readonly DeframerFeedState[],
  { json, deleted }: { json: boolean; deleted: boolean },
): void {
  if (json) stdout.write(`${printableJson(feeds.map(toJson))}\n`);
  else if (feeds.length > 0) stdout.write(`${feedTable(feeds, widthOf(stdout, usualWidth))}\n`);
  else if (deleted) stdout.write('No feed was deleted.\n');
  else stdout.write('There is no feed yet. Add one with: lectern admin feed add URL\n');
}

/**
 * Address and error stand below the row of their feed: beside the other columns, 80 characters would leave a dozen to
 * each of them, which nobody could tell apart.
 */
export function feedTable(feeds: readonly DeframerFeedState[], width: number): string {
  const [head = '', ...rows] = table(feeds.map(toRow), width).split('\n');
  const below = feeds.map(({ url, lastError, lastNote }) => [
    cut(`  ${printable(url)}`, width),
    ...(lastError === null ? [] : wrapped(`last_error: ${printable(lastError)}`, width - 2)),
    ...(lastNote === null ? [] : wrapped(`note: ${printable(lastNote)}`, width - 2)),
  ]);
  return [head, ...rows.flatMap((row, n) => [row, ...(below[n] ?? [])])].join('\n');
}

function toRow(feed: DeframerFeedState) {
  return {
    id: feed.id.slice(0, shortIdLength),
    enabled: feed.enabled ? 'yes' : 'no',
    polling: feed.polling ? 'yes' : 'no',
    next_run_at: nextRun(feed),
    root_domain: feed.rootDomain ?? '-',
  };
}

function nextRun({ isRunning, nextRunAt }: DeframerFeedState): string {
  if (isRunning) return 'running';
  return nextRunAt === null ? 'never' : shortTime(nextRunAt);
}

function toJson(feed: DeframerFeedState) {
  return {
    id: feed.id,
    url: feed.url,
    enabled: feed.enabled,
    polling: feed.polling,
    root_domain: feed.rootDomain,
    next_run_at: feed.nextRunAt === null ? null : new Date(feed.nextRunAt).toISOString(),
    last_error: feed.lastError,
  };
}

function cut(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, width - 1)}…` : text;
}

function wrapped(text: string, width: number): string[] {
  const lines = [''];
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1) ?? '';
    const longer = line === '' ? word : `${line} ${word}`;
    if (longer.length <= width) lines[lines.length - 1] = longer;
    else lines.push(cut(word, width));
  }
  return lines.map((line) => `  ${line}`);
}
