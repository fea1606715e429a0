// How a text begins, for lists.
import { plainText } from './plain-text.ts';

const usualCharacters = 200;

/** So much of the HTML is enough: most of what stands before the first words is the markup of an image. */
export const excerptSource = 6_000;

/** Plain text on one line, cut at a word. The HTML may itself be cut anywhere. */
export function excerptOf(html: string, maxCharacters = usualCharacters): string {
  // Most begin with their words, so that a piece will do.
  const beginning = lineOf(html.slice(0, excerptSource / 6));
  const text = beginning.length > maxCharacters ? beginning : lineOf(html.slice(0, excerptSource));
  if (text.length <= maxCharacters) return text;
  const lastSpace = text.lastIndexOf(' ', maxCharacters);
  // Chinese and its like have no spaces; a word that goes on and on is cut too.
  const end = lastSpace > maxCharacters / 2 ? lastSpace : maxCharacters;
  return `${text
    .slice(0, end)
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd()}…`;
}

function lineOf(html: string): string {
  // A reference that the cut went through would be shown as it is written.
  return plainText(html.replace(/&[#\w]{0,30}$/, '')).replaceAll('\n', ' ');
}
