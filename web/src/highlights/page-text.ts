// The text of a document and its places: offsets into the text content of the body, as highlights are kept, and ranges,
// as a browser shows them.
export class PageText {
  readonly text: string;
  readonly #document: Document;
  readonly #nodes: Text[] = [];
  readonly #starts: number[] = [];

  constructor(document: Document) {
    this.#document = document;
    const walker = document.createTreeWalker(document.body, 4 /* text */);
    const parts: string[] = [];
    let length = 0;
    for (let node = walker.nextNode() as Text | null; node; node = walker.nextNode() as Text | null) {
      this.#nodes.push(node);
      this.#starts.push(length);
      parts.push(node.data);
      length += node.data.length;
    }
    this.text = parts.join('');
  }

  /** The part of each node that lies between two offsets. */
  pieces(start: number, end: number): { node: Text; from: number; to: number }[] {
    const found: { node: Text; from: number; to: number }[] = [];
    for (let n = this.#nodeAt(start); n < this.#nodes.length; n++) {
      const node = this.#nodes[n];
      const first = this.#starts[n] ?? 0;
      if (!node || first >= end) break;
      const from = Math.max(0, start - first);
      const to = Math.min(node.data.length, end - first);
      if (from < to) found.push({ node, from, to });
    }
    return found;
  }

  range(start: number, end: number): Range | undefined {
    const pieces = this.pieces(start, end);
    const first = pieces[0];
    const last = pieces.at(-1);
    if (!first || !last) return undefined;
    const range = this.#document.createRange();
    range.setStart(first.node, first.from);
    range.setEnd(last.node, last.to);
    return range;
  }

  #nodeAt(offset: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return Math.max(0, low);
  }
}

/** Without the spaces at its ends; undefined if that leaves nothing. */
export function offsetsOf(range: Range, { body }: Document): { start: number; end: number } | undefined {
  if (!body.contains(range.commonAncestorContainer)) return undefined;
  const before = body.ownerDocument.createRange();
  before.setStart(body, 0);
  before.setEnd(range.startContainer, range.startOffset);
  const text = range.toString();
  const start = before.toString().length + (text.length - text.trimStart().length);
  const { length } = text.trim();
  return length > 0 ? { start, end: start + length } : undefined;
}
