// The text of the page behind an article. A page that cannot be read is no failure of its feed: then the article is what
// the feed has of it.
import { Later, LecternError, Unavailable } from '../errors.ts';
import { plainText } from '../html/plain-text.ts';
import { type FetchPageDeps, fetchPage } from '../items/fetch-page.ts';
import type { PageProcess } from '../items/page/page-process.ts';
import type { PageCopy } from '../items/page/read-page.ts';
import { race } from '../outbound/limits.ts';
import type { Article } from './analyzer.ts';
import type { NewArticle } from './new-articles.ts';

export interface ReadArticleDeps extends FetchPageDeps {
  readonly page: Pick<PageProcess, 'read'>;
}

/** What an analyzer could make use of, and more than any of them sends to a model. */
const longestText = 20_000;

/** More than a description has; some feeds have the whole article in its place. */
const longestDescription = 1_000;

export async function readArticle(
  deps: ReadArticleDeps,
  article: NewArticle,
  signal: AbortSignal,
): Promise<Article> {
  const copy = await readPage(deps, article.url, signal);
  const said = plainText(article.content);
  const text = copy?.text || said;
  const { url, title } = article;
  const description = cutAtWord(said.replaceAll('\n', ' '), longestDescription);
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
    return await race(signal, () => deps.page.read({ ...page, mediaType }));
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Unavailable) throw error;
    if (error instanceof LecternError || error instanceof Later) return undefined;
    throw error;
  }
}

function cutAtWord(text: string, most: number): string {
  if (text.length <= most) return text;
  const cut = text.slice(0, most - 1);
  const end = cut.lastIndexOf(' ');
  return `${(end > most / 2 ? cut.slice(0, end) : cut).toWellFormed()}…`;
}
