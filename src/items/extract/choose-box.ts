// Where in the page the content is.
import type { Box } from './box.ts';
import { buildOf } from './cards.ts';
import { topDown } from './measure.ts';
import type { PageKind } from './page-kind.ts';

/** The smallest box that still has most of the prose. */
export function chooseBox(root: Box, kind: PageKind): Box {
  const weight = (box: Box) => weigh(box, kind);
  const main = topDown(root).find((box) => box.tag === 'main' || box.attributes.get('role') === 'main');
  const from = main && weight(main) > 0.5 * weight(root) && main.prose >= 0.3 * root.prose ? main : root;
  if (kind === 'product') {
    const title = topDown(from).find((box) => box.tag === 'h1' && box.chars > 0);
    const need = Math.max(300, 0.5 * from.prose);
    for (let at = title; at && at !== root.parent; at = at.parent) if (at.prose >= need) return at;
  }
  let chosen = from;
  for (;;) {
    const next = chosen.children.find(
      (child): child is Box =>
        typeof child === 'object' &&
        weight(child) > (kind === 'article' ? 0.8 : 0.9) * weight(from) &&
        child.tag !== 'p',
    );
    if (!next || isOneOfMany(next, chosen)) return chosen;
    chosen = next;
  }
}

function weigh(box: Box, kind: PageKind): number {
  const share = kind === 'collection' || kind === 'listing' ? 0.7 : 0.3;
  return box.prose + share * (box.chars - box.prose);
}

/** One post of a thread, however long, is not the whole of it. */
function isOneOfMany(box: Box, parent: Box): boolean {
  const build = buildOf(box);
  return parent.children.some(
    (child) => typeof child === 'object' && child !== box && child.chars > 0 && buildOf(child) === build,
  );
}
