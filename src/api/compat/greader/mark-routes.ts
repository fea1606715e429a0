// Marks that apps of the Google Reader API make: read, starred, and everything read up to a moment.
import type { Context } from 'hono';
import { Invalid } from '../../../errors.ts';
import { starEntries, unstarEntries } from '../../../feeds/star.ts';
import type { ApiEnv } from '../../context.ts';
import type { AppProtocol, Router } from '../../router.ts';
import { markEntries, marksAtOnce } from '../mark-entries.ts';
import { readParameters } from '../parameters.ts';
import { parseItemIds } from './item-id.ts';
import { parseMoment } from './moment.ts';
import { getStream, nothing, type Selection } from './selection.ts';
import { parseStreamId } from './stream-id.ts';

type Rows = ApiEnv['Variables']['actor']['rows'];

export function markRoutes(router: Router, protocol: AppProtocol, { base }: { base: string }): void {
  const write = (path: string, handler: (c: Context<ApiEnv>) => Promise<Response>) =>
    router.readerApp(protocol, { method: 'post', path: base + path, scope: 'write' }, handler);

  write('/reader/api/0/edit-tag', async (c) => {
    const { rows } = c.get('actor');
    const parameters = await readParameters(c);
    const change = parseChange(parameters);
    const ids = parseItemIds(parameters);
    const { read, starred } = change;
    if (read !== undefined) await markEntries(rows, ids, { read });
    if (starred !== undefined) await (starred ? starEntries : unstarEntries)(rows, ids);
    return c.text('OK');
  });

  write('/reader/api/0/mark-all-as-read', async (c) => {
    const { rows } = c.get('actor');
    const parameters = await readParameters(c);
    const names = parameters.getAll('s').filter(Boolean);
    if (names.length === 0) throw new Invalid('s: expected a stream');
    const given = parameters.get('ts')?.trim() ?? '';
    const until = given === '' ? undefined : parseMoment('ts', given) || undefined;
    const selections: (Selection | typeof nothing)[] = [];
    for (const name of names) selections.push((await getStream(rows, name)).selection);
    for (const one of selections) if (one !== nothing) await markUntil(rows, one, until);
    return c.text('OK');
  });
}

interface Change {
  readonly read?: boolean;
  readonly starred?: boolean;
}

/** What `a` adds and `r` takes away. States that Google had, and we do not, change nothing. */
export function parseChange(parameters: URLSearchParams): Change {
  let change: Change = {};
  let given = 0;
  for (const name of ['a', 'r'] as const) {
    for (const text of parameters.getAll(name).filter(Boolean)) {
      given += 1;
      const wanted = changeOf(name, text);
      if (
        (wanted.read !== undefined && change.read === !wanted.read) ||
        (wanted.starred !== undefined && change.starred === !wanted.starred)
      )
        throw new Invalid(`${name}: ${text} contradicts what else is asked for`);
      change = { ...change, ...wanted };
    }
  }
  if (given === 0) throw new Invalid('a, r: expected a state to add or to take away');
  return change;
}

function changeOf(name: 'a' | 'r', text: string): Change {
  const stream = parseStreamId(text);
  if (stream?.kind !== 'state')
    throw new Invalid(`${name}: expected user/-/state/com.google/..., since labels are on feeds`);
  const adds = name === 'a';
  switch (stream.state) {
    case 'read':
      return { read: adds };
    case 'unread':
    case 'fresh':
      return { read: !adds };
    case 'kept-unread':
      // That it is not kept unread any more does not say that it was read.
      return adds ? { read: false } : {};
    case 'starred':
      return { starred: adds };
    default:
      return {};
  }
}

async function markUntil(
  rows: Rows,
  { feedId, groupId, starred, unread }: Selection,
  until: number | undefined,
): Promise<void> {
  if (unread === false) return;
  if (starred === undefined) {
    if (until === undefined) await rows.entries.markAllRead({ feedId, groupId });
    else await rows.stream.markReadUntil({ feedId, groupId, until });
    return;
  }
  const arrivedBefore = until === undefined ? undefined : until + 1;
  for (;;) {
    const ids = await rows.stream.ids({ starred, unread: true, arrivedBefore, limit: marksAtOnce });
    if (ids.length === 0) return;
    await rows.entries.mark(ids, { read: true });
  }
}
