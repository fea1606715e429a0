// A highlight as assistants see it, wherever it is listed.
import type { ShownAnnotation } from '../../store/owned/highlights/highlight-store.ts';
import { cutLine, cutText, wholeUrl } from '../budget.ts';
import { dateOf } from '../tool.ts';

export function highlightRow(
  { id, text, color, madeAt, resource, comments }: ShownAnnotation,
  maxCharacters: number,
) {
  const noted = comments.map(({ content }) => content).join('\n');
  const most = Math.min(4_000, Math.max(500, Math.floor(maxCharacters / 4)));
  const shown = cutText(text, most);
  return {
    id: String(id),
    text: shown,
    ...(shown.endsWith('…') && !text.endsWith('…') && { text_cut: true }),
    ...(noted !== '' && { noted: cutText(noted, most / 2) }),
    ...(color !== null && { color: cutLine(color, 20) }),
    title: cutLine(resource.title, 150),
    url: wholeUrl(resource.url),
    date: dateOf(madeAt),
  };
}

export const aboutCutTexts = 'Where text_cut is true, get_text with kind annotation has the whole.';
