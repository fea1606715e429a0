// HTML to the words a person would read: for titles, search and excerpts.
import { decodeHTML } from 'entities';
import { blockElements, droppedElements, isHtmlName } from './html-names.ts';
import { tokeniseHtml } from './tokenise-html.ts';

/** Where a line ends. */
export const lineBreaks: ReadonlySet<string> = new Set([
  ...blockElements,
  'br',
  'li',
  'dt',
  'dd',
  'tr',
  'caption',
  'summary',
]);

/** A title is a few hundred letters; white space by the megabyte would cost many times its size. */
const maxTitleSource = 20_000;

/** Lines for blocks, single spaces within them. */
export function plainText(html: string): string {
  return textLines(html, false)
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .filter((line) => line !== '')
    .join('\n');
}

/**
 * One line. Titles are HTML in one feed and text in the next: `<b>` is markup, while `Vec<T>` is what somebody
 * wrote about, since HTML has no such element.
 */
export function titleText(html: string): string {
  return textLines(html.slice(0, maxTitleSource), true).join(' ').replace(/\s+/g, ' ').trim();
}

function textLines(html: string, keepForeignTags: boolean): string[] {
  if (!/[<&]/.test(html)) return [html];
  const lines: string[] = [];
  let line: string[] = [];
  let dropping: { name: string; depth: number } | undefined;
  tokeniseHtml(html, {
    text(source) {
      if (!dropping) line.push(source.includes('&') ? decodeHTML(source) : source);
    },
    open(name, _attributes, source) {
      if (dropping) {
        if (dropping.name === 'head' && name === 'body') dropping = undefined;
        else if (dropping.name === name) dropping.depth++;
      } else if (droppedElements.has(name)) dropping = { name, depth: 1 };
      else if (lineBreaks.has(name)) endLine();
      else if (keepForeignTags && !isHtmlName(name)) line.push(source);
    },
    close(name, source) {
      if (dropping) {
        if (dropping.name === name && --dropping.depth === 0) dropping = undefined;
      } else if (lineBreaks.has(name)) endLine();
      else if (keepForeignTags && !isHtmlName(name)) line.push(source);
    },
  });
  endLine();
  return lines;

  function endLine(): void {
    if (line.length > 0) lines.push(line.join(''));
    line = [];
  }
}
