// Highlights and notes as documents that can be found: the passage and what was said about it, or what was noted.
import { isPageAddress } from '../items/save-url.ts';
import type { SearchSource, SearchText } from '../model/search.ts';
import type { HighlightText, HighlightTexts } from '../store/highlight-texts.ts';
import type { Texts } from '../store/reader-texts.ts';

export function annotationSource({ annotations }: HighlightTexts): SearchSource {
  return sourceOf('annotation', annotations);
}

export function noteSource({ notes }: HighlightTexts): SearchSource {
  return sourceOf('note', notes);
}

function sourceOf(kind: 'annotation' | 'note', texts: Texts<HighlightText>): SearchSource {
  return {
    kind,
    list: texts.list,
    read: async (ids, ofUser) => (await texts.read(ids, ofUser)).map((row) => toText(row, kind)),
  };
}

/** No key: a passage is not the page, and is shown beside it. */
function toText(
  { id, userId, text, comments, title, url, author, madeAt }: HighlightText,
  kind: 'annotation' | 'note',
): SearchText {
  const address = url ?? '';
  return {
    userId,
    refId: id,
    title: title ?? '',
    text: comments ? `${text}\n${comments}` : text,
    url: isPageAddress(address) ? address : '',
    urlKey: null,
    site: isPageAddress(address) ? new URL(address).hostname : null,
    publishedAt: madeAt,
    facts: { author: author ?? '', states: kind === 'annotation' ? ['highlighted'] : [] },
  };
}
