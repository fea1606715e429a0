// The main content of a page: what its reader came for, without what the site puts around it.
import { plainText } from '../../html/plain-text.ts';
import { type Box, readBoxes } from './box.ts';
import { chooseBox } from './choose-box.ts';
import { dropFurniture } from './drop-furniture.ts';
import { dropRepeats } from './drop-repeats.ts';
import { dropSections } from './drop-sections.ts';
import { type LinkedNode, readLinkedData } from './linked-data.ts';
import { measure } from './measure.ts';
import type { Document } from './page-document.ts';
import { type PageKind, type PageSigns, readSigns, saidKind, seenKind } from './page-kind.ts';
import { findDescription, productDescription } from './product.ts';
import { pruneByKind } from './prune-by-kind.ts';
import { writeBoxes } from './write-boxes.ts';

export interface ExtractedContent {
  /** Not sanitised, with addresses as the page has them. */
  readonly html: string;
  readonly text: string;
  readonly kind: PageKind;
}

/** Less of the page than this is no content, but what was left when the content was taken for something else. */
const leastShare = 0.12;

export function extractContent(document: Document, url: string): ExtractedContent {
  const linked = readLinkedData(document);
  const signs = readSigns(document, url, linked);
  const page = readMeasured(document);
  const least = leastShare * weightOf(page);
  const content = extract(page, signs, 'all');
  const described = content.kind === 'product' ? describe(document, linked, content) : undefined;
  if (described) return described;
  return content.text.length < least ? extract(readMeasured(document), signs, 'plain') : content;
}

function extract(page: Box, signs: PageSigns, rules: 'all' | 'plain'): ExtractedContent {
  const said = saidKind(signs);
  dropFurniture(page, said ?? 'service', rules);
  const kind = said ?? seenKind(page, signs);
  if (rules === 'all') {
    pruneByKind(page, kind);
    if (kind !== 'documentation' && kind !== 'service') dropRepeats(page);
    if (kind !== 'collection') dropSections(page, kind);
  }
  return { ...written(chooseBox(page, kind)), kind };
}

/** Where the description is less of the text than this, it is only a part of what the page says of the product. */
const leastDescribed = 0.25;

/** What a shop tells search engines is the text of the product, where the page has that and a lot besides. */
function describe(
  document: Document,
  linked: readonly LinkedNode[],
  { text }: ExtractedContent,
): ExtractedContent | undefined {
  const description = productDescription(linked);
  if (!description) return undefined;
  const share = description.text.length / text.length;
  if (share < leastDescribed) return undefined;
  const box = findDescription(readMeasured(document), description);
  const shown = box ? written(box) : description;
  return { ...(shown.text.length < 2 * description.text.length ? shown : description), kind: 'product' };
}

function written(box: Box): { html: string; text: string } {
  const html = writeBoxes(box);
  return { html, text: plainText(html) };
}

function readMeasured(document: Document): Box {
  const page = readBoxes(document);
  measure(page);
  return page;
}

/** Letters outside of paragraphs count little: most are in menus. */
function weightOf(page: Box): number {
  return page.prose + 0.15 * (page.chars - page.prose);
}
