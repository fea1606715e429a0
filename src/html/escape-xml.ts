// Text as XML can hold it.

/** What XML 1.0 cannot have, however it is written. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is meant
const forbidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

const references: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

export function allowedInXml(text: string): string {
  return text.toWellFormed().replace(forbidden, '');
}

/** For text and attributes, from either of which it is read as it was. */
export function escapeXml(text: string): string {
  return allowedInXml(text).replace(/[&<>"\t\n\r]/g, (char) => references[char] ?? char);
}
