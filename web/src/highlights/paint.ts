// Marks passages of an article without changing it, where the browser can (CSS Custom Highlight API); else in elements
// around the text. Both take their looks from the stylesheet of articles: the policy of the frame allows no other.
import { type Mark, marks } from './marks.ts';
import { PageText } from './page-text.ts';

export interface Painted {
  readonly id: number;
  readonly start: number;
  readonly end: number;
  readonly mark: Mark;
  readonly hasNote: boolean;
}

export interface Painter {
  paint(passages: readonly Painted[], active: number | null): void;
  /** As it is painted now. */
  rangeOf(id: number): Range | undefined;
}

/** Not every browser has it, and TypeScript knows a window without it. */
type PaintingWindow = Window & { CSS: { highlights?: HighlightRegistry }; Highlight: typeof Highlight };

export function createPainter(document: Document): Painter {
  const view = document.defaultView as PaintingWindow | null;
  const registry = typeof globalThis.Highlight === 'function' ? view?.CSS?.highlights : undefined;
  return view && registry ? byRegistry(document, view, registry) : byElements(document);
}

function byRegistry(document: Document, view: PaintingWindow, registry: HighlightRegistry): Painter {
  const text = new PageText(document);
  let ranges = new Map<number, Range>();
  const put = (name: string, painted: (Range | undefined)[], priority = 0) => {
    const highlight = new view.Highlight(...painted.filter((range) => range !== undefined));
    highlight.priority = priority;
    registry.set(`lectern-${name}`, highlight);
  };
  return {
    paint(passages, active) {
      ranges = new Map();
      for (const { id, start, end } of passages) {
        const range = text.range(start, end);
        if (range) ranges.set(id, range);
      }
      const of = (wanted: (passage: Painted) => boolean) =>
        passages.filter(wanted).map(({ id }) => ranges.get(id));
      for (const mark of marks)
        put(
          mark,
          of((passage) => passage.mark === mark),
        );
      put(
        'noted',
        of(({ hasNote }) => hasNote),
        1,
      );
      put(
        'active',
        of(({ id }) => id === active),
        2,
      );
    },
    rangeOf: (id) => ranges.get(id),
  };
}

const name = 'lectern-mark';

function byElements(document: Document): Painter {
  const unwrap = () => {
    for (const element of document.querySelectorAll(`mark.${name}`)) {
      const parent = element.parentNode;
      element.replaceWith(...element.childNodes);
      parent?.normalize();
    }
  };
  return {
    paint(passages, active) {
      unwrap();
      for (const { id, start, end, mark, hasNote } of passages) {
        // Wrapping a passage cuts the nodes that the next one is found by.
        for (const { node, from, to } of new PageText(document).pieces(start, end).reverse()) {
          // Between the rows of a table there is white space, in which a mark has no place.
          if (node.data.trim() === '') continue;
          const element = document.createElement('mark');
          element.className = name;
          Object.assign(element.dataset, {
            id: String(id),
            mark,
            noted: String(hasNote),
            active: String(id === active),
          });
          const piece = node.splitText(from);
          piece.splitText(to - from);
          piece.replaceWith(element);
          element.append(piece);
        }
      }
    },
    rangeOf(id) {
      const pieces = [...document.querySelectorAll(`mark.${name}[data-id="${id}"]`)];
      const [first] = pieces;
      const last = pieces.at(-1);
      if (!first || !last) return undefined;
      const range = document.createRange();
      range.setStartBefore(first);
      range.setEndAfter(last);
      return range;
    },
  };
}
