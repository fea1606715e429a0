// The page as a tree of our own, which is small, quick to walk and free to change: the elements that can be shown, what
// their names say, and how much text and how many links are in each.
import { type Document, elementNode, type PageElement, type PageNode, textNode } from './page-document.ts';

export interface Box {
  readonly tag: string;
  readonly attributes: ReadonlyMap<string, string>;
  /** What the author calls it, from class and id: `-words-between-dashes-`. */
  readonly hint: string;
  readonly parent: Box | undefined;
  children: (Box | string)[];
  /** Characters that are no white space. */
  chars: number;
  /** How many of them are inside of links. */
  linkChars: number;
  /** How many are in paragraphs that somebody wrote to be read. */
  prose: number;
  links: number;
  images: number;
  /** Whether the title of the page is in it. */
  titled: boolean;
}

const none: ReadonlyMap<string, string> = new Map();

/** Never shown, or only by scripts. */
const unseen = new Set(
  `area base canvas datalist frame head input link meta noframes optgroup option param script select style
  textarea title track`.split(/\s+/),
);

export function readBoxes(document: Document): Box {
  const body = document.body;
  const root = emptyBox('body', none, undefined);
  let box = root;
  let node: PageNode | null = body?.firstChild ?? null;
  while (node) {
    let next: PageNode | null = null;
    if (node.nodeType === textNode) addText(box, node.textContent ?? '');
    else if (node.nodeType === elementNode) {
      const child = readElement(node as PageElement, box);
      if (child) {
        box.children.push(child);
        next = node.firstChild;
        if (next) box = child;
      }
    }
    while (!next && node) {
      next = node.nextSibling;
      if (next) break;
      node = node.parentNode;
      if (!node || node === body) return root;
      box = box.parent ?? root;
    }
    node = next;
  }
  return root;
}

/** Their text is for browsers that cannot play. */
const players = new Set(['audio', 'object', 'video']);

/** Longer texts with so many signs are data for a script. */
const dataChars = 1_000;
const dataSigns = 0.06;

function isData(text: string): boolean {
  return text.length > dataChars && (text.match(/[{}[\]":;=\\]/g)?.length ?? 0) > dataSigns * text.length;
}

function addText(box: Box, text: string): void {
  if (players.has(box.tag) || (isData(text) && box.tag !== 'pre' && box.tag !== 'code')) return;
  const last = box.children.length - 1;
  // The parser cuts text at every character reference.
  if (typeof box.children[last] === 'string') box.children[last] += text;
  else if (text !== '') box.children.push(text);
}

function readElement(element: PageElement, parent: Box): Box | undefined {
  const tag = element.localName;
  if (unseen.has(tag)) return undefined;
  let attributes: Map<string, string> | undefined;
  for (const { name, value } of element.attributes) {
    attributes ??= new Map();
    attributes.set(name, value);
  }
  return emptyBox(tag, attributes ?? none, parent);
}

export function emptyBox(tag: string, attributes: ReadonlyMap<string, string>, parent: Box | undefined): Box {
  return {
    tag,
    attributes,
    hint: attributes.size === 0 ? '' : hintOf(attributes),
    parent,
    children: [],
    chars: 0,
    linkChars: 0,
    prose: 0,
    links: 0,
    images: 0,
    titled: false,
  };
}

const maxHint = 300;
/** The rest of a longer name says of what it is a part. */
const maxWords = 3;

function hintOf(attributes: ReadonlyMap<string, string>): string {
  const written = `${attributes.get('id') ?? ''} ${attributes.get('class') ?? ''}`;
  if (written === ' ') return '';
  let hint = '-';
  for (const name of written.slice(0, maxHint).split(/\s+/)) {
    const words = name
      .replace(/([a-z])([A-Z])/g, '$1-$2')
      .toLowerCase()
      .split(/[^a-z0-9]+/)
      .filter((word) => word !== '');
    if (words.length > 0) hint += `${words.slice(-maxWords).join('-')}--`;
  }
  return hint;
}
