import fc from 'fast-check';

/** Any character of Unicode, as fast-check's own `binary`, whose first use takes more than half a second. */
export const anyCharacter = fc
  .oneof(
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 0x7f }) },
    { weight: 1, arbitrary: fc.integer({ min: 0x80, max: 0xd7ff }) },
    { weight: 1, arbitrary: fc.integer({ min: 0xe000, max: 0x10ffff }) },
  )
  .map((codePoint) => String.fromCodePoint(codePoint));
