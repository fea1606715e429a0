// The text of the page behind an article. A page that cannot be read is no failure of its feed: then the article is what
// the feed has of it.
import { Later, LecternError } from '../errors.ts';
import { plainText } from '../html/plain-text.ts';
import { type FetchPageDeps, fetchPage } from '../items/fetch-page.ts';
import type { PageProcess } from '../items/page/page-process.ts';
import type { PageCopy } from '../items/page/read-page.ts';
import type { Article } from './analyzer.ts';
import type { NewArticle } from './new-articles.ts';

export interface ReadArticleDeps extends FetchPageDeps {
  readonly page: Pick<PageProcess, 'read'>;
}

/** What an analyzer could make use of, and more than any of them sends to a model. */
const longestText = 20_000;

export async function readArticle(
  deps: ReadArticleDeps,
  article: NewArticle,
  signal: AbortSignal,
): Promise<Article> {
  const copy = await readPage(deps, article.url, signal);
  const text = copy?.text || plainText(article.content);
  const { url, title, description } = article;
  return {
    url,
    title: title || (copy?.facts.title ?? ''),
    description: description || (copy?.facts.excerpt ?? ''),
    text: text.slice(0, longestText).toWellFormed(),
    language: article.language || (copy?.facts.language.split('-')[0]?.toLowerCase() ?? ''),
  };
}

async function readPage(
  deps: ReadArticleDeps,
  url: string,
  signal: AbortSignal,
): Promise<PageCopy | undefined> {
  try {
    const page = await fetchPage(deps, { url, signal });
    const { mediaType } = page.kind === 'page' ? page : { mediaType: undefined };
    if (page.kind !== 'page' || mediaType === undefined || mediaType.startsWith('image/')) return undefined;
    const copy = await deps.page.read({ ...page, mediaType });
    signal.throwIfAborted();
    return copy;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof LecternError || error instanceof Later) return undefined;
    throw error;
  }
}
