/** A name as the API would take it: one line, without space around it. It may be empty. */
export function cleanName(text: string, maxChars: number): string {
  const line = text
    // Whatever comes after this much is cut, and need not be looked at.
    .slice(0, maxChars * 4)
    .replace(/\p{Cc}+/gu, ' ')
    .toWellFormed()
    .trim();
  return cutName(line, maxChars);
}

/** Never between the two halves of one character. */
export function cutName(name: string, maxChars: number): string {
  if (name.length <= maxChars) return name;
  const isHalf = (name.codePointAt(maxChars - 1) ?? 0) > 0xffff;
  return name.slice(0, isHalf ? maxChars - 1 : maxChars).trim();
}
