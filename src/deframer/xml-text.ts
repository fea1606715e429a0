// Texts of strangers, as a feed can hold them. See also html/escape-xml.ts.

import { allowedInXml } from '../html/escape-xml.ts';

/** HTML as it is. Its end is the one thing that CDATA cannot hold, so that is put into two. */
export function toCdata(html: string): string {
  // A lone CR is read as LF by every parser: XML 1.0, 2.11.
  const text = allowedInXml(html).replaceAll(']]>', ']]]]><![CDATA[>');
  return `<![CDATA[${text}]]>`;
}

/** Plain text where readers expect HTML: they show it as it is written. What they would take for text anyway is left. */
export function textAsHtml(text: string): string {
  return text.replace(/&(?=[a-z#])/gi, '&amp;').replace(/<(?=[a-z/!?])/gi, '&lt;');
}

/** Without an exponent, and to the last digit: it can be read back as the same number. */
export function plainDecimal(value: number): string {
  const [, whole = '', fraction = '', exponent] = /^(\d)(?:\.(\d+))?e-(\d+)$/.exec(String(value)) ?? [];
  if (exponent === undefined) return String(value);
  return `0.${'0'.repeat(Number(exponent) - 1)}${whole}${fraction}`;
}
