// Boxes back to HTML, without the wrappers and attributes that only a stylesheet needs.
import { blockElements, shownElements, voidHtmlElements } from '../../html/html-names.ts';
import type { Box } from './box.ts';
import { imageAttributes } from './image-attributes.ts';

const written: Readonly<Record<string, readonly string[]>> = {
  a: ['href', 'title'],
  abbr: ['title'],
  audio: ['src'],
  blockquote: ['cite'],
  iframe: ['src', 'title', 'width', 'height'],
  li: ['value'],
  ol: ['start', 'reversed', 'type'],
  source: ['src', 'srcset', 'type', 'media'],
  td: ['colspan', 'rowspan'],
  th: ['colspan', 'rowspan', 'scope'],
  time: ['datetime'],
  video: ['src', 'poster', 'width', 'height'],
};
const wrappers = new Set(['article', 'aside', 'div', 'footer', 'header', 'main', 'nav', 'section', 'span']);
const lines = new Set([...blockElements, 'br', 'caption', 'dd', 'dt', 'li', 'summary', 'td', 'th', 'tr']);
/** A stylesheet keeps these apart where the page has no space between them. */
const apart = new Set(['a', 'label', 'span', 'time']);

export function writeBoxes(root: Box): string {
  const out: string[] = [];
  // A stack, since pages nest as deep as they like.
  const waiting: (Box | string | { readonly end: string })[] = [root];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next === 'string') out.push(escapeText(next));
    else if ('end' in next) out.push(next.end);
    else {
      const [start, end] = tags(next);
      out.push(start);
      waiting.push({ end });
      for (let at = next.children.length - 1; at >= 0; at--) {
        const child = next.children[at] ?? '';
        if (standsApart(child, next.children[at + 1])) waiting.push({ end: ' ' });
        waiting.push(child);
      }
    }
  }
  return out.join('').trim();
}

function standsApart(child: Box | string, next: Box | string | undefined): boolean {
  if (typeof child === 'string' || typeof next !== 'object' || !apart.has(child.tag)) return false;
  return apart.has(next.tag) && !isCode(child);
}

function isCode(box: Box): boolean {
  for (let at: Box | undefined = box; at; at = at.parent)
    if (at.tag === 'pre' || at.tag === 'code') return true;
  return false;
}

function tags(box: Box): [start: string, end: string] {
  const { tag } = box;
  const space = lines.has(tag) || tag.includes('-') ? '\n' : '';
  if (!shownElements.has(tag)) return [space, space];
  if (wrappers.has(tag)) {
    if (tag === 'span' || !box.children.some(isInline)) return [space, space];
    return ['\n<div>', '</div>\n'];
  }
  let start = `${space}<${tag}`;
  for (const [name, value] of attributesOf(box)) {
    start += ` ${name}="${escapeText(value).replaceAll('"', '&quot;')}"`;
  }
  return [`${start}>`, voidHtmlElements.has(tag) ? space : `</${tag}>${space}`];
}

function attributesOf(box: Box): readonly (readonly [string, string])[] {
  if (box.tag === 'img') return imageAttributes(box.attributes);
  const found: [string, string][] = [];
  for (const name of written[box.tag] ?? []) {
    const value = box.attributes.get(name);
    if (value !== undefined) found.push([name, value]);
  }
  return found;
}

function isInline(child: Box | string): boolean {
  return typeof child === 'string' ? /\S/.test(child) : !lines.has(child.tag);
}

function escapeText(text: string): string {
  return /[&<>]/.test(text)
    ? text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
    : text;
}
