// Text from elsewhere as it may be printed: a terminal obeys control characters, and letters that turn or hide others deceive.
export function withoutUnseen(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/gu, '');
}
