// Takes out the sections whose headings say that they are not what the page is about.
import type { Box } from './box.ts';
import { dropWhere } from './hint-words.ts';
import { boxText, measure, topDown } from './measure.ts';
import type { PageKind } from './page-kind.ts';

const headings = [
  /^(?:related|recommended|similar|suggested)\b/i,
  /^(?:you|we)?\s*(?:may|might|will|think you'll|’ll)?\s*also (?:like|enjoy|love|be interested)/i,
  /^you (?:may|might|could|will) (?:also )?(?:like|enjoy|love|be interested)/i,
  /^(?:customers?|people|others|shoppers|guests) (?:who|also|ask)/i,
  /^(?:frequently|often|commonly) bought together/i,
  /^(?:recently viewed|recent (?:posts|articles|comments|news)|latest (?:posts|articles|news|from)|popular (?:posts|articles|topics)|most (?:popular|read|viewed|recent))/i,
  /^(?:trending|more (?:from|in|on|like|stories|articles|posts|news|to (?:read|explore|love)))\b/i,
  /^(?:read|up|what to read|explore) (?:next|more|also)\b/i,
  /^(?:share|follow|connect)(?: (?:this|on|us|with|via)\b.*|)$/i,
  /^(?:subscribe|sign up|join (?:our|the)|newsletter|stay (?:up to date|informed|in the loop|connected|in touch))/i,
  /^(?:about the author|written by|author)$/i,
  /^(?:categories|tags|topics|archives?|filters?|filter by|sort by|shop by|browse by|quick links|navigation|contents|table of contents|on this page|in this article)$/i,
  /^(?:get in touch|contact us|we value your privacy|cookie)/i,
  /^(?:sponsored|advertisement|promoted)/i,
];
/** In a thread these are what the page is about. */
const answers = [
  /^(?:leave|post|add|write) a (?:comment|reply|review)/i,
  /^(?:\d+ )?(?:comments?|replies|responses|thoughts on)\b.{0,60}$/i,
];

export function dropSections(root: Box, kind: PageKind): void {
  const unwanted = kind === 'forum' ? headings : [...headings, ...answers];
  const all = root.prose;
  const gone = new Set<Box>();
  const places = placesIn(root);
  for (const box of topDown(root)) {
    if (!isHeading(box) || box.chars === 0 || box.chars > 80 || isIn(box, gone)) continue;
    const text = boxText(box);
    if (unwanted.some((one) => one.test(text))) dropSection(box, all, places, gone);
  }
  if (gone.size === 0) return;
  dropWhere(root, (box) => gone.has(box));
  measure(root);
}

interface Place {
  /** Among the children of its parent. */
  readonly index: number;
  /** Whether no text stands before it there. */
  readonly isFirst: boolean;
}

/** All at once, since a page may have a hundred thousand headings beside each other. */
function placesIn(root: Box): ReadonlyMap<Box, Place> {
  const places = new Map<Box, Place>();
  for (const box of topDown(root)) {
    let isFirst = true;
    for (const [index, child] of box.children.entries()) {
      if (typeof child === 'object') places.set(child, { index, isFirst });
      if (typeof child === 'string' ? child.trim() !== '' : child.chars > 0) isFirst = false;
    }
  }
  return places;
}

function dropSection(heading: Box, all: number, places: ReadonlyMap<Box, Place>, gone: Set<Box>): void {
  const limit = 0.35 * all;
  let top = heading;
  // Up to the largest box that begins with this heading.
  while (top.parent?.parent && top.parent.prose <= limit && places.get(top)?.isFirst) top = top.parent;
  gone.add(top);
  if (top.chars > heading.chars) return;
  const siblings = top.parent?.children ?? [];
  let prose = 0;
  for (let at = (places.get(top)?.index ?? 0) + 1; at < siblings.length; at++) {
    const next = siblings[at];
    if (typeof next !== 'object') continue;
    prose += next.prose;
    if (prose > limit || endsSection(next, heading)) return;
    gone.add(next);
  }
}

function endsSection(box: Box, heading: Box): boolean {
  return topDown(box).some((inner) => /^h[1-6]$/.test(inner.tag) && inner.tag <= heading.tag);
}

function isHeading(box: Box): boolean {
  return /^h[1-6]$/.test(box.tag) || box.attributes.get('role') === 'heading';
}

function isIn(box: Box, gone: ReadonlySet<Box>): boolean {
  for (let at: Box | undefined = box; at; at = at.parent) if (gone.has(at)) return true;
  return false;
}
