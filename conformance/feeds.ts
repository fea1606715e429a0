// Runs every case through parseFeed and compares what Lectern keeps. Whatever is not compared is listed with a reason.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ParsedFeed, parseFeed } from '../src/feeds/parse/parse-feed.ts';
import { type Check, compare, servedFrom } from './feed-fields.ts';

const goal = 0.98;

interface Case {
  readonly file: string;
  readonly checks: readonly Check[];
}

export function checkFeeds(directory: string, print: (line: string) => void): number {
  const cases = JSON.parse(readFileSync(join(directory, 'cases.json'), 'utf8')) as Case[];
  let passed = 0;
  const failed: string[] = [];
  const skipped = new Map<string, string[]>();
  for (const { file, checks } of cases) {
    const feed = read(join(directory, file));
    for (const check of checks) {
      const result =
        feed instanceof Error ? { kind: 'failed' as const, actual: feed.message } : compare(feed, check);
      if (result.kind === 'passed') passed++;
      else if (result.kind === 'failed') {
        failed.push(
          `${file} ${check.path.join('.')}\n    expected ${JSON.stringify(check.equals)}\n    found    ${JSON.stringify(result.actual)}`,
        );
      } else skipped.set(result.reason, [...(skipped.get(result.reason) ?? []), check.path.join('.')]);
    }
  }
  return report(print, cases.length, passed, failed, skipped);
}

function read(path: string): ParsedFeed | Error {
  const bytes = readFileSync(path);
  const header = (name: string) =>
    new RegExp(`^Header:\\s+${name}:\\s*(.*)$`, 'mi')
      .exec(bytes.toString('latin1').slice(0, 2000))?.[1]
      ?.trim();
  const location = header('Content-Location') ?? '';
  try {
    return parseFeed({
      bytes,
      contentType: header('Content-Type') ?? null,
      contentLanguage: header('Content-Language') ?? null,
      url: /^https?:/.test(location) ? location : servedFrom,
    });
  } catch (error) {
    return error as Error;
  }
}

function report(
  print: (line: string) => void,
  cases: number,
  passed: number,
  failed: readonly string[],
  skipped: ReadonlyMap<string, readonly string[]>,
): number {
  const compared = passed + failed.length;
  const skippedCount = [...skipped.values()].reduce((sum, paths) => sum + paths.length, 0);
  for (const [reason, paths] of skipped) {
    print(`skipped ${paths.length}: ${reason}`);
    const counts = Map.groupBy(paths, (path) => path);
    for (const [path, times] of [...counts].sort())
      print(`    ${path}${times.length > 1 ? ` x ${times.length}` : ''}`);
  }
  for (const line of failed) print(`failed  ${line}`);
  print(
    `${cases} cases, ${compared + skippedCount} checks: ${passed} passed, ${failed.length} failed, ${skippedCount} skipped`,
  );
  if (compared === 0) {
    print('Nothing was compared.');
    return 2;
  }
  const share = passed / compared;
  print(`${(share * 100).toFixed(1)} % of what is kept; the goal is ${goal * 100} %`);
  return share >= goal ? 0 : 1;
}
