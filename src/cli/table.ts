// Rows for a person at a terminal, or the same rows as JSON for a program.
import type { Runtime } from './runtime.ts';

type Cell = string | number;

/**
 * Prints `rows` as a table that fits the terminal, or with `json` as one JSON array. Where there is no terminal, it is
 * as wide as `width`.
 */
export function printRows<T extends Record<string, Cell>>(
  { stdout }: Pick<Runtime, 'stdout'>,
  rows: readonly T[],
  options: { json?: boolean | undefined; empty: string; width?: number },
): void {
  if (options.json) {
    stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
  } else if (rows.length === 0) {
    stdout.write(`${options.empty}\n`);
  } else {
    stdout.write(`${table(rows, widthOf(stdout, options.width))}\n`);
  }
}

export function widthOf(stdout: Runtime['stdout'], otherwise = Number.POSITIVE_INFINITY): number {
  return stdout.isTTY ? stdout.columns : otherwise;
}

export function table(rows: readonly Record<string, Cell>[], width: number): string {
  const names = Object.keys(rows[0] ?? {});
  const lines = [
    names.map((name) => name.toUpperCase()),
    ...rows.map((row) => names.map((name) => printable(row[name]))),
  ];
  const widths = shrink(
    names.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))),
    width - 2 * (names.length - 1),
  );
  return lines
    .map((line) =>
      line
        .map((cell, column) => pad(cell, widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Takes what is too much from the widest columns. */
function shrink(widths: number[], available: number): number[] {
  const result = [...widths];
  let excess = result.reduce((sum, width) => sum + width, 0) - available;
  while (excess > 0) {
    const widest = result.indexOf(Math.max(...result));
    if ((result[widest] ?? 0) <= 4) break;
    result[widest] = (result[widest] ?? 0) - 1;
    excess -= 1;
  }
  return result;
}

function pad(cell: string, width: number): string {
  return cell.length > width ? `${cell.slice(0, width - 1)}…` : cell.padEnd(width);
}

/** 2026-03-12 14:05, in the time zone of the machine. */
export function shortTime(millis: number): string {
  const at = new Date(millis);
  const two = (n: number) => String(n).padStart(2, '0');
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

/** A name may have been chosen by somebody else: nothing in it may speak to the terminal, or turn its line around. */
export function printable(cell: Cell | undefined): string {
  return String(cell).replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
}

/** The same for a program, which reads it as it was. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(
    /[\x7f-\x9f\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
