// Takes out lines that stand there for the second time: posts that are quoted below, and texts that a page has once for
// small screens and once for large ones.
import type { Box } from './box.ts';
import { bottomUp, boxText, countChars, isBlock, measure, topDown } from './measure.ts';

/** Shorter ones may well be meant twice. */
const minChars = 30;

export function dropRepeats(root: Box): void {
  const withBlocks = new Set<Box>();
  for (const box of bottomUp(root)) {
    if (box.parent && (isBlock(box) || withBlocks.has(box))) withBlocks.add(box.parent);
  }
  const endsLine = (child: Box) => child.tag === 'br' || isBlock(child) || withBlocks.has(child);
  const seen = new Set<string>();
  for (const box of topDown(root)) {
    if (box.chars >= minChars && (isBlock(box) || withBlocks.has(box))) dropLines(box, endsLine, seen);
  }
  measure(root);
}

function dropLines(box: Box, endsLine: (child: Box) => boolean, seen: Set<string>): void {
  const kept: Box['children'] = [];
  let line: Box['children'] = [];
  const endLine = () => {
    const text = line
      .map((part) => (typeof part === 'string' ? part : boxText(part)))
      .join('')
      .replace(/\s+/g, ' ')
      .trim();
    if (!seen.has(text)) kept.push(...line);
    if (countChars(text) >= minChars) seen.add(text);
    line = [];
  };
  for (const child of box.children) {
    if (typeof child === 'object' && endsLine(child)) {
      endLine();
      kept.push(child);
    } else line.push(child);
  }
  endLine();
  box.children = kept;
}
