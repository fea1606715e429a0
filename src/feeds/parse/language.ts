/** `en_us` as `en-us`; null for what is no language tag. */
export function languageTag(written: string | undefined): string | null {
  const tag = (written ?? '').slice(0, 100).trim().replaceAll('_', '-');
  return /^[a-z]{2,8}(?:-[a-z0-9]{1,8}){0,5}$/i.test(tag) ? tag : null;
}
