// HTML to the words a person would read, piece by piece as it comes: a page may be larger than the memory that there is,
// since most of it is pictures inside of attributes. However the pieces are cut, the words are the same, and of a page that is
// in order they are those of plain-text.ts.
import { decodeHTML } from 'entities';
import { droppedElements, rawTextElements } from './html-names.ts';
import { lineBreaks } from './plain-text.ts';

/** No name of an element that says anything is longer. */
const longestName = 40;
/** A line without an end is handed on in parts. */
const longestLine = 100_000;

type Within =
  | { readonly kind: 'text' | 'comment' | 'declaration' }
  /** Behind the name of a tag; with the quotes that it is in, or "=" where some may begin. */
  | { readonly kind: 'tag'; readonly name: string; readonly isEnd: boolean; inside: '' | '"' | "'" | '=' }
  | { readonly kind: 'raw'; readonly name: string };

/** Undefined: it cannot be told before more has come. */
type NextPlace = number | undefined;

export class TextReader {
  readonly #lines: string[] = [];
  /** Decoded. */
  #line: string[] = [];
  /** Between two tags, as it stands in the source: a reference may have come in half. */
  #source = '';
  #dropping: { readonly name: string; depth: number } | undefined;
  #within: Within = { kind: 'text' };
  #rest = '';

  write(piece: string): void {
    const html = this.#rest + piece;
    this.#rest = html.slice(this.#read(html, false));
  }

  /** Lines for blocks, single spaces within them. */
  end(): string {
    this.#read(this.#rest, true);
    this.#endLine();
    return this.#lines.join('\n');
  }

  #read(html: string, isAll: boolean): number {
    let at = 0;
    while (at < html.length) {
      const next = this.#step(html, at, isAll);
      if (next === undefined) break;
      at = next;
    }
    return at;
  }

  #step(html: string, at: number, isAll: boolean): NextPlace {
    switch (this.#within.kind) {
      case 'text':
        return this.#readText(html, at, isAll);
      case 'tag':
        return this.#readTag(html, at, this.#within);
      case 'comment':
        return this.#skip(html, at, /--!?>/g, 3, 'behind');
      case 'declaration':
        return this.#skip(html, at, />/g, 0, 'behind');
      case 'raw':
        return this.#skip(html, at, endTags[this.#within.name] ?? never, this.#within.name.length + 2, 'at');
    }
  }

  #readText(html: string, at: number, isAll: boolean): NextPlace {
    const start = html.indexOf('<', at);
    if (start !== at) {
      const end = start < 0 ? html.length : start;
      this.#text(html.slice(at, end));
      return end;
    }
    const markup = html.slice(at, at + longestName + 3);
    // Long enough to tell, or all that there is.
    if (
      !isAll &&
      !/^<(?:[a-z][^\s/>]*[\s/>]|\/[a-z][^\s/>]*[\s/>]|\/[^a-z]|!--..|!-[^-]|[^a-z/!]|![^-])/i.test(markup)
    )
      if (markup.length < longestName + 3) return undefined;
    return at + this.#readMarkup(markup);
  }

  /** How much of it was read. */
  #readMarkup(markup: string): number {
    const [tag, slash = '', name = ''] = /^<(\/?)([a-z][^\s/>]*)/i.exec(markup) ?? [];
    if (tag !== undefined) {
      this.#within = { kind: 'tag', name: name.toLowerCase(), isEnd: slash !== '', inside: '' };
      this.#endSource();
      return tag.length;
    }
    const [comment] = /^<!--(?:-?>)?/.exec(markup) ?? [];
    if (comment !== undefined) {
      if (!comment.endsWith('>')) this.#within = { kind: 'comment' };
      this.#endSource();
      return comment.length;
    }
    if (/^<(?:![-a-z[]|\?|\/>)/i.test(markup)) {
      this.#within = { kind: 'declaration' };
      this.#endSource();
      return 2;
    }
    this.#text('<');
    return 1;
  }

  /** What stands in its attributes is of no interest. */
  #readTag(html: string, from: number, tag: Within & { kind: 'tag' }): number {
    for (let at = from; at < html.length; at++) {
      const letter = html[at] as string;
      if (tag.inside === '"' || tag.inside === "'") {
        at = html.indexOf(tag.inside, at);
        if (at < 0) return html.length;
        tag.inside = '';
      } else if (letter === '>') {
        this.#within = { kind: 'text' };
        if (tag.isEnd) this.#close(tag.name);
        else this.#open(tag.name);
        return at + 1;
      } else if (tag.inside === '=' && (letter === '"' || letter === "'")) tag.inside = letter;
      else if (letter === '=' && !tag.isEnd) tag.inside = '=';
      else if (!isSpace(letter)) tag.inside = '';
    }
    return html.length;
  }

  /** As far as the mark, of which so many letters may have come already. */
  #skip(html: string, at: number, mark: RegExp, partly: number, to: 'at' | 'behind'): NextPlace {
    mark.lastIndex = at;
    const found = mark.exec(html);
    if (found) {
      this.#within = { kind: 'text' };
      return found.index + (to === 'behind' ? found[0].length : 0);
    }
    const next = Math.max(at, html.length - partly);
    return next > at ? next : undefined;
  }

  #open(name: string): void {
    if (rawTextElements.has(name)) this.#within = { kind: 'raw', name };
    if (this.#dropping) {
      if (this.#dropping.name === 'head' && name === 'body') this.#dropping = undefined;
      else if (this.#dropping.name === name) this.#dropping.depth++;
    } else if (droppedElements.has(name)) this.#dropping = { name, depth: 1 };
    else if (lineBreaks.has(name)) this.#endLine();
  }

  #close(name: string): void {
    if (this.#dropping) {
      if (this.#dropping.name === name && --this.#dropping.depth === 0) this.#dropping = undefined;
    } else if (lineBreaks.has(name)) this.#endLine();
  }

  #text(source: string): void {
    if (this.#dropping) return;
    this.#source += source;
    while (this.#source.length > longestLine) {
      const space = this.#source.lastIndexOf(' ', longestLine);
      const end = space > 0 ? space : longestLine;
      const rest = this.#source.slice(end);
      this.#source = this.#source.slice(0, end);
      this.#endLine();
      this.#source = rest;
    }
  }

  #endSource(): void {
    if (this.#source === '') return;
    this.#line.push(this.#source.includes('&') ? decodeHTML(this.#source) : this.#source);
    this.#source = '';
  }

  #endLine(): void {
    this.#endSource();
    if (this.#line.length === 0) return;
    const line = this.#line.join('').replace(/\s+/g, ' ').trim();
    if (line !== '') this.#lines.push(line);
    this.#line = [];
  }
}

/** Everything behind `<plaintext>` is text of nobody's. */
const never = /(?!)/g;
const endTags: Readonly<Record<string, RegExp>> = Object.fromEntries(
  [...rawTextElements]
    .filter((name) => name !== 'plaintext')
    .map((name) => [name, new RegExp(`</${name}(?=[\\s/>])`, 'gi')]),
);

function isSpace(letter: string): boolean {
  return letter === ' ' || (letter >= '\t' && letter <= '\r');
}
