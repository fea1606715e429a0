// Feeds and their labels, as the Google Reader API lists and changes them.
import type { Context } from 'hono';
import { Invalid, NotFound } from '../../../errors.ts';
import { exportOpml } from '../../../feeds/opml/export-opml.ts';
import { importOpml } from '../../../feeds/opml/import-opml.ts';
import { opmlLimits } from '../../../feeds/opml/limits.ts';
import type { Feed } from '../../../model/feed.ts';
import type { ApiDeps, ApiEnv } from '../../context.ts';
import { feedPortions } from '../../feed-portions.ts';
import { jsonList, jsonType, mapEach } from '../../json-list.ts';
import { readDocument } from '../../read-document.ts';
import type { AppProtocol, Router } from '../../router.ts';
import { sendParts } from '../../send-parts.ts';
import { readParameters } from '../parameters.ts';
import { findGroup } from './selection.ts';
import { feedStream, labelStream, stateStream } from './stream-id.ts';
import {
  checked,
  editSubscription,
  labelName,
  labelOf,
  quickAdd,
  subscribe,
  unsubscribe,
} from './subscribe.ts';
import { countUnread } from './unread-count.ts';

export function subscriptionRoutes(
  router: Router,
  protocol: AppProtocol,
  { base, deps }: { base: string; deps: ApiDeps },
): void {
  type Answer = (c: Context<ApiEnv>) => Promise<Response>;
  const read = (path: string, handler: Answer) =>
    router.readerApp(protocol, { method: 'get', path: base + path, scope: 'read' }, handler);
  const write = (path: string, handler: Answer) =>
    router.readerApp(protocol, { method: 'post', path: base + path, scope: 'write' }, handler);

  read('/reader/api/0/subscription/list', async (c) => {
    const { rows } = c.get('actor');
    const labels = new Map((await rows.groups.list()).map(({ id, name }) => [id, name]));
    const toSubscription = ({ id, name, link, siteUrl, groupId }: Feed) => {
      const label = labels.get(groupId) ?? '';
      return {
        id: feedStream(id),
        title: name,
        categories: [{ id: labelStream(label), label }],
        url: link,
        htmlUrl: siteUrl,
        // Ours are given to whoever is logged in alone; NewsFlash fails where there is none at all.
        iconUrl: '',
      };
    };
    async function* body() {
      yield '{"subscriptions":';
      yield* jsonList(mapEach(feedPortions(rows), toSubscription));
      yield '}';
    }
    return sendParts(c, jsonType, body());
  });

  read('/reader/api/0/tag/list', async (c) => {
    const groups = await c.get('actor').rows.groups.list();
    const labels = groups.map(({ name }) => ({ id: labelStream(name), type: 'folder' }));
    return c.json({ tags: [{ id: stateStream('starred') }, ...labels] });
  });

  read('/reader/api/0/unread-count', async (c) => c.json(await countUnread(c.get('actor').rows)));

  write('/reader/api/0/subscription/edit', async (c) => {
    const { rows } = c.get('actor');
    const parameters = await readParameters(c);
    const streams = parameters.getAll('s').filter(Boolean);
    const titles = parameters.getAll('t');
    const [add, remove] = ['a', 'r'].map((name) => parameters.getAll(name).filter(Boolean).at(-1));
    const edit = editing(parameters.get('ac'));
    if (streams.length === 0) throw new Invalid('s: expected feed/ and an address or an id');
    for (const [n, stream] of streams.entries())
      await edit(deps, rows, { stream, title: titles[n]?.trim() ?? '', add, remove });
    return c.text('OK');
  });

  write('/reader/api/0/subscription/quickadd', async (c) => {
    const parameters = await readParameters(c);
    return c.json(await quickAdd(deps, c.get('actor').rows, parameters.get('quickadd') ?? ''));
  });

  read('/reader/api/0/subscription/export', async (c) =>
    c.body(await exportOpml(c.get('actor').rows, deps), 200, { 'Content-Type': 'text/xml; charset=UTF-8' }),
  );

  router.readerApp(
    protocol,
    {
      method: 'post',
      path: `${base}/reader/api/0/subscription/import`,
      scope: 'write',
      maxBodyBytes: opmlLimits.fileBytes,
    },
    async (c) => {
      const { created, existing } = await importOpml(
        c.get('actor').rows,
        await deps.parser.parse('opml', await readDocument(c, deps.store.journal)),
      );
      return c.text(`OK: ${created + existing}`);
    },
  );

  write('/reader/api/0/rename-tag', async (c) => {
    const { rows } = c.get('actor');
    const parameters = await readParameters(c);
    const name = checked('dest', labelName, labelOf('dest', parameters.get('dest') ?? ''));
    const group = await findGroup(rows, labelOf('s', parameters.get('s') ?? ''));
    if (!group) throw new NotFound('label');
    if (group.name !== name) await rows.groups.rename(group.id, { name });
    return c.text('OK');
  });

  write('/reader/api/0/disable-tag', async (c) => {
    const { rows } = c.get('actor');
    const parameters = await readParameters(c);
    const names = parameters.getAll('s').map((text) => labelOf('s', text));
    if (names.length === 0) throw new Invalid('s: expected user/-/label/NAME');
    for (const name of names) {
      const group = await findGroup(rows, name);
      if (!group) throw new NotFound('label');
      await rows.groups.delete(group.id);
    }
    return c.text('OK');
  });
}

type Editing = typeof subscribe;

function editing(action: string | null): Editing {
  switch (action) {
    case 'subscribe':
      return subscribe;
    case 'unsubscribe':
      return (_deps, rows, edit) => unsubscribe(rows, edit);
    case 'edit':
      return (_deps, rows, edit) => editSubscription(rows, edit);
    default:
      throw new Invalid('ac: expected subscribe, unsubscribe or edit');
  }
}
