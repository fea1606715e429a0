// Whether one text is in another, in time that grows with their sizes alone. `includes` can take their product, and these
// texts come from whoever wrote the file.

export function containsText(whole: string, part: string): boolean {
  if (part.length > whole.length) return false;
  // A passage that grew has most often kept its beginning or its end.
  if (whole.startsWith(part) || whole.endsWith(part)) return true;
  const fallback = fallbacksOf(part);
  let matched = 0;
  for (let at = 0; at < whole.length; at++) {
    const code = whole.charCodeAt(at);
    while (matched > 0 && part.charCodeAt(matched) !== code) matched = fallback[matched - 1] as number;
    if (part.charCodeAt(matched) === code) matched++;
    if (matched === part.length) return true;
  }
  return false;
}

/** Knuth, Morris and Pratt: how much of the beginning still stands when the next character is another. */
function fallbacksOf(part: string): Int32Array {
  const fallback = new Int32Array(part.length);
  let matched = 0;
  for (let at = 1; at < part.length; at++) {
    const code = part.charCodeAt(at);
    while (matched > 0 && part.charCodeAt(matched) !== code) matched = fallback[matched - 1] as number;
    if (part.charCodeAt(matched) === code) matched++;
    fallback[at] = matched;
  }
  return fallback;
}
