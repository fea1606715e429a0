// What to leave out, by kind of page.
import type { Box } from './box.ts';
import { findGrids } from './cards.ts';
import { dropWhere, hintWords } from './hint-words.ts';
import { isBlock, measure, topDown } from './measure.ts';
import type { PageKind } from './page-kind.ts';

const userDetails =
  hintWords(`userinfo user-info user-extras user-details usertitle user-title user-stats userstats postprofile
  post-profile profile signature signatures postfoot post-foot post-controls postcontrols reactions reaction last-edit
  last-edited lastedit edit-date avatar postrating post-rating likes like-summary posting-rules forumrules memberaction
  user-banner user-meta pairs expand-link block-outer reply-bar likes badge category topic-category topic-title message-attribution-opposite quote-expand expand-link quick-reply post-buttons`);
const answer = hintWords('answer answers');
const comments = hintWords('comment comments');
const shop = hintWords(`shipping delivery returns upsell addons
  add-ons addon bundle bundles swatch swatches variant variants quantity qty price prices pricing cart add-to-cart addtocart
  stock wishlist size-guide size-chart badge badges stars ugc instagram financing payment carousel`);
const reviews = hintWords('review reviews rating ratings testimonial testimonials');

export function pruneByKind(page: Box, kind: PageKind): void {
  if (kind === 'forum') pruneForum(page);
  if (kind === 'product') pruneProduct(page);
  if (kind === 'article') pruneArticle(page);
  measure(page);
}

function pruneForum(page: Box): void {
  const all = page.prose;
  if (topDown(page).some((box) => answer.test(box.hint))) {
    dropWhere(page, (box) => comments.test(box.hint) && box.prose < 0.5 * all);
  }
  dropWhere(page, (box) => userDetails.test(box.hint) && (box.prose === 0 || /-signature/.test(box.hint)));
}

/** Other articles, each with its picture and headline. */
function pruneArticle(page: Box): void {
  const cards = new Set(findGrids(page).flatMap((grid) => grid.cards));
  let prose = 0;
  for (const card of cards) prose += card.prose;
  if (prose < 0.25 * page.prose) dropWhere(page, (box) => cards.has(box));
}

function pruneProduct(page: Box): void {
  const all = page.prose;
  dropWhere(
    page,
    (box) => reviews.test(box.hint) && box.prose < 0.7 * all && all - box.prose >= 800 && !box.titled,
  );
  dropWhere(page, (box) => shop.test(box.hint) && box.prose < 0.4 * all && !box.titled);
  const others = new Set(findGrids(page).flatMap((grid) => (grid.priced ? grid.cards : [])));
  dropWhere(page, (box) => others.has(box));
  measure(page);
  dropWhere(page, (box) => isBlock(box) && box.prose === 0 && box.linkChars > 0.8 * box.chars);
}
