// Articles that were deframed, as documents that can be found: under both headlines.
import { plainText } from '../html/plain-text.ts';
import { isPageAddress, savedUrl } from '../items/save-url.ts';
import type { Analysis } from '../model/deframer.ts';
import type { SearchSource, SearchText } from '../model/search.ts';
import type { DeframedText, DeframedTexts } from '../store/deframer/deframed-texts.ts';

export function deframedSource(texts: DeframedTexts): SearchSource {
  return {
    kind: 'deframed',
    list: texts.list,
    read: async (numbers, ofUser) => (await texts.read(numbers, ofUser)).map(toText),
  };
}

function toText({ id, userId, url, analysis, content, author, pubDate }: DeframedText): SearchText {
  const said = JSON.parse(analysis) as Partial<Analysis>;
  const { title_corrected, title_original = '', description_corrected, description_original } = said;
  const lines = [title_original, description_corrected, description_original, plainText(content), author];
  return {
    userId,
    refId: id,
    title: title_corrected || title_original,
    text: [...new Set(lines.filter((line) => line))].join('\n'),
    ...(isPageAddress(url)
      ? { url, urlKey: savedUrl(url).key, site: new URL(url).hostname }
      : { url: '', urlKey: null, site: null }),
    publishedAt: pubDate,
    facts: { author },
  };
}
