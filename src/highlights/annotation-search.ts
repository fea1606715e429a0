// Highlights as documents that can be found: the passage, and what was said about it.
import { isPageAddress } from '../items/save-url.ts';
import type { SearchSource, SearchText } from '../model/search.ts';
import type { HighlightText, HighlightTexts } from '../store/highlight-texts.ts';

export function annotationSource(annotations: HighlightTexts): SearchSource {
  return {
    kind: 'annotation',
    list: annotations.list,
    read: async (ids, ofUser) => (await annotations.read(ids, ofUser)).map(toText),
  };
}

/** No key: a passage is not the page, and is shown beside it. */
function toText({ id, userId, text, comments, title, url, madeAt }: HighlightText): SearchText {
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
  };
}
