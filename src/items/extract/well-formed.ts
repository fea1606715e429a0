// Any HTML to HTML that holds no surprises: one html, head and body, every element closed, none deeper than a limit,
// and nothing that no reader of the page needs. A parser that is slow or recurses on odd input then gets none of it, and
// has less to read: half of a page is scripts, styles and drawings.
import { blockElements, voidHtmlElements } from '../../html/html-names.ts';
import { closedByEnd, closedByStart } from '../../html/implied-ends.ts';
import { tokeniseHtml } from '../../html/tokenise-html.ts';

/** Pages of people stay below a hundred. Deeper elements are taken off, while their text stays. */
const maxDepth = 200;
/** What a long table has; tags after so many are taken off. */
const maxElements = 300_000;

/** Gone with what is in them. */
const dropped = new Set(['script', 'style', 'svg']);
/** The tokeniser skips what is in them. */
const emptied = new Set(['iframe', 'noembed', 'noframes', 'plaintext', 'textarea', 'xmp']);
const headElements = new Set(['base', 'link', 'meta', 'noscript', 'template', 'title']);
const framework = new Set(['html', 'head', 'body', 'frameset']);

export function wellFormed(html: string): string {
  const written: string[] = [];
  const open: string[] = [];
  const linkedData = contentsOf(html, /<script\b[^>]{0,500}\bld\+json\b[^>]{0,500}>/gi, '</script');
  const titles = contentsOf(html, /<title\b[^>]{0,500}>/gi, '</title');
  let root = '';
  let inBody = false;
  let dropping: { name: string; depth: number } | undefined;
  let elements = 0;

  tokeniseHtml(html, {
    text(source) {
      if (dropping) return;
      if (!inBody && !open.includes('noscript')) {
        if (/^\s*$/.test(source)) return;
        openBody([]);
      }
      written.push(source.includes('<') ? source.replaceAll('<', '&lt;') : source);
    },
    open(name, attributes, source) {
      if (dropping && !(dropping.name === 'svg' && blockElements.has(name))) {
        if (dropping.name === name && !source.endsWith('/>')) dropping.depth++;
        return;
      }
      // As in browsers, a drawing that was not closed ends where the page goes on.
      dropping = undefined;
      if (framework.has(name)) openFramework(name, attributes);
      else if (dropped.has(name)) drop(name, attributes, source);
      else if (++elements <= maxElements) openElement(name, attributes);
    },
    close(name) {
      if (dropping) {
        if (dropping.name === name && --dropping.depth === 0) dropping = undefined;
      } else if (name === 'br') written.push('<br>');
      else if (!framework.has(name)) closeTo(closedByEnd(open, name));
    },
  });
  if (!inBody) openBody([]);
  closeTo(0);
  return `<html${root}><head>${written.join('')}</body></html>`;

  function openFramework(name: string, attributes: readonly string[]): void {
    if (name === 'html' && root === '') root = writeAttributes(attributes);
    if (name === 'body' && !inBody) openBody(attributes);
  }

  function openBody(attributes: readonly string[]): void {
    closeTo(0);
    written.push(`</head><body${writeAttributes(attributes)}>`);
    inBody = true;
  }

  function drop(name: string, attributes: readonly string[], source: string): void {
    if (name === 'script' && attributes.some((value) => /\bld\+json\b/i.test(value))) {
      const content = linkedData.next().value;
      if (content) written.push('<script type="application/ld+json">', content, '</script>');
    }
    if (!source.endsWith('/>') || name !== 'svg') dropping = { name, depth: 1 };
  }

  function openElement(name: string, attributes: readonly string[]): void {
    if (!inBody && !headElements.has(name) && !open.includes('noscript')) openBody([]);
    closeTo(closedByStart(open, name));
    const isVoid = voidHtmlElements.has(name);
    if (open.length >= maxDepth && !isVoid) return;
    written.push(`<${name}${writeAttributes(attributes)}>`);
    if (isVoid) return;
    open.push(name);
    if (name === 'title') written.push((titles.next().value ?? '').replaceAll('<', '&lt;'));
    if (emptied.has(name)) closeTo(open.length - 1);
  }

  function closeTo(depth: number): void {
    while (open.length > depth) written.push(`</${open.pop()}>`);
  }
}

/** What stands between such a start tag and the next end tag, for each: the tokeniser does not hand it on. */
function* contentsOf(html: string, start: RegExp, end: string): Generator<string> {
  for (let match = start.exec(html); match; match = start.exec(html)) {
    const from = match.index + match[0].length;
    const to = html.indexOf(end, from);
    if (to < 0) return;
    yield html.slice(from, to);
    start.lastIndex = to;
  }
}

/** The parser runs out of stack on a hundred thousand classes. */
const maxClass = 2_000;
const attributeName = /^[a-z_@:][\w@:.-]{0,60}$/;

function writeAttributes(attributes: readonly string[]): string {
  let text = '';
  for (let at = 0; at + 1 < attributes.length; at += 2) {
    const [name = '', value = ''] = [attributes[at], attributes[at + 1]];
    if (!attributeName.test(name) || name.startsWith('on')) continue;
    const short = name === 'class' ? value.slice(0, maxClass) : value;
    text += ` ${name}="${short.includes('"') ? short.replaceAll('"', '&quot;') : short}"`;
  }
  return text;
}
