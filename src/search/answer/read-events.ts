// The events that a server sends (HTML Living Standard, 9.2): of each, its data.
import { Failure } from '../../outbound/failure.ts';

const mostCharacters = 512 * 1024;

/** An event that has not ended when the stream does is none. */
export async function* readEvents(stream: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  let data: string[] = [];
  for await (const chunk of stream) {
    rest += decoder.decode(chunk, { stream: true });
    // A line break of two characters may come in two pieces.
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    if (rest.length > mostCharacters) throw new Failure('too-large');
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) yield data.join('\n');
        data = [];
      } else if (/^data(:|$)/.test(line)) {
        data.push(line.slice(5).replace(/^ /, ''));
      }
    }
  }
}
