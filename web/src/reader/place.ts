// Where somebody is in the reader, and the address that says so: /?feed=12, /?group=3, /?view=bookmarks, with
// &entry=345 (or &bookmark=6, where the entry itself is gone) for the article that is open.
export type Scope =
  | { kind: 'home' }
  | { kind: 'unread' }
  | { kind: 'all' }
  | { kind: 'bookmarks' }
  | { kind: 'feed'; id: number }
  | { kind: 'group'; id: number };

export interface ArticleRef {
  kind: 'entry' | 'bookmark';
  id: number;
}

export interface Place {
  scope: Scope;
  article: ArticleRef | null;
}

/** What makes no sense leads home: an address can be typed by anybody. */
export function parsePlace(search: string): Place {
  const values = new URLSearchParams(search);
  const id = (name: string) => {
    const text = values.get(name) ?? '';
    return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined;
  };
  const feed = id('feed');
  const group = id('group');
  const view = values.get('view');
  const entry = id('entry');
  const bookmark = id('bookmark');
  const scope: Scope =
    feed !== undefined
      ? { kind: 'feed', id: feed }
      : group !== undefined
        ? { kind: 'group', id: group }
        : view === 'unread' || view === 'all' || view === 'bookmarks'
          ? { kind: view }
          : { kind: 'home' };
  const article: ArticleRef | null =
    entry !== undefined
      ? { kind: 'entry', id: entry }
      : bookmark !== undefined
        ? { kind: 'bookmark', id: bookmark }
        : null;
  return { scope, article };
}

export function placeHref({ scope, article }: Place): string {
  const values = new URLSearchParams();
  if (scope.kind === 'feed' || scope.kind === 'group') values.set(scope.kind, String(scope.id));
  else if (scope.kind !== 'home') values.set('view', scope.kind);
  if (article) values.set(article.kind, String(article.id));
  const text = values.toString();
  return text ? `/?${text}` : '/';
}

export const scopeHref = (scope: Scope): string => placeHref({ scope, article: null });

export function sameScope(a: Scope, b: Scope): boolean {
  return scopeHref(a) === scopeHref(b);
}

export function sameArticle(a: ArticleRef | null, b: ArticleRef | null): boolean {
  return a?.kind === b?.kind && a?.id === b?.id;
}
