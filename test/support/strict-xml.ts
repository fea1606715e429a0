// A reader of XML 1.0 that forgives nothing, for what we write ourselves. It knows no DOCTYPE and no comments, since
// our documents have none.

export interface XmlElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  /** Of itself and all within, as it is read. */
  readonly text: string;
}

const nameForm = /[A-Za-z_][\w.-]*(?::[A-Za-z_][\w.-]*)?/y;
const names: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

export function parseStrictXml(xml: string): XmlElement {
  for (const char of xml) {
    if (!isAllowed(char.codePointAt(0) ?? 0))
      throw new Error(`a character that XML cannot have: U+${char.codePointAt(0)?.toString(16)}`);
  }
  const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n';
  if (!xml.startsWith(declaration)) throw new Error('no XML declaration');
  const reader = new Reader(xml, declaration.length);
  const root = reader.element();
  if (xml.slice(reader.at).trim() !== '') throw new Error('something stands behind the root');
  return root;
}

function isAllowed(code: number): boolean {
  return (
    code === 0x9 ||
    code === 0xa ||
    code === 0xd ||
    (code >= 0x20 && code <= 0xd7ff) ||
    (code >= 0xe000 && code <= 0xfffd) ||
    (code >= 0x10000 && code <= 0x10ffff)
  );
}

class Reader {
  readonly xml: string;
  at: number;

  constructor(xml: string, at: number) {
    this.xml = xml;
    this.at = at;
  }

  element(): XmlElement {
    this.take('<');
    const name = this.name();
    const attributes = this.attributes();
    this.take('>');
    const children: XmlElement[] = [];
    let text = '';
    while (!this.sees('</')) {
      if (this.at >= this.xml.length) throw new Error(`<${name}> has no end`);
      if (this.sees('<![CDATA[')) text += this.cdata();
      else if (this.sees('<')) {
        const child = this.element();
        children.push(child);
        text += child.text;
      } else text += this.characters();
    }
    this.take(`</${name}>`);
    return { name, attributes, children, text };
  }

  attributes(): Map<string, string> {
    const found = new Map<string, string>();
    while (this.sees(' ')) {
      this.take(' ');
      const name = this.name();
      this.take('="');
      const end = this.xml.indexOf('"', this.at);
      const value = this.xml.slice(this.at, end);
      if (end < 0 || value.includes('<')) throw new Error(`a value of ${name} that is none`);
      if (found.has(name)) throw new Error(`${name} stands there twice`);
      found.set(name, unescaped(value));
      this.at = end + 1;
    }
    return found;
  }

  cdata(): string {
    this.take('<![CDATA[');
    const end = this.xml.indexOf(']]>', this.at);
    if (end < 0) throw new Error('CDATA without an end');
    const text = this.xml.slice(this.at, end);
    this.at = end + 3;
    return text.replace(/\r\n?/g, '\n');
  }

  characters(): string {
    const next = this.xml.indexOf('<', this.at);
    const raw = this.xml.slice(this.at, next < 0 ? undefined : next);
    if (raw.includes(']]>')) throw new Error(']]> outside of CDATA');
    this.at += raw.length;
    return unescaped(raw.replace(/\r\n?/g, '\n'));
  }

  name(): string {
    nameForm.lastIndex = this.at;
    const [name] = nameForm.exec(this.xml) ?? [];
    if (name === undefined) throw new Error(`no name at: ${this.xml.slice(this.at, this.at + 30)}`);
    this.at += name.length;
    return name;
  }

  sees(text: string): boolean {
    return this.xml.startsWith(text, this.at);
  }

  take(text: string): void {
    if (!this.sees(text))
      throw new Error(`expected ${text}, found: ${this.xml.slice(this.at, this.at + 30)}`);
    this.at += text.length;
  }
}

function unescaped(raw: string): string {
  return raw.replace(/&([^;&]*;?)/g, (_, written: string) => {
    const [, name, decimal, hex] = /^(?:([a-z]+)|#(\d+)|#x([\da-f]+));$/i.exec(written) ?? [];
    const code = decimal ? Number(decimal) : hex ? Number.parseInt(hex, 16) : undefined;
    const char = code === undefined ? names[name ?? ''] : isAllowed(code) ? String.fromCodePoint(code) : '';
    if (!char) throw new Error(`a reference to nothing: &${written}`);
    return char;
  });
}
