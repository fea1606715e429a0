// Counts text and links of every box, from the leaves up.
import { blockElements } from '../../html/html-names.ts';
import type { Box } from './box.ts';

/** Shorter paragraphs are labels, buttons and entries of menus as often as sentences. */
const proseChars = 70;
const proseLinkShare = 0.4;

const blocks = new Set([
  ...blockElements,
  ...'body button caption dd dt fieldset form li noscript summary tbody td tfoot th thead tr'.split(' '),
]);

export function isBlock(box: Box): boolean {
  return blocks.has(box.tag);
}

export function measure(root: Box): void {
  for (const box of bottomUp(root)) {
    box.chars = 0;
    box.linkChars = 0;
    box.prose = 0;
    box.links = box.tag === 'a' ? 1 : 0;
    box.images = box.tag === 'img' ? 1 : 0;
    box.titled = false;
    // The text that stands in the box itself, as one paragraph.
    let ownChars = 0;
    let ownLinkChars = 0;
    for (const child of box.children) {
      if (typeof child === 'string') {
        const chars = countChars(child);
        box.chars += chars;
        ownChars += chars;
        continue;
      }
      box.chars += child.chars;
      box.linkChars += child.linkChars;
      box.links += child.links;
      box.images += child.images;
      if (child.titled) box.titled = true;
      if (isBlock(child) || child.prose > 0) box.prose += child.prose;
      else {
        ownChars += child.chars;
        ownLinkChars += child.linkChars;
      }
    }
    if (box.tag === 'h1' && box.chars > 0) box.titled = true;
    if (box.tag === 'a') box.linkChars = box.chars;
    if (isBlock(box) && ownChars >= proseChars && ownLinkChars < proseLinkShare * ownChars)
      box.prose += ownChars;
  }
}

/** Every box after those in it. */
export function bottomUp(root: Box): Box[] {
  return topDown(root).reverse();
}

/** Every box before those in it, in the order of the page. */
export function topDown(root: Box): Box[] {
  const found: Box[] = [];
  const waiting: Box[] = [root];
  for (let box = waiting.pop(); box; box = waiting.pop()) {
    found.push(box);
    for (let at = box.children.length - 1; at >= 0; at--) {
      const child = box.children[at];
      if (typeof child === 'object') waiting.push(child);
    }
  }
  return found;
}

/** A character of Chinese or Japanese says as much as several letters. */
export function countChars(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code > 32 && code !== 160) count += code >= 0x2e80 && code < 0xd800 ? 3 : 1;
  }
  return count;
}

export function boxText(root: Box): string {
  const parts: string[] = [];
  const waiting: (Box | string)[] = [root];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next === 'string') parts.push(next);
    else {
      if (isBlock(next)) parts.push(' ');
      for (let at = next.children.length - 1; at >= 0; at--) waiting.push(next.children[at] ?? '');
    }
  }
  return parts.join('').replace(/\s+/g, ' ').trim();
}
