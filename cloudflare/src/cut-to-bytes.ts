/** The beginning of the text that has at most so many bytes as UTF-8, and ends with a whole character. */
export function cutToBytes(text: string, maxBytes: number): string {
  // No unit of a string becomes more than three bytes.
  if (text.length * 3 <= maxBytes) return text;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes));
  return text.slice(0, read);
}
