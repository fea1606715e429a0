// What a request for a stream asks for, and the page of ids that answers it.
import { Invalid } from '../../../errors.ts';
import type { UserRows } from '../../../store/store.ts';
import { parseMoment } from './moment.ts';
import { allBut, both, getStream, nothing, onlyOf, type Selection, type Stream } from './selection.ts';
import { readingList } from './stream-id.ts';

export type StreamRows = Pick<UserRows, 'feeds' | 'groups' | 'stream'>;

export interface StreamRequest {
  /** The first of them, by which the answer is named. */
  readonly stream: Stream;
  /** Of each stream that is asked for; none of those in which nothing can be. */
  readonly selections: readonly Selection[];
  readonly limit: number;
  readonly oldestFirst: boolean;
  readonly after: number | undefined;
}

export interface IdPage {
  /** With commas between them. */
  readonly ids: string;
  /** Absent at the end. */
  readonly continuation?: string;
}

const usualPage = 20;

/**
 * An entry has the time at which its transaction began to write it, and is seen when that has ended: an app that asks
 * from when it asked last must not miss what came meanwhile. It knows entries by their ids, and may be told of one twice.
 */
const writtenWithinMs = 10_000;

export async function parseStreamRequest(
  rows: StreamRows,
  parameters: URLSearchParams,
  { path, most }: { path?: string | undefined; most: number },
): Promise<StreamRequest> {
  const named = [...(path === undefined ? [] : [path]), ...parameters.getAll('s')].filter(Boolean);
  const streams: Stream[] = [];
  for (const name of named.length === 0 ? [readingList] : [...new Set(named)])
    streams.push(await getStream(rows, name));
  const narrowed = await parseTargets(rows, parameters);
  return {
    stream: streams[0] as Stream,
    selections: streams.map(({ selection }) => both(selection, narrowed)).filter((one) => one !== nothing),
    limit: parseLimit(parameters.get('n'), most),
    oldestFirst: parameters.get('r') === 'o',
    after: parseContinuation(parameters.get('c')),
  };
}

export async function readIds({ stream }: StreamRows, request: StreamRequest): Promise<IdPage> {
  const { selections, limit, oldestFirst, after } = request;
  // One more than the page holds: whether another follows is known, and the last one says that it is.
  const page = { limit: limit + 1, oldestFirst, after };
  const [first, ...others] = selections;
  if (!first) return { ids: '' };
  if (others.length === 0) {
    const { ids, count } = await stream.idText({ ...first, ...page });
    return count > limit ? endedAt(ids.slice(0, ids.lastIndexOf(','))) : { ids };
  }
  const all = new Set<number>();
  for (const one of selections) for (const id of await stream.ids({ ...one, ...page })) all.add(id);
  const sorted = [...all].sort((a, b) => (oldestFirst ? a - b : b - a));
  const ids = sorted.slice(0, limit).join(',');
  return sorted.length > limit ? endedAt(ids) : { ids };
}

function endedAt(ids: string): IdPage {
  return { ids, continuation: ids.slice(ids.lastIndexOf(',') + 1) };
}

async function parseTargets(
  rows: StreamRows,
  parameters: URLSearchParams,
): Promise<Selection | typeof nothing> {
  const [from, until] = [parameters.get('ot'), parameters.get('nt')];
  let narrowed: Selection | typeof nothing = {
    ...(from && { arrivedFrom: parseMoment('ot', from) - writtenWithinMs }),
    // The whole of the second that it names.
    ...(until && { arrivedBefore: parseMoment('nt', until) + 1_000 }),
  };
  for (const target of parameters.getAll('it').filter(Boolean))
    narrowed = both(narrowed, await onlyOf(rows, target));
  for (const target of parameters.getAll('xt').filter(Boolean))
    narrowed = both(narrowed, await allBut(rows, target));
  return narrowed;
}

/** More than `most` is taken for `most`. */
function parseLimit(text: string | null, most: number): number {
  if (text === null || text === '') return usualPage;
  if (!/^\d{1,15}$/.test(text)) throw new Invalid(`n: expected a number from 1 to ${most}`);
  return Math.min(Number(text) || usualPage, most);
}

function parseContinuation(text: string | null): number | undefined {
  if (text === null || text === '') return undefined;
  if (!/^\d{1,15}$/.test(text)) throw new Invalid('c: expected the continuation of a page');
  return Number(text);
}
