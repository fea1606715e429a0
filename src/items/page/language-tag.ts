/** `en_us` as `en-US`, by BCP 47; empty for what is no language, or says that it does not know. */
export function languageTag(written: string): string {
  const tag = written.trim().replaceAll('_', '-');
  if (tag.length > 35 || !/^[a-z]{2,3}(?:-|$)/i.test(tag) || /^(?:und|mul|zxx)\b/i.test(tag)) return '';
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? '';
  } catch {
    return '';
  }
}
