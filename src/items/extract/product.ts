// A product as its shop describes it to search engines: the text of its page without the shop around it.
import { plainText } from '../../html/plain-text.ts';
import type { Box } from './box.ts';
import type { LinkedNode } from './linked-data.ts';
import { boxText } from './measure.ts';

/** A shorter one is a teaser. */
const minChars = 350;
const probeWords = 6;

export interface Description {
  readonly html: string;
  readonly text: string;
}

export function productDescription(linked: readonly LinkedNode[]): Description | undefined {
  let longest = '';
  for (const { types, fields } of linked) {
    if (!types.some((type) => type === 'Product' || type === 'ProductGroup')) continue;
    const { description } = fields;
    if (typeof description === 'string' && description.length > longest.length) longest = description;
  }
  const html = longest.includes('<')
    ? longest
    : longest
        .split(/\n+/)
        .map((line) => `<p>${line}</p>`)
        .join('\n');
  const text = plainText(html);
  return text.length < minChars ? undefined : { html, text };
}

/** Where the page itself has that text, with its lists and pictures. */
export function findDescription(page: Box, { text }: Description): Box | undefined {
  const words = wordsOf(text);
  const probes = [0.05, 0.35, 0.65, 0.9]
    .map((share) => Math.floor(share * (words.length - probeWords)))
    .map((at) => ` ${words.slice(at, at + probeWords).join(' ')} `);
  const found = (box: Box) => {
    const written = ` ${wordsOf(boxText(box)).join(' ')} `;
    return probes.filter((probe) => written.includes(probe)).length;
  };
  const all = found(page);
  if (all < probes.length / 2) return undefined;
  let box = page;
  for (;;) {
    const next = box.children.find(
      (child): child is Box =>
        typeof child === 'object' && child.chars > text.length / 3 && found(child) === all,
    );
    if (!next) return box;
    box = next;
  }
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
}
