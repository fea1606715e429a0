// HTML to a stream of tags and text, as a browser would cut it, in one pass. It builds no tree and cannot fail.
import { charSet, findAny, findOther, spaces } from './char-set.ts';
import { rawTextElements } from './html-names.ts';

export interface HtmlReceiver {
  /** Source text: references are not decoded. */
  text(source: string): void;
  /** `attributes` as `name, value, name, value`; names in lower case, values not decoded. */
  open(name: string, attributes: readonly string[], source: string): void;
  close(name: string, source: string): void;
}

const nameEnd = charSet(`${spaces}/>`);
const attributeNameEnd = charSet(`${spaces}/>=`);
const spaceOrSlash = charSet(`${spaces}/`);
const space = charSet(spaces);
const unquotedEnd = charSet(`${spaces}>`);
/** More than any page has; the rest are read over. */
const maxAttributes = 100;

export function tokeniseHtml(source: string, receiver: HtmlReceiver): void {
  // Feeds wrap their HTML twice now and then. The wrapper is taken off before anything is judged.
  const html = source.includes('<![CDATA[')
    ? source.replaceAll('<![CDATA[', '').replaceAll(']]>', '')
    : source;
  let textStart = 0;
  let at = 0;
  while (at < html.length) {
    const start = html.indexOf('<', at);
    if (start < 0) break;
    const end = readMarkup(start);
    at = end ?? start + 1;
    if (end !== undefined) textStart = end;
  }
  if (textStart < html.length) receiver.text(html.slice(textStart));

  /** Where what begins at this `<` ends; undefined if it is only a character. */
  function readMarkup(start: number): number | undefined {
    if (isLetter(html.charCodeAt(start + 1))) return readStartTag(start);
    const next = html[start + 1];
    if (next === '/' && isLetter(html.charCodeAt(start + 2))) return readEndTag(start);
    if (next === '!' && /[-a-z[]/i.test(html[start + 2] ?? '')) return readComment(start);
    if (next === '?' || (next === '/' && html[start + 2] === '>')) return skipTo('>', start);
    return undefined;
  }

  function readComment(start: number): number | undefined {
    if (!html.startsWith('<!--', start)) return skipTo('>', start);
    // `<!-->` and `<!--->` are whole comments.
    const short = /^-?>/.exec(html.slice(start + 4, start + 6));
    if (short) return flush(start, start + 4 + short[0].length);
    commentEnd.lastIndex = start + 4;
    const end = commentEnd.exec(html);
    return flush(start, end ? end.index + end[0].length : html.length);
  }

  function skipTo(mark: string, start: number): number | undefined {
    const end = html.indexOf(mark, start + 2);
    // Without an end it is the text of somebody who writes about HTML; nothing else can follow that has one.
    return end < 0 ? flush(start, start) : flush(start, end + 1);
  }

  function flush(start: number, end: number): number {
    if (start > textStart) receiver.text(html.slice(textStart, start));
    if (end === start) {
      receiver.text(html.slice(start));
      return html.length;
    }
    return end;
  }

  function readEndTag(start: number): number | undefined {
    const nameTo = findAny(nameEnd, html, start + 2);
    const end = html.indexOf('>', nameTo);
    if (end < 0) return flush(start, html.length);
    flush(start, end);
    receiver.close(html.slice(start + 2, nameTo).toLowerCase(), html.slice(start, end + 1));
    return end + 1;
  }

  function readStartTag(start: number): number | undefined {
    const nameTo = findAny(nameEnd, html, start + 1);
    const name = html.slice(start + 1, nameTo).toLowerCase();
    const attributes: string[] = [];
    let at = nameTo;
    for (;;) {
      at = findOther(spaceOrSlash, html, at);
      // A tag that never ends is dropped, as browsers do.
      if (at >= html.length) return flush(start, html.length);
      if (html[at] === '>') break;
      at = readAttribute(at, attributes);
    }
    flush(start, at + 1);
    receiver.open(name, attributes, html.slice(start, at + 1));
    return rawTextElements.has(name) ? skipRawText(name, at + 1) : at + 1;
  }

  /** Nothing in it is shown, so it is not even handed on. */
  function skipRawText(name: string, from: number): number {
    if (name === 'plaintext') return html.length;
    const endTag = new RegExp(`</${name}(?=[\\s/>])`, 'gi');
    endTag.lastIndex = from;
    return endTag.exec(html)?.index ?? html.length;
  }

  function readAttribute(from: number, attributes: string[]): number {
    // A leading "=" is part of the name.
    const nameTo = findAny(attributeNameEnd, html, from + 1);
    const name = html.slice(from, nameTo).toLowerCase();
    let at = findOther(space, html, nameTo);
    let value = '';
    if (html[at] !== '=') {
      at = nameTo;
    } else {
      at = findOther(space, html, at + 1);
      const quote = html[at];
      if (quote === '"' || quote === "'") {
        const close = html.indexOf(quote, at + 1);
        value = html.slice(at + 1, close < 0 ? html.length : close);
        at = close < 0 ? html.length : close + 1;
      } else {
        const end = findAny(unquotedEnd, html, at);
        value = html.slice(at, end);
        at = end;
      }
    }
    if (attributes.length < maxAttributes * 2) attributes.push(name, value);
    return at;
  }
}

const commentEnd = /--!?>/g;

function isLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);
}
