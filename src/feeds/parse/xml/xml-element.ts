// The tree that a document becomes. Attributes are a flat list, so that no name (`__proto__`) is special.

export interface XmlElement {
  /** A short name of the namespace (`dc`, `media`, `atom`), '' for the feed formats' own, else the prefix as written. */
  readonly ns: string;
  /** The local name in lower case: feeds write `pubdate` and `PubDate`. */
  readonly name: string;
  /** As `name, value, name, value`; names in lower case, prefixes as written. */
  readonly attributes: readonly string[];
  readonly children: (XmlElement | string)[];
  readonly parent: XmlElement | undefined;
}

export function attribute(element: XmlElement, name: string): string | undefined {
  const { attributes } = element;
  for (let at = 0; at < attributes.length; at += 2) if (attributes[at] === name) return attributes[at + 1];
  return undefined;
}

export function elements(parent: XmlElement): XmlElement[] {
  return parent.children.filter((child) => typeof child !== 'string');
}

export function findChild(parent: XmlElement, name: string, ns = ''): XmlElement | undefined {
  for (const child of parent.children) {
    if (typeof child !== 'string' && child.name === name && child.ns === ns) return child;
  }
  return undefined;
}

export function childrenNamed(parent: XmlElement, name: string, ns = ''): XmlElement[] {
  return elements(parent).filter((child) => child.name === name && child.ns === ns);
}

/** All text below, without markup. */
export function textOf(element: XmlElement | undefined): string {
  if (element === undefined) return '';
  const { children } = element;
  if (children.length === 1 && typeof children[0] === 'string') return children[0];
  return children.map((child) => (typeof child === 'string' ? child : textOf(child))).join('');
}

export function hasElements(element: XmlElement): boolean {
  return element.children.some((child) => typeof child !== 'string');
}

/** The children as HTML source. It is not clean: whoever shows it sanitises it first. */
export function markupOf(element: XmlElement): string {
  return element.children
    .map((child) => {
      if (typeof child === 'string') return escapeText(child);
      const attributes = pairs(child)
        .map(([name, value]) => ` ${name}="${escapeText(value).replaceAll('"', '&quot;')}"`)
        .join('');
      return voidElements.has(child.name)
        ? `<${child.name}${attributes}>`
        : `<${child.name}${attributes}>${markupOf(child)}</${child.name}>`;
    })
    .join('');
}

/** HTML elements without content, that broken feeds leave unclosed; none of them is also an element of a feed. */
export const voidElements: ReadonlySet<string> = new Set([
  'area',
  'br',
  'col',
  'embed',
  'hr',
  'img',
  'input',
  'param',
  'wbr',
]);

function pairs({ attributes }: XmlElement): [string, string][] {
  const found: [string, string][] = [];
  for (let at = 0; at + 1 < attributes.length; at += 2)
    found.push([attributes[at] ?? '', attributes[at + 1] ?? '']);
  return found;
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
