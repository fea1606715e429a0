// Text to a tree, in one pass and without giving up: feeds are broken in every way, and readers are expected to
// show them all the same. A tag that is never closed ends with its parent, an end tag without a beginning is passed
// over, and a document that stops in the middle ends there. Characters that XML forbids are no obstacle here, and are
// removed from each field once it is cut to size.
import { limits } from '../limits.ts';
import { endOfDeclaration } from './declaration.ts';
import { readDoctype } from './doctype.ts';
import { adoptRoot, declare, type Scope, shortNameOf } from './namespaces.ts';
import { type DecodeReferences, newReferenceDecoder } from './references.ts';
import { readTag } from './tag.ts';
import { voidElements, type XmlElement } from './xml-element.ts';

interface Open {
  readonly element: XmlElement;
  readonly tag: string;
  readonly scope: Scope;
}

const noScope: Scope = new Map();
const roots = new Set(['rss', 'feed', 'rdf', 'channel']);
const entryNames = new Set(['item', 'entry']);

/** The document; its children are what stands at the top. */
export function readXml(text: string): XmlElement {
  const document: XmlElement = { ns: '', name: '#document', attributes: [], children: [], parent: undefined };
  const open: Open[] = [{ element: document, tag: '', scope: noScope }];
  let decode: DecodeReferences | undefined;
  let nodes = 0;
  let textStart = 0;
  let at = 0;

  while (at < text.length && nodes < limits.nodes) {
    const start = text.indexOf('<', at);
    if (start < 0) break;
    const end = readMarkup(start);
    at = end ?? start + 1;
    // A stray `<` stays in the text that it stands in.
    if (end !== undefined) textStart = end;
  }
  if (nodes < limits.nodes) addText(text.slice(textStart), true);
  return document;

  /** Reads what begins at this `<`, and says where it ends; undefined if it is only a character. */
  function readMarkup(start: number): number | undefined {
    const tag = readTag(text, start);
    if (tag === undefined && !/[!?]/.test(text[start + 1] ?? '')) return undefined;
    if (start > textStart) addText(text.slice(textStart, start), true);
    if (tag?.kind === 'end') closeTag(tag.name);
    else if (tag?.kind === 'start') openTag(tag.name, tag.attributes, tag.selfClosing);
    return tag?.end ?? readDeclaration(start);
  }

  /** `<!...` or `<?...` */
  function readDeclaration(start: number): number {
    if (text.startsWith('<![CDATA[', start)) {
      const end = text.indexOf(']]>', start + 9);
      addText(text.slice(start + 9, end < 0 ? text.length : end), false);
      return end < 0 ? text.length : end + 3;
    }
    if (decode === undefined && /^<!doctype/i.test(text.slice(start, start + 9))) {
      const { end, declared } = readDoctype(text, start);
      decode = newReferenceDecoder(declared);
      return end;
    }
    return endOfDeclaration(text, start);
  }

  function addText(raw: string, encoded: boolean): void {
    const { children } = top().element;
    // Blank text between elements is most of a tree's nodes, and nobody reads it.
    if (raw.length < 200 && children.length === 0 && raw.trim() === '') return;
    const value = encoded ? decoded(raw) : raw;
    if (value === '') return;
    nodes++;
    children.push(value);
  }

  /** A document type comes before any text that needs it, or not at all. */
  function decoded(raw: string): string {
    if (!raw.includes('&')) return raw;
    decode ??= newReferenceDecoder(new Map());
    return decode(raw);
  }

  function openTag(tag: string, rawAttributes: readonly string[], selfClosing: boolean): void {
    // Attributes cost memory too.
    nodes += 1 + rawAttributes.length / 4;
    const colon = tag.indexOf(':');
    const name = tag.slice(colon + 1).toLowerCase();
    if (entryNames.has(name)) closeForgotten(tag);
    const attributes = rawAttributes.map((part, index) =>
      index % 2 === 0 ? part.toLowerCase() : decoded(part),
    );
    const parent = top();
    const prefix = colon < 0 ? '' : tag.slice(0, colon).toLowerCase();
    let scope = declare(parent.scope, attributes);
    if (roots.has(name) && parent.element === document) scope = adoptRoot(scope, prefix);
    const element: XmlElement = {
      ns: shortNameOf(scope, prefix),
      name,
      attributes,
      children: [],
      parent: parent.element,
    };
    parent.element.children.push(element);
    const isVoid = selfClosing || (voidElements.has(name) && colon < 0);
    if (!isVoid && open.length <= limits.depth) open.push({ element, tag, scope });
  }

  /** An entry inside an entry: the first was never closed. Inside of a text it would be part of that text. */
  function closeForgotten(tag: string): void {
    for (let depth = open.length - 1; depth > 0; depth--) {
      const { element, tag: opened } = open[depth] as Open;
      if (element.name === 'content' || element.name === 'description' || element.name === 'encoded') return;
      if (opened === tag) {
        open.length = depth;
        return;
      }
    }
  }

  function closeTag(tag: string): void {
    for (let depth = open.length - 1; depth > 0; depth--) {
      const opened = open[depth] as Open;
      if (opened.tag === tag || opened.tag.toLowerCase() === tag.toLowerCase()) {
        open.length = depth;
        return;
      }
    }
  }

  function top(): Open {
    return open[open.length - 1] as Open;
  }
}
