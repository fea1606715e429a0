// Which open elements a tag ends without saying so: `<li>` ends the `<li>` before it, `<div>` an open paragraph.
import { blockElements } from './html-names.ts';

const cells = ['td', 'th'];
const tableParts = new Set(['table', 'caption', 'colgroup', 'thead', 'tbody', 'tfoot', 'tr', 'td', 'th']);
const rowGroups = ['thead', 'tbody', 'tfoot', 'caption', 'colgroup'];

/** What a start tag ends, and the elements past which it has no effect. */
const endedBy = new Map<string, { ends: readonly string[]; within: readonly string[] }>([
  ['li', { ends: ['li'], within: ['ul', 'ol', 'dir', 'table', ...cells] }],
  ['dt', { ends: ['dt', 'dd'], within: ['dl', 'table', ...cells] }],
  ['dd', { ends: ['dt', 'dd'], within: ['dl', 'table', ...cells] }],
  ['td', { ends: cells, within: ['tr', 'table'] }],
  ['th', { ends: cells, within: ['tr', 'table'] }],
  ['tr', { ends: ['tr', 'caption', 'colgroup'], within: ['table'] }],
  ...rowGroups.map((name) => [name, { ends: rowGroups, within: ['table'] }] as const),
  ['a', { ends: ['a'], within: ['table', ...cells] }],
]);
const paragraph = { ends: ['p'], within: ['table', 'caption', ...cells] };

/** How many of the open elements stay open. */
export function closedByStart(open: readonly string[], name: string): number {
  const rule = endedBy.get(name);
  const depth = rule ? outermost(open, open.length, rule) : open.length;
  return blockElements.has(name) || name === 'li' || name === 'dt' || name === 'dd'
    ? outermost(open, depth, paragraph)
    : depth;
}

export function closedByEnd(open: readonly string[], name: string): number {
  for (let depth = open.length - 1; depth >= 0; depth--) {
    const opened = open[depth] ?? '';
    if (opened === name) return depth;
    // `</div>` in a cell does not end the table around it.
    if (tableParts.has(opened) && !tableParts.has(name)) return open.length;
    if (opened === 'table' && name !== 'table') return open.length;
  }
  return open.length;
}

function outermost(
  open: readonly string[],
  from: number,
  { ends, within }: { ends: readonly string[]; within: readonly string[] },
): number {
  let found = from;
  for (let depth = from - 1; depth >= 0; depth--) {
    const opened = open[depth] ?? '';
    if (ends.includes(opened)) found = depth;
    else if (within.includes(opened)) break;
  }
  return found;
}
