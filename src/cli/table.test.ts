import { describe, expect, it } from 'vitest';
import type { Runtime } from './runtime.ts';
import { printRows, table } from './table.ts';

const rows = [
  { id: 1, name: 'a name that goes on and on and on', scope: 'read' },
  { id: 22, name: 'short', scope: 'write' },
];

describe('a table', () => {
  it('lines its columns up', () => {
    expect(table(rows, 80).split('\n')).toEqual([
      'ID  NAME                               SCOPE',
      '1   a name that goes on and on and on  read',
      '22  short                              write',
    ]);
  });

  it('lets no name speak to the terminal', () => {
    const text = table([{ name: 'x\u001b[31m\u001b]0;owned\u0007\nid' }], 80);
    expect(text).toBe('NAME\nx\ufffd[31m\ufffd]0;owned\ufffd\ufffdid');
  });

  it.each([60, 40, 30, 20])('fits a terminal of %i columns', (width) => {
    for (const line of table(rows, width).split('\n')) expect(line.length).toBeLessThanOrEqual(width);
  });

  const widest = (stdout: object, width?: number) => {
    let text = '';
    const write = (more: string) => (text += more);
    const runtime = { stdout: { ...stdout, write } } as unknown as Pick<Runtime, 'stdout'>;
    printRows(runtime, rows, { empty: '', ...(width !== undefined && { width }) });
    return Math.max(...text.split('\n').map((line) => line.length));
  };

  it('is as wide as it is where there is no terminal, unless a width is given', () => {
    expect(widest({ isTTY: false })).toBe(44);
    expect(widest({ isTTY: false }, 30)).toBe(30);
    expect(widest({ isTTY: true, columns: 40 }, 30)).toBe(40);
  });
});
