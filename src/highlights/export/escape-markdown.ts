// Text as it stands, for Markdown: nothing in it may become markup, neither of CommonMark nor of what GitHub and Obsidian add.

/** Anywhere in a line: emphasis, code, links, HTML, entities, tables, strikethrough, mathematics, tags, footnotes. */
const anywhere = /[\\`*_[\]<>&|~$#^@]/g;

/** Only together: `==marked==`, `%%hidden%%`, `{{filled in}}`, `{%run%}`. */
const doubled = /={2,}|%{2,}|\{(?=[{%#])/g;

/** Addresses that become links without being asked, and names that become pictures. */
const automatic = /:(?=\/\/|[a-z0-9_+-]{1,50}:)|(?<=(?<![a-z0-9])(?:www|mailto|xmpp))[.:]/gi;

/** At the beginning: lists, headings underlined from below, definitions, and what is set apart by a line. */
const atStart = /^(?:[-+=:%]|(\d{1,9})(?=[.)]))/;

/** One line, without blanks around it. */
export function escapeLine(text: string): string {
  const escaped = text
    .trim()
    .replace(anywhere, '\\$&')
    .replace(doubled, (some) => [...some].map((one) => `\\${one}`).join(''))
    .replace(automatic, '\\$&');
  return escaped.replace(atStart, (start, number) => (number === undefined ? `\\${start}` : `${number}\\`));
}

/** On one line, for a heading or within a sentence. */
export function escapeInline(text: string): string {
  return escapeLine(withoutControls(text).replace(/\s+/g, ' '));
}

/** Several lines, each by itself; empty ones part paragraphs. */
export function escapeLines(text: string): string[] {
  const lines = withoutControls(text)
    .trim()
    .split(/\r\n|[\r\n\v\f\u0085\u2028\u2029]/)
    .map(escapeLine);
  return lines
    .filter((line, at) => line !== '' || lines[at - 1] !== '')
    .map((line, at, all) => (line !== '' && (all[at + 1] ?? '') !== '' ? `${line}\\` : line));
}

function withoutControls(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  return text.replace(/[\0-\x08\x0e-\x1f\x7f\uFEFF]/g, '');
}

/** Between angle brackets, which only these could end; an entity would become what it stands for. */
export function linkTarget(url: string): string {
  const safe = new URL(url).href
    .replaceAll('<', '%3C')
    .replaceAll('>', '%3E')
    .replaceAll('\\', '%5C')
    .replace(/&(?=#?\w{1,40};)/g, '&amp;');
  return `<${safe}>`;
}
