// Entries, as the Google Reader API gives them: their ids, their contents, and as Atom.
import type { Context } from 'hono';
import type { Clock, Millis } from '../../../model/glossary.ts';
import type { ApiEnv } from '../../context.ts';
import { jsonType } from '../../json-list.ts';
import type { AppProtocol, Router } from '../../router.ts';
import { toSeconds } from '../../schemas.ts';
import { sendParts } from '../../send-parts.ts';
import { inPortions } from '../entry-portions.ts';
import { readParameters } from '../parameters.ts';
import { toArticle } from './article.ts';
import { atomEntry, atomHead, atomTail } from './atom.ts';
import { parseItemIds } from './item-id.ts';
import type { Stream } from './selection.ts';
import { readingList } from './stream-id.ts';
import { type IdPage, parseStreamRequest, readIds } from './stream-request.ts';

const atomType = 'application/atom+xml; charset=UTF-8';

const mostIds = 10_000;
const mostContents = 1_000;

type Rows = ApiEnv['Variables']['actor']['rows'];

export function streamRoutes(
  router: Router,
  protocol: AppProtocol,
  { base, now }: { base: string; now: Clock },
): void {
  const read = (path: string, handler: (c: Context<ApiEnv>) => Promise<Response>) => {
    router.readerApp(protocol, { method: 'get', path: base + path, scope: 'read' }, handler);
    router.readerApp(protocol, { method: 'post', path: base + path, scope: 'read' }, handler);
  };

  read('/reader/api/0/stream/items/ids', async (c) => {
    const { rows } = c.get('actor');
    const request = await parseStreamRequest(rows, await readParameters(c), { most: mostIds });
    return c.body(itemRefs(await readIds(rows, request)), 200, { 'Content-Type': jsonType });
  });

  read('/reader/api/0/stream/items/contents', async (c) => {
    const ids = parseItemIds(await readParameters(c));
    const stream = { id: readingList, title: 'reading-list' };
    return sendParts(c, jsonType, contentsAsJson(c.get('actor').rows, { stream, ids, at: now() }));
  });

  for (const path of ['', '/', '/{stream*}']) {
    read(`/reader/api/0/stream/contents${path}`, async (c) => {
      const { rows } = c.get('actor');
      const { stream, page, ids } = await readPage(c, rows);
      return sendParts(c, jsonType, contentsAsJson(rows, { ...page, stream, ids, at: now() }));
    });

    const atomPath = `${base}/reader/atom${path}`;
    router.readerApp(protocol, { method: 'get', path: atomPath, scope: 'read' }, async (c) => {
      const { rows } = c.get('actor');
      const { stream, page, ids } = await readPage(c, rows);
      return sendParts(c, atomType, contentsAsAtom(rows, { ...page, stream, ids, at: now() }));
    });
  }
}

async function readPage(c: Context<ApiEnv>, rows: Rows) {
  const request = await parseStreamRequest(rows, await readParameters(c), {
    path: c.req.param('stream'),
    most: mostContents,
  });
  const page = await readIds(rows, request);
  return { stream: request.stream, page, ids: page.ids === '' ? [] : page.ids.split(',').map(Number) };
}

/** Put together as text: ten thousand objects would be made for it alone. */
function itemRefs({ ids, continuation }: IdPage): string {
  const refs = ids === '' ? '' : `{"id":"${ids.replaceAll(',', '"},{"id":"')}"}`;
  const next = continuation === undefined ? '' : `,"continuation":"${continuation}"`;
  return `{"itemRefs":[${refs}]${next}}`;
}

interface Contents {
  readonly stream: Pick<Stream, 'id' | 'title' | 'siteUrl'>;
  readonly ids: readonly number[];
  readonly at: Millis;
  readonly continuation?: string;
}

async function* contentsAsJson(rows: Rows, { stream, ids, at, continuation }: Contents) {
  const { id, title } = stream;
  yield `${JSON.stringify({ direction: 'ltr', id, title, updated: toSeconds(at) }).slice(0, -1)},"items":[`;
  let separator = '';
  for await (const portion of inPortions(rows, ids)) {
    if (portion.length === 0) continue;
    yield separator + JSON.stringify(portion.map(toArticle)).slice(1, -1);
    separator = ',';
  }
  yield `]${continuation === undefined ? '' : `,"continuation":${JSON.stringify(continuation)}`}}`;
}

async function* contentsAsAtom(rows: Rows, { stream, ids, at, continuation }: Contents) {
  yield atomHead(stream, { at, continuation });
  for await (const portion of inPortions(rows, ids)) yield portion.map(atomEntry).join('');
  yield atomTail;
}
