/** Where a comment, a CDATA section, `<?...` or `<!...` ends that begins here: at the end of the text if it is not closed. */
export function endOfDeclaration(text: string, start: number): number {
  if (text.startsWith('<!--', start)) return after(text, '-->', start + 4);
  if (text.startsWith('<![CDATA[', start)) return after(text, ']]>', start + 9);
  return after(text, '>', start + 2);
}

function after(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  return found < 0 ? text.length : found + mark.length;
}
