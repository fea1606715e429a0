// Which of its titles an entry goes by. Pure.
import type { Deframed } from '../lib/api-types.ts';

interface Titled {
  readonly title: string;
  readonly deframed: Deframed | null;
  /** Somebody has asked for the one that is not usual. */
  readonly showsOtherTitle: boolean;
}

export interface ShownTitle {
  readonly text: string;
  /** Written by the deframer. */
  readonly isNeutral: boolean;
  /** There is another one to be shown. */
  readonly hasBoth: boolean;
}

export function shownTitle(
  { title, deframed, showsOtherTitle }: Titled,
  { original_titles }: { readonly original_titles: boolean },
): ShownTitle {
  const neutral = deframed?.title.trim() ?? '';
  const hasBoth = neutral !== '' && neutral !== title.trim();
  const isNeutral = hasBoth && showsOtherTitle === original_titles;
  return { text: isNeutral ? neutral : title, isNeutral, hasBoth };
}
