// Grids and lists of cards: many boxes of one build, each of which is about something that has a page of its own.
import type { Box } from './box.ts';
import { topDown } from './measure.ts';

const minCards = 4;
const maxCardChars = 900;

export interface Grid {
  readonly box: Box;
  readonly cards: readonly Box[];
  readonly priced: boolean;
}

const price = /[$€£¥₹]\s?\d|\d\s?(?:[$€£¥₹]|kr\b|zł|USD|EUR|GBP)/;

export function findGrids(root: Box): Grid[] {
  const grids: Grid[] = [];
  for (const box of topDown(root)) {
    if (box.children.length < minCards || box.links < minCards) continue;
    const groups = new Map<string, Box[]>();
    for (const child of box.children) {
      if (typeof child === 'string' || child.chars === 0) continue;
      const key = buildOf(child);
      const group = groups.get(key);
      if (group) group.push(child);
      else groups.set(key, [child]);
    }
    for (const cards of groups.values()) {
      if (cards.length < minCards) continue;
      const linked = cards.filter((card) => card.links > 0 || card.tag === 'a').length;
      const chars = cards.reduce((sum, card) => sum + card.chars, 0);
      if (linked < 0.8 * cards.length || chars > maxCardChars * cards.length) continue;
      const images = cards.filter((card) => card.images > 0).length;
      const headed = cards.filter(hasHeading).length;
      if (images < 0.6 * cards.length && headed < 0.6 * cards.length) continue;
      grids.push({ box, cards, priced: isPriced(cards) });
    }
  }
  return grids;
}

/** Tag and classes, without the numbers that tell one from the next. */
export function buildOf(box: Box): string {
  return `${box.tag} ${(box.attributes.get('class') ?? '').replace(/\d+/g, '')}`.slice(0, 60);
}

function isPriced(cards: readonly Box[]): boolean {
  const sample = cards.slice(0, 12);
  return sample.filter((card) => topDown(card).some((box) => hasPrice(box))).length > sample.length / 2;
}

function hasPrice(box: Box): boolean {
  return box.children.some((child) => typeof child === 'string' && child.length < 200 && price.test(child));
}

function hasHeading(card: Box): boolean {
  return topDown(card).some((box) => /^h[1-6]$/.test(box.tag));
}
