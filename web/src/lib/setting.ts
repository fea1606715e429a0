// How the text of an article is set. The title above it stands in the page and the text in a frame; both take these
// measures, so that they stand in one column.
import type { Preferences } from './preferences.svelte.ts';

/** Of an average letter in running text, to the size of the face. */
const letterWidth = { serif: 0.472, sans: 0.5, system: 0.49 };

const usual = {
  phone: { sizePx: 18, gutterPx: 20 },
  medium: { sizePx: 19, gutterPx: 24 },
  desk: { sizePx: 20, gutterPx: 40 },
};
export type Layout = keyof typeof usual;

export interface Setting {
  sizePx: number;
  columnPx: number;
  gutterPx: number;
}

export function settingOf({ font, size, measure }: Preferences, layout: Layout): Setting {
  const sizePx = size > 0 ? size : usual[layout].sizePx;
  return {
    sizePx,
    columnPx: Math.round(measure * sizePx * letterWidth[font]),
    gutterPx: usual[layout].gutterPx,
  };
}
