// Permanent copies of the size that the largest known one has, made as bytes, so that making them costs next to nothing.
const sizeBytes = 23 * 1024 * 1024;

const blank = '0000000';

const beginning = '<!doctype html><title>Large</title><body><p>Alpha begins it.</p>';
const middle = '<p>Omikron is half way.</p>';
const end = '<p>Omega ends it.</p></body>';

/** The pattern again and again, each time with a number in it, so that no two places are alike. */
function page(pattern: string): Buffer {
  const times = 2 * Math.floor(sizeBytes / 2 / pattern.length);
  const bytes = Buffer.alloc(beginning.length + times * pattern.length + middle.length + end.length);
  let at = bytes.write(beginning, 'latin1');
  for (let n = 0; n < times; n++) {
    if (n === times / 2) at += bytes.write(middle, at, 'latin1');
    const numbered = at + pattern.indexOf(blank);
    at += bytes.write(pattern, at, 'latin1');
    bytes.write(String(n).padStart(blank.length, '0'), numbered, 'latin1');
  }
  bytes.write(end, at, 'latin1');
  return bytes;
}

export const largePages = {
  /** As a browser saves one: pictures inside of attributes, and little to read. */
  pictures: () =>
    page(
      `<p>Picture ${blank}:</p><img alt="of the sea" src="data:image/png;base64,${'iVBORw0K'.repeat(50_000)}">`,
    ),
  paragraphs: () =>
    page(`<p>Tide ${blank} comes and goes, and what it leaves is counted by nobody at all.</p>\n`),
} as const satisfies Record<string, () => Buffer>;

export type LargePage = keyof typeof largePages;
