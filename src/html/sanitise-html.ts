// The last step before anything is kept: HTML of others, rewritten from a short list of elements and attributes.
//
// Why it is safe: the output is written by us, letter by letter. It has only tags of `shownElements`, attributes in
// double quotes, and text in which `<`, `>` and `&` are escaped. None of those elements switches a browser's parser
// into another mode (iframes are written empty; SVG, MathML, style, noscript and their kin are never written), so
// there is one way to read it, here and in every browser.
//
// Why doing it twice changes nothing: what is decided for a tag depends on the tags already written, and on nothing
// that is not written itself.
import { decodeHTML } from 'entities';
import { cleanAttributes } from './clean-attributes.ts';
import { droppedElements, shownElements, voidHtmlElements } from './html-names.ts';
import { closedByEnd, closedByStart } from './implied-ends.ts';
import { tokeniseHtml } from './tokenise-html.ts';

/** Deeper elements are left out, and their text stays: browsers grow slow and some crash. */
const maxDepth = 100;

export function sanitiseHtml(html: string, { baseUrl }: { readonly baseUrl: string | null }): string {
  if (!/[<>&\r]/.test(html)) return withoutControls(html).toWellFormed();
  let out = '';
  const open: string[] = [];
  const imagesShown = new Set<string>();
  let dropping: { name: string; depth: number } | undefined;
  let inNoscript = false;

  tokeniseHtml(html, {
    text(source) {
      if (!dropping) out += escapeText(source.includes('&') ? decodeHTML(source) : source);
    },
    open(name, attributes) {
      if (dropping) {
        if (dropping.name === 'head' && name === 'body') dropping = undefined;
        else if (dropping.name === name) dropping.depth++;
      } else if (droppedElements.has(name)) dropping = { name, depth: 1 };
      else if (shownElements.has(name)) show(name, attributes);
      else if (name === 'noscript') inNoscript = true;
    },
    close(name) {
      if (dropping) {
        if (dropping.name === name && --dropping.depth === 0) dropping = undefined;
      } else if (name === 'noscript') inNoscript = false;
      else closeTo(closedByEnd(open, name));
    },
  });
  closeTo(0);
  return out.toWellFormed();

  function show(name: string, written: readonly string[]): void {
    if (open.length >= maxDepth) return;
    const attributes = cleanAttributes(name, written, baseUrl);
    if (attributes === undefined) return;
    if (name === 'img') {
      const src = attributes[0]?.[1] ?? '';
      // The copy for readers without scripts, beside an image that we have made to load without one.
      if (inNoscript && imagesShown.has(src)) return;
      imagesShown.add(src);
    }
    closeTo(closedByStart(open, name));
    out += `<${name}`;
    for (const [attribute, value] of attributes) out += ` ${attribute}="${escapeAttribute(value)}"`;
    out += '>';
    if (name === 'iframe') out += '</iframe>';
    else if (!voidHtmlElements.has(name)) open.push(name);
  }

  function closeTo(depth: number): void {
    while (open.length > depth) out += `</${open.pop()}>`;
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is meant
const unusual = /[&<>"\u0000-\u0008\u000b-\u001f\u007f]/;

function escapeText(text: string): string {
  if (!unusual.test(text)) return text;
  return withoutControls(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function escapeAttribute(value: string): string {
  return unusual.test(value) ? escapeText(value).replaceAll('"', '&quot;') : value;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is meant
const controls = /[\u0000-\u0008\u000b-\u001f\u007f]+/g;

/** Line ends as browsers read them, and no characters that PostgreSQL, XML or JSON readers refuse. */
function withoutControls(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(controls, '');
}
