// The answers of Raindrop's API to those who may ask, as documented and recorded. What only reads, for a mirror only reads.
import type { Raindrop, RaindropAccount, RaindropCollection } from './raindrop-account.ts';
import { trash, unsorted } from './raindrop-account.ts';
import { listRaindrops, pageOf } from './raindrop-listing.ts';
import type { RaindropSwitches } from './raindrop-switches.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

type Query = Readonly<Record<string, string>>;
type Route = (query: Query, id: number) => Answer;

export function createRaindropApi(
  account: RaindropAccount,
  switches: RaindropSwitches,
  /** An address of the store that serves the copy for a while. */
  signedUrl: (id: number) => string,
): (path: string, query: Query) => Answer {
  let lists = 0;

  /** On the free plan nothing is said of copies, nor of links that broke. */
  function shown(raindrop: Raindrop): object {
    if (switches.pro) return raindrop;
    const { cache: _, broken: __, ...rest } = raindrop;
    return rest;
  }

  function raindrops(query: Query, collectionId: number): Answer {
    const { items, count } = listRaindrops(account, switches, { collectionId, query, nth: lists++ });
    return json(200, { result: true, items: items.map(shown), count, collectionId });
  }

  function raindrop(_query: Query, id: number): Answer {
    const found = account.find(id);
    return found ? json(200, { result: true, item: shown(found), author: true }) : missing();
  }

  function cache(query: Query, id: number): Answer {
    if (!switches.pro) return failure(403, 'pro_only', 'Permanent copies are part of the Pro plan');
    if (!account.copyOf(id)) return missing();
    const link = signedUrl(id);
    if (query.json) return json(200, { result: true, link });
    return text(switches.redirectStatus, `Redirecting to ${link}`, { location: link });
  }

  function collections(isRoot: boolean): Answer {
    const listed = account.collections().filter(({ parentId }) => (parentId === undefined) === isRoot);
    return json(200, { result: true, items: listed.map((one) => collectionJson(account, one)) });
  }

  function user(): Answer {
    const { _id, name, email } = account.owner;
    return json(200, {
      result: true,
      user: {
        _id,
        fullName: name,
        email,
        pro: switches.pro,
        registered: '2019-03-01T09:30:00.000Z',
        config: { broken_level: 'strict', lang: 'en', raindrops_sort: '-lastUpdate', raindrops_view: 'list' },
        groups: [{ title: 'My Collections', hidden: false, sort: 0, collections: rootIds(account) }],
      },
    });
  }

  function stats(): Answer {
    const all = account.all();
    const live = all.filter(({ collectionId }) => collectionId !== trash);
    const inside = (id: number) => all.filter(({ collectionId }) => collectionId === id).length;
    return json(200, {
      result: true,
      items: [
        { _id: 0, count: live.length },
        { _id: unsorted, count: inside(unsorted) },
        { _id: trash, count: inside(trash) },
      ],
      meta: {
        pro: switches.pro,
        _id: account.owner._id,
        changedBookmarksDate: new Date(account.changedAt()).toISOString(),
        duplicates: { count: live.length - new Set(live.map(({ link }) => link)).size },
        broken: { count: live.filter(({ broken }) => broken).length },
      },
    });
  }

  const routes: readonly (readonly [RegExp, Route])[] = [
    [/^\/raindrops\/(-?\d+)$/, raindrops],
    [/^\/raindrop\/(\d+)$/, raindrop],
    [/^\/raindrop\/(\d+)\/cache$/, cache],
    [/^\/collections$/, () => collections(true)],
    [/^\/collections\/childrens$/, () => collections(false)],
    [/^\/user$/, user],
    [/^\/user\/stats$/, stats],
    [/^\/highlights$/, (query) => json(200, { result: true, items: pageOf(highlights(account), query) })],
  ];

  return (path, query) => {
    for (const [pattern, route] of routes) {
      const match = pattern.exec(path);
      if (match) return route(query, Number(match[1]));
    }
    return missing();
  };
}

/** The newest first. They have neither the time of a change nor a place in the text. */
function highlights(account: RaindropAccount): object[] {
  return account
    .all()
    .filter(({ collectionId }) => collectionId !== trash)
    .flatMap(({ _id: raindropRef, link, title, tags, highlights: made }) =>
      made.map(({ _id, text, note, color, created }) => ({
        ...{ _id, text, note, color, created, tags },
        ...{ raindropRef, link, title },
      })),
    )
    .sort((one, other) => (one.created < other.created ? 1 : one.created > other.created ? -1 : 0));
}

function collectionJson(account: RaindropAccount, collection: RaindropCollection): object {
  const { _id, title, parentId, created, lastUpdate } = collection;
  return {
    _id,
    title,
    description: '',
    user: { $ref: 'users', $id: account.owner._id },
    access: { level: 4, draggable: true },
    color: '#0c797d',
    count: account.all().filter(({ collectionId }) => collectionId === _id).length,
    cover: [],
    created,
    expanded: true,
    lastUpdate,
    public: false,
    sort: _id,
    view: 'list',
    ...(parentId !== undefined && { parent: { $ref: 'collections', $id: parentId } }),
  };
}

function rootIds(account: RaindropAccount): number[] {
  return account
    .collections()
    .filter(({ parentId }) => parentId === undefined)
    .map(({ _id }) => _id);
}

export function json(status: number, value: unknown): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: Buffer.from(JSON.stringify(value)),
  };
}

export function text(status: number, body: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', ...headers },
    body: Buffer.from(body),
  };
}

export function failure(status: number, error: string, errorMessage: string): Answer {
  return json(status, { result: false, error, errorMessage });
}

function missing(): Answer {
  return failure(404, 'not_found', 'Not found');
}
