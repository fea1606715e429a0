// The highlights of the page that is read, each with its place in the document that shows it.
import { type Anchor, AnchorText, anchorQuote } from './anchor/anchor-quote.ts';
import { describeSelection, type TextBoundary, type TextPosition } from './anchor/describe-selection.ts';
import { fetchHighlightsOf, makeHighlight } from './changes.ts';
import { HighlightSet, tellFailure } from './highlight-set.svelte.ts';
import { type Mark, markOf } from './marks.ts';
import type { Painted } from './paint.ts';
import { targetOf } from './target-of.ts';
import type { Highlight, Highlighted } from './types.ts';

/** Somebody may be scrolling meanwhile. */
const longestTurnMs = 12;

export class PageHighlights extends HighlightSet {
  readonly of: Highlighted;
  readonly #text: AnchorText;
  #anchors = $state.raw<ReadonlyMap<number, Anchor | 'orphan'>>(new Map());
  /** Those that the server has not named yet. */
  #nextId = -1;

  constructor(of: Highlighted, text: string, found: readonly Highlight[]) {
    super();
    this.of = of;
    this.#text = new AnchorText(text);
    this.list = found;
  }

  /** In the order of the text. */
  painted = $derived.by<Painted[]>(() =>
    this.list
      .flatMap(({ id, color, comments }) => {
        const anchor = this.#anchors.get(id);
        if (!anchor || anchor === 'orphan') return [];
        return [
          { id, start: anchor.start, end: anchor.end, mark: markOf(color), hasNote: comments.length > 0 },
        ];
      })
      .sort((a, b) => a.start - b.start || b.end - a.end),
  );
  orphans = $derived(this.list.filter(({ id }) => this.#anchors.get(id) === 'orphan'));

  /** Looks for those that have not been looked for. */
  async anchor(): Promise<void> {
    let began = performance.now();
    const found = new Map(this.#anchors);
    for (const highlight of this.list) {
      if (found.has(highlight.id)) continue;
      found.set(highlight.id, anchorQuote(this.#text, targetOf(highlight)));
      if (performance.now() - began < longestTurnMs) continue;
      this.#anchors = new Map([...this.#anchors, ...found]);
      await new Promise((resolve) => setTimeout(resolve));
      began = performance.now();
    }
    this.#anchors = new Map([...this.#anchors, ...found]);
  }

  async renew(): Promise<void> {
    try {
      const found = await fetchHighlightsOf(this.of);
      this.list = [...this.list.filter(({ id }) => id < 0), ...found];
    } catch {
      // What is shown serves.
    }
    await this.anchor();
  }

  /** Shows it at once, under a name of ours; says so when the server has given it one. */
  add(at: TextPosition, mark: Mark, onnamed: (before: number, id: number) => void): number {
    const boundary = describeSelection(this.#text.text, at.start, at.end);
    const id = this.#nextId--;
    const now = new Date().toISOString();
    this.#setAnchor(id, at);
    this.put({
      id,
      resource_id: 0,
      text: boundary.quote.exact,
      color: mark,
      boundary,
      source: 'lectern',
      made_at: now,
      updated_at: now,
      deleted_at: null,
      resource: { id: 0, type: 'website', title: '', author: '', url: '', item_id: null },
      comments: [],
      in_step: false,
    });
    void this.#send(id, at, mark, boundary, onnamed);
    return id;
  }

  async #send(
    id: number,
    at: TextPosition,
    color: Mark,
    boundary: TextBoundary,
    onnamed: (before: number, id: number) => void,
  ): Promise<void> {
    try {
      const made = await makeHighlight(this.of, { text: boundary.quote.exact, color, boundary });
      this.#setAnchor(made.id, at);
      this.drop(id);
      this.put(made);
      onnamed(id, made.id);
    } catch (error) {
      this.drop(id);
      tellFailure(error, () => this.add(at, color, onnamed));
    }
  }

  override put(highlight: Highlight): void {
    super.put(highlight);
    if (!this.#anchors.has(highlight.id)) void this.anchor();
  }

  #setAnchor(id: number, { start, end }: TextPosition): void {
    this.#anchors = new Map([...this.#anchors, [id, { start, end, score: 1 }]]);
  }
}
