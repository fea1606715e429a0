// Looking for words in what authors call their boxes.
import type { Box } from './box.ts';
import { topDown } from './measure.ts';

export function hintWords(list: string): RegExp {
  return new RegExp(`-(?:${list.trim().split(/\s+/).join('|')})-`);
}

/** Gives a way back. */
export function dropWhere(root: Box, isDropped: (box: Box) => boolean): () => void {
  const before = new Map<Box, Box['children']>();
  for (const box of topDown(root)) {
    const kept = box.children.filter((child) => typeof child === 'string' || !isDropped(child));
    if (kept.length === box.children.length) continue;
    before.set(box, box.children);
    box.children = kept;
  }
  return () => {
    for (const [box, children] of before) box.children = children;
  };
}
