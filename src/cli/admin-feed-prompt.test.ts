import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { parsePrompt, readPrompt, shownPrompt } from './admin-feed-prompt.ts';

const bytes = (text: string) => Buffer.from(text);

describe('a prompt', () => {
  it('is text, without the mark that some editors put before it', () => {
    expect(parsePrompt(bytes('Weigh it. Schön.\n'))).toBe('Weigh it. Schön.\n');
    expect(parsePrompt(bytes('\ufeffWeigh it.'))).toBe('Weigh it.');
    expect(parsePrompt(bytes('é'.repeat(20_000)))).toHaveLength(20_000);
  });

  it.each([
    ['nothing', bytes(''), /is empty/],
    ['spaces', bytes(' \n\t'), /is empty/],
    ['too much', bytes('x'.repeat(20_001)), /has 20001 characters, and 20000 are the most/],
    ['another encoding', Buffer.from([0x53, 0xfc, 0xdf]), /no text in UTF-8/],
  ])('is not %s', (_what, given, words) => {
    expect(() => parsePrompt(given)).toThrow(words);
  });

  it('comes from standard input in pieces, and not without end', async () => {
    const stdin = (...chunks: Buffer[]) => ({ stdin: Readable.from(chunks) as NodeJS.ReadStream });
    const [first, second] = [bytes('Schö').subarray(0, 4), bytes('Schön').subarray(4)];
    expect(await readPrompt(stdin(first, second), '-')).toBe('Schön');
    const endless = { stdin: Readable.from(endlessly()) as NodeJS.ReadStream };
    await expect(readPrompt(endless, '-')).rejects.toThrow(/larger than 1 MB/);
  });

  it('is shown without a word to the terminal', () => {
    expect(shownPrompt('a\r\nb\tc\u001b[31m\rd\u009b')).toBe('a\nb\tc\ufffd[31m\ufffdd\ufffd');
  });
});

function* endlessly() {
  for (;;) yield Buffer.alloc(65_536, 'x');
}
