/**
 * Text as both engines hold it: PostgreSQL refuses U+0000, and a lone surrogate has no UTF-8. Applied to every
 * parameter of every statement, so that one engine never keeps what the other would change.
 */
export function cleanText<T>(value: T): T {
  if (typeof value !== 'string') return value;
  const text: string = value;
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed();
  return (wellFormed.includes('\0') ? wellFormed.replaceAll('\0', '') : wellFormed) as T;
}
