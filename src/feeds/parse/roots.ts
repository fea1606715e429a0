// Where in a document the feed is. It should be the outermost element, but servers print warnings before it.
import { limits } from './limits.ts';
import { elements, type XmlElement } from './xml/xml-element.ts';

const rootNames = new Set(['rss', 'feed', 'rdf', 'channel']);
const searchDepth = 4;

export function findRoot(document: XmlElement): XmlElement | undefined {
  let level = elements(document);
  for (let depth = 0; depth < searchDepth; depth++) {
    // A page may show a feed's source, but is none.
    const found = level.find(({ name }) => rootNames.has(name) || name === 'html');
    if (found) return found.name === 'html' ? undefined : found;
    level = level.flatMap(elements);
  }
  return undefined;
}

const entryNames = new Set(['item', 'entry']);

/** Every entry, by either name and wherever a misplaced end tag has put it; none inside of another. */
export function collectEntries(document: XmlElement): XmlElement[] {
  const found: XmlElement[] = [];
  const visit = (parent: XmlElement, depth: number): void => {
    for (const child of parent.children) {
      if (found.length >= limits.entries) return;
      if (typeof child === 'string') continue;
      if (entryNames.has(child.name) && (child.ns === '' || child.ns === 'atom')) found.push(child);
      else if (depth < searchDepth) visit(child, depth + 1);
    }
  };
  visit(document, 0);
  return found;
}
