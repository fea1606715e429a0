// Entries as documents that can be found.
import { savedUrl } from '../items/save-url.ts';
import type { SearchSource } from '../model/search.ts';
import type { EntryTexts } from '../store/entry-texts.ts';
import { plainText } from './plain-text.ts';

export function entrySource(texts: EntryTexts): SearchSource {
  return {
    kind: 'entry',
    list: texts.list,
    read: async (ids) =>
      (await texts.read(ids)).map(({ id, userId, title, author, content, link, pubDate }) => {
        const isPage = /^https?:\/\//i.test(link) && URL.canParse(link);
        return {
          userId,
          refId: id,
          title,
          text: author === '' ? plainText(content) : `${plainText(content)}\n${author}`,
          urlKey: isPage ? savedUrl(link).key : null,
          site: isPage ? new URL(link).hostname : null,
          publishedAt: pubDate,
        };
      }),
  };
}
