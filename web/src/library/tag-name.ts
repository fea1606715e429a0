const longest = 50;

/** As the server writes tags; undefined for what cannot be one. */
export function tagName(typed: string): string | undefined {
  const name = typed.replace(/\s+/gu, ' ').trim().replace(/^#/, '').trim().toLowerCase();
  const length = [...name].length;
  return length > 0 && length <= longest && !/[,\p{Cc}]/u.test(name) ? name : undefined;
}

/** Several at once, between commas. */
export function tagNames(typed: string): string[] {
  const names = typed.split(',').map(tagName);
  return [...new Set(names.filter((name) => name !== undefined))];
}
