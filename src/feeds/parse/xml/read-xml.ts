// Text to a tree, in one pass and without giving up: feeds are broken in every way, and readers are expected to
// show them all the same. A tag that is never closed ends with its parent, an end tag without a beginning is passed
// over, and a document that stops in the middle ends there. Characters that XML forbids are no obstacle here, and are
// removed from each field once it is cut to size.
import { limits } from '../limits.ts';
import { endOfDeclaration } from './declaration.ts';
import { readDoctype } from './doctype.ts';
import { Namespaces } from './namespaces.ts';
import { type DecodeReferences, newReferenceDecoder } from './references.ts';
import { readTag } from './tag.ts';
import { voidElements, type XmlElement } from './xml-element.ts';

interface Open {
  readonly element: XmlElement;
  /** In lower case. */
  readonly tag: string;
  /** The namespace prefixes that this element declares. */
  readonly declared: readonly string[];
}

const roots = new Set(['rss', 'feed', 'rdf', 'channel']);
const entryNames = new Set(['item', 'entry']);
/** An entry within one of these is part of its text. */
const textNames = new Set(['content', 'description', 'encoded']);

/** The document; its children are what stands at the top. */
export function readXml(text: string): XmlElement {
  return readXmlCounting(text).document;
}

/** Also counts the characters and elements that were visited, so that a test can show that reading takes linear time. */
export function readXmlCounting(text: string): { document: XmlElement; steps: number } {
  const document: XmlElement = { ns: '', name: '#document', attributes: [], children: [], parent: undefined };
  const open: Open[] = [{ element: document, tag: '', declared: [] }];
  /** For each tag, the depths in `open` at which it is open; the innermost is last. */
  const depthsOf = new Map<string, number[]>();
  /** The depths of open elements that hold text. */
  const textDepths: number[] = [];
  const namespaces = new Namespaces();
  let steps = 0;
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
  return { document, steps };

  /** Reads what begins at this `<`, and says where it ends; undefined if it is only a character. */
  function readMarkup(start: number): number | undefined {
    const tag = readTag(text, start);
    steps += tag ? tag.end - start : 1;
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
    steps += raw.length;
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

  function openTag(written: string, rawAttributes: readonly string[], selfClosing: boolean): void {
    // Attributes cost memory too.
    nodes += 1 + rawAttributes.length / 4;
    const tag = written.toLowerCase();
    const colon = tag.indexOf(':');
    const name = tag.slice(colon + 1);
    if (entryNames.has(name)) closeForgotten(tag);
    const attributes = rawAttributes.map((part, index) =>
      index % 2 === 0 ? part.toLowerCase() : decoded(part),
    );
    const parent = top();
    const prefix = colon < 0 ? '' : tag.slice(0, colon);
    const declared = namespaces.enter(attributes);
    if (roots.has(name) && parent.element === document) namespaces.adoptRoot(prefix, declared);
    const element: XmlElement = {
      ns: namespaces.shortNameOf(prefix),
      name,
      attributes,
      children: [],
      parent: parent.element,
    };
    parent.element.children.push(element);
    const isVoid = selfClosing || (voidElements.has(name) && colon < 0);
    if (isVoid || open.length > limits.depth) {
      namespaces.leave(declared);
      return;
    }
    const depths = depthsOf.get(tag);
    if (depths) depths.push(open.length);
    else depthsOf.set(tag, [open.length]);
    if (textNames.has(name)) textDepths.push(open.length);
    open.push({ element, tag, declared });
  }

  /** An entry inside an entry: the first was never closed. */
  function closeForgotten(tag: string): void {
    const depth = depthsOf.get(tag)?.at(-1) ?? 0;
    if (depth > (textDepths.at(-1) ?? 0)) closeFrom(depth);
  }

  function closeTag(written: string): void {
    const depth = depthsOf.get(written.toLowerCase())?.at(-1);
    if (depth !== undefined) closeFrom(depth);
  }

  /** Closes the element at this depth and all that are open within it. */
  function closeFrom(depth: number): void {
    for (const { tag, declared, element } of open.splice(depth).reverse()) {
      steps += 1 + declared.length;
      namespaces.leave(declared);
      depthsOf.get(tag)?.pop();
      if (textNames.has(element.name)) textDepths.pop();
    }
  }

  function top(): Open {
    return open[open.length - 1] as Open;
  }
}
