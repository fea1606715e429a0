// What the readable copy of a page says of it, where the page itself does not. Takes what the sanitiser has written,
// which has one way to read it: attributes in double quotes, paragraphs that are closed and hold no other.
import { decodeHTMLAttribute } from 'entities';
import { plainText } from '../../html/plain-text.ts';

/** Shorter ones are dates, names and captions. Chinese and its like say as much in a third of the letters. */
const meaningfulChars = 60;
const denseScript = /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}/gu;
/** So far it is looked for. */
const sourceChars = 100_000;

/** As plain text on one line; the beginning where no paragraph is long enough. */
export function firstParagraph(html: string): string {
  const beginning = html.slice(0, sourceChars);
  for (const [, inside = ''] of beginning.matchAll(/<p>(.*?)<\/p>/gs)) {
    const text = oneLine(plainText(inside));
    if (isMeaningful(text)) return text;
  }
  // The cut may have gone through a tag or a reference.
  const lines = plainText(beginning.replace(/[<&][^<>&;]*$/, ''))
    .split('\n')
    .map(oneLine);
  return lines.find(isMeaningful) ?? lines.join(' ');
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function isMeaningful(text: string): boolean {
  return text.length + 2 * (text.match(denseScript)?.length ?? 0) >= meaningfulChars;
}

const leastPixels = 200;
const decoration = /(?:logo|avatar|icon|sprite|badge|emoji|smiley|button|banner-ad)/i;

/** Those that could be a cover: not said to be small, and not the portrait of who wrote it. */
export function contentImages(html: string): string[] {
  const found: string[] = [];
  for (const [tag] of html.slice(0, sourceChars * 10).matchAll(/<img [^>]*>/g)) {
    const given = (name: string) => new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? '';
    const src = decodeHTMLAttribute(given('src'));
    const isSmall = ['width', 'height'].some(
      (name) => given(name) !== '' && Number(given(name)) < leastPixels,
    );
    if (!isSmall && !src.startsWith('data:') && !decoration.test(src.slice(src.lastIndexOf('/'))))
      found.push(src);
    if (found.length === 3) break;
  }
  return found;
}
