// Takes out what every page of a site has, and what nobody sees.
import type { Box } from './box.ts';
import { dropWhere, hintWords } from './hint-words.ts';
import { measure } from './measure.ts';
import type { PageKind } from './page-kind.ts';

const chrome =
  hintWords(`nav navbar navigation breadcrumb breadcrumbs footer sidebar side-bar sidenav masthead topbar top-bar
  toolbar skip-link skiplink minicart mini-cart drawer off-canvas offcanvas megamenu mega-menu`);
const apart = hintWords(`pagination pager pagenav cookie cookies consent gdpr modal popup pop-up lightbox
  tooltip toast snackbar login signin sign-in signup sign-up search-form searchform filter filters facet facets refinements
  share sharing sharer social socials follow-us addtoany newsletter subscribe advert advertisement advertising ad ads adsense
  sponsored sponsor outbrain taboola print-only noprint no-print copyright`);
const menus = hintWords(
  `menu submenu megamenu dropdown toc table-of-contents rail tabs links tags tag-list taglist post-tags widget`,
);
/** Who wrote it and when: of a post in a thread that is part of what is said. */
const bylines = hintWords('meta post-meta entry-meta byline');
const outside =
  hintWords(`related recommended recommendations recommendation recommend upsell upsells cross-sell crosssell also-like
  you-may-like trending popular recently-viewed recent-posts more-from read-next up-next next-up promo promos promotion
  author-bio author-box about-author disclaimer subscription`);
const comments = hintWords(`comment comments disqus respond replies commentlist`);
const unseenHint =
  hintWords(`sr-only visually-hidden visuallyhidden screen-reader-text screen-reader-only screenreader hidden-text
  sr-text u-hidden is-hidden`);

const tags = new Set(['aside', 'footer', 'nav', 'dialog', 'menu']);
const controls = new Set(['label', 'fieldset', 'legend']);
const buttons = hintWords('btn button buttons cta skip stars rating ratings count badge badges');
const roles = new Set(
  `alert alertdialog banner complementary contentinfo dialog menu menubar navigation radiogroup search status tablist tooltip toolbar`.split(
    ' ',
  ),
);

/** What has so much of the prose is no furniture, whatever its name. */
const guard = 0.35;
const hintGuard = 0.2;
const charsGuard = 0.25;

export function dropFurniture(root: Box, kind: PageKind, rules: 'all' | 'plain'): void {
  const written = root.prose;
  // Some sites send the page hidden and show it by script.
  dropWhere(root, (box) => isUnseen(box) && box.prose <= 0.3 * written);
  measure(root);
  dropByTag(root, kind);
  measure(root);
  if (rules === 'all') dropByName(root, kind);
}

function dropByTag(root: Box, kind: PageKind): void {
  const written = root.prose;
  dropWhere(root, (box) => (isWindow(box) || isFrame(box)) && written - box.prose >= 300 && !box.titled);
  // What stood in a window, often pages of legal text, must not make the rest look small.
  measure(root);
  const { prose: all, chars } = root;
  dropWhere(root, (box) => isFurniture(box, all, chars, kind));
}

/** If so little is left, the names did not mean what they usually do: "hide-read-more-ad", "has-sidebar". */
const leastLeft = 0.35;
const leastCharactersLeft = 0.2;

function dropByName(root: Box, kind: PageKind): void {
  const { prose, chars } = root;
  const undo = dropWhere(root, (box) => isNamedFurniture(box, prose, chars, kind));
  measure(root);
  if (root.prose < leastLeft * prose || root.chars < leastCharactersLeft * chars) undo();
  measure(root);
}

function isFurniture(box: Box, all: number, chars: number, kind: PageKind): boolean {
  if (box.tag === 'template') return !box.attributes.has('shadowrootmode');
  if (box.tag === 'noscript') return box.prose <= all * 0.5 && !isOnlyImage(box);
  if (box.tag === 'button' || box.attributes.get('role') === 'button')
    return box.chars < 80 && !isHeading(box);
  if ((controls.has(box.tag) || box.attributes.has('aria-live')) && box.prose === 0) return true;
  if (all > 0 && box.prose > guard * all && weightOf(box) > 0.25 * (all + 0.15 * (chars - all))) return false;
  if (box.titled && box.tag !== 'header' && box.tag !== 'nav') return false;
  if (box.tag === 'form')
    return box.prose < (kind === 'forum' ? 1 : 200) && box.chars < Math.max(600, 0.3 * chars);
  if (tags.has(box.tag) || roles.has(box.attributes.get('role') ?? '')) return true;
  if (box.tag === 'header') return !within(box, 'article') && !within(box, 'main');
  return false;
}

function isNamedFurniture(box: Box, all: number, chars: number, kind: PageKind): boolean {
  if (box.hint === '' || box.tag === 'main' || box.tag === 'article') return false;
  if (
    kind !== 'forum' &&
    comments.test(box.hint) &&
    box.prose < 0.6 * all &&
    all - box.prose >= 500 &&
    !box.titled
  )
    return true;
  if (box.titled || (box.prose > hintGuard * all && all > 0)) return false;
  if (chrome.test(box.hint)) return true;
  if (box.chars > charsGuard * chars) return false;
  if (apart.test(box.hint) || outside.test(box.hint)) return true;
  if (buttons.test(box.hint) && box.prose === 0 && box.chars < 40) return true;
  const isMinor = menus.test(box.hint) || (kind !== 'forum' && bylines.test(box.hint));
  return isMinor && (box.linkChars > 0.5 * box.chars || box.chars < 60) && box.prose === 0;
}

const windows =
  hintWords(`cookie cookies consent gdpr modal popup pop-up popover lightbox drawer off-canvas offcanvas minicart
  mini-cart dialog`);

/** What opens over the page is not part of it, however much is in it. */
function isWindow(box: Box): boolean {
  return (
    box.tag === 'dialog' ||
    /dialog$/.test(box.attributes.get('role') ?? '') ||
    box.attributes.get('aria-modal') === 'true' ||
    windows.test(box.hint)
  );
}

/** What surrounds every page of a site. */
function isFrame(box: Box): boolean {
  const role = box.attributes.get('role') ?? '';
  if (box.tag === 'nav' || role === 'navigation' || role === 'contentinfo') return true;
  return box.tag === 'footer' && !within(box, 'article') && !within(box, 'main');
}

/** The image of those without scripts, where the others get theirs from a script. */
function isOnlyImage(box: Box): boolean {
  return box.images > 0 && box.chars === 0 && box.images === box.parent?.images;
}

/** What opens a part of the page is its heading. */
function isHeading(box: Box): boolean {
  if (/^h\d$/.test(box.parent?.tag ?? '') || box.parent?.attributes.get('role') === 'heading') return true;
  return box.attributes.has('aria-controls') && box.attributes.has('aria-expanded') && box.chars >= 15;
}

function isUnseen(box: Box): boolean {
  const { attributes } = box;
  if (attributes.size === 0) return false;
  if (box.hint !== '' && unseenHint.test(box.hint)) return true;
  const style = attributes.get('style');
  const hidden =
    attributes.has('hidden') ||
    attributes.get('aria-hidden') === 'true' ||
    (style !== undefined && /display\s*:\s*none|visibility\s*:\s*hidden/i.test(style));
  return hidden && !isFolded(box);
}

const folded =
  hintWords(`accordion accordions collapse collapsible collapsed panel tab tabs tabpanel faq faqs expander expandable
  toggle disclosure`);

/** Parts that open at a click are as much of the page as those that stand open. */
function isFolded(box: Box): boolean {
  let at: Box | undefined = box;
  for (let up = 0; at && up < 3; up++, at = at.parent) {
    const role = at.attributes.get('role');
    if (role === 'tabpanel' || role === 'region' || at.tag === 'details' || folded.test(at.hint)) return true;
  }
  return false;
}

function within(box: Box, tag: string): boolean {
  for (let at = box.parent; at; at = at.parent) if (at.tag === tag) return true;
  return false;
}

function weightOf(box: Box): number {
  return box.prose + 0.15 * (box.chars - box.prose);
}
