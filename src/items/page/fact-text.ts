// One line of text out of what a page says of itself.
import { titleText } from '../../html/plain-text.ts';

/** So much is looked at. The rest of what a person reads in a list would be cut anyway. */
const sourceChars = 20_000;
/** Markup even where nothing closes them. */
const neverClosed = new Set(['br', 'hr', 'li', 'p', 'wbr']);
const ellipsis = '…';

/**
 * Entities decoded, tags taken off, white space folded, no control characters, and no longer than `maxChars`. The text comes
 * out of a document, so it has been decoded once, and many sites encode twice.
 */
export function factText(written: string, maxChars: number): string {
  const line = titleText(keepNamedTags(written.slice(0, sourceChars)));
  return cutText(
    line
      .replace(/\p{Cc}+/gu, ' ')
      .replace(/\s+/g, ' ')
      .trim()
      .toWellFormed(),
    maxChars,
  );
}

/** Of what is text already, and has nothing to decode. */
export function cutText(line: string, maxChars: number): string {
  if (line.length <= maxChars) return line;
  const most = maxChars - ellipsis.length;
  const lastSpace = line.lastIndexOf(' ', most);
  // Chinese and its like have no spaces; a word that goes on and on is cut too.
  const end = lastSpace > maxChars / 2 ? lastSpace : most;
  return `${line
    .slice(0, end)
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd()}${ellipsis}`;
}

/** `<div>: the element for anything` is about a tag, while `<b>Sale</b>` has some: they are closed. */
function keepNamedTags(text: string): string {
  if (!text.includes('<')) return text;
  const lower = text.toLowerCase();
  return text.replace(/<([a-z][a-z0-9]{0,20})>/gi, (tag, name: string) =>
    neverClosed.has(name.toLowerCase()) || lower.includes(`</${name.toLowerCase()}`)
      ? tag
      : `&lt;${name}&gt;`,
  );
}
