// A host of the mirror that keeps everything in memory, counts its writes, and may end at any of them.
import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { startRun, takeMessage } from '../../src/mirror/chain.ts';
import type {
  BatchMessage,
  BatchResult,
  MirroredCollection,
  MirroredRaindrop,
  MirrorHost,
} from '../../src/mirror/host.ts';
import { stateKeys } from '../../src/mirror/run-state.ts';
import { Faults } from './faults.ts';
import type { Raindrop } from './raindrop-account.ts';
import type { RaindropServer } from './raindrop-server.ts';

export interface MirrorMemory {
  readonly objects: Map<string, Uint8Array>;
  readonly rows: Map<number, MirroredRaindrop>;
  readonly state: Map<string, string>;
  collections: readonly MirroredCollection[];
}

export const newMemory = (): MirrorMemory => ({
  objects: new Map(),
  rows: new Map(),
  state: new Map(),
  collections: [],
});

export const copyOfMemory = ({ objects, rows, state, collections }: MirrorMemory): MirrorMemory => ({
  objects: new Map(objects),
  rows: new Map(rows),
  state: new Map(state),
  collections,
});

/** Time that only passes when somebody waits. */
export class TestTime {
  ms: number;
  readonly pauses: number[] = [];

  constructor(at = Date.parse('2026-03-01T05:15:00Z')) {
    this.ms = at;
  }

  readonly now = () => this.ms;
  readonly pause = async (ms: number) => {
    this.pauses.push(ms);
    this.ms += ms;
  };
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

export function memoryHost(
  memory: MirrorMemory,
  { server, time, faults = new Faults() }: { server: RaindropServer; time: TestTime; faults?: Faults },
): MirrorHost {
  const { objects, rows, state } = memory;
  const put = (key: string, data: Uint8Array | string) =>
    objects.set(key, typeof data === 'string' ? new TextEncoder().encode(data) : data.slice());
  const read = async (key: string) => objects.get(key);
  return {
    objects: {
      read,
      put: (key, data) => faults.step(`put ${key}`, async () => void put(key, data)),
      readVersion: async (key) => {
        const bytes = await read(key);
        return bytes && { bytes, version: sha256(bytes) };
      },
      putIf: (key, data, version) =>
        faults.step(`putIf ${key}`, async () => {
          const bytes = await read(key);
          if ((bytes && sha256(bytes)) !== version) return false;
          put(key, data);
          return true;
        }),
      sha256: async (key) => {
        const bytes = await read(key);
        return bytes && sha256(bytes);
      },
      async *folders(prefix) {
        const below = [...objects.keys()].filter((key) => key.startsWith(prefix));
        yield* new Set(below.map((key) => key.slice(prefix.length).split('/')[0] as string));
      },
      async *list(prefix) {
        yield* [...objects.keys()].filter((key) => key.startsWith(prefix)).sort();
      },
    },
    index: {
      known: async (ids) => new Set(ids.filter((id) => rows.get(id)?.removedAt === null)),
      upsert: (raindrops) =>
        faults.step('upsert', async () => {
          for (const raindrop of raindrops) rows.set(raindrop.id, raindrop);
        }),
      setCollections: (collections) =>
        faults.step('setCollections', async () => {
          memory.collections = collections;
        }),
      count: async () => [...rows.values()].filter(({ removedAt }) => removedAt === null).length,
      async *liveIds() {
        const live = [...rows.values()].filter(({ removedAt }) => removedAt === null);
        yield* live.map(({ id }) => id).sort((a, b) => a - b);
      },
    },
    state: {
      get: async (key) => state.get(key) ?? null,
      set: (key, value) =>
        faults.step(`set ${key}`, async () => {
          const before = state.get(key);
          if (key === stateKeys.cursor && before !== undefined) expect(value >= before).toBe(true);
          state.set(key, value);
        }),
    },
    // biome-ignore lint/suspicious/noExplicitAny: the types of Node and of the web differ in what nobody uses here.
    fetch: (url, init) => fetch(url, init as any),
    now: time.now,
    pause: time.pause,
    random: () => 0.5,
    timeoutMs: 2_000,
    api: { url: server.apiUrl, token: server.switches.token },
  };
}

/** Batches until a run is done, as a queue would send them. Returns them. */
export async function runToEnd(host: MirrorHost, time: TestTime, mostBatches = 200): Promise<BatchResult[]> {
  const batches: BatchResult[] = [];
  let message: BatchMessage | undefined = await startRun(host);
  while (message) {
    const result: BatchResult | undefined = await takeMessage(host, message);
    if (!result) throw new Error(`a message was dropped: ${JSON.stringify(message)}`);
    batches.push(result);
    if (batches.length > mostBatches) throw new Error('the run does not end');
    time.ms += result.delay;
    message = result.isDone ? undefined : result.next;
  }
  return batches;
}

/** What is mirrored is what Raindrop has, neither more nor less. */
export function expectMirrored(memory: MirrorMemory, { account, switches }: RaindropServer): void {
  const live = account
    .all()
    .filter(({ removed }) => !removed)
    // The free plan knows nothing of copies.
    .map(({ cache, broken, ...rest }) => (switches.pro ? { cache, broken, ...rest } : rest)) as Raindrop[];
  const liveIds = live.map(({ _id }) => _id);
  expect(
    [...memory.rows.values()]
      .filter(({ removedAt }) => removedAt === null)
      .map(({ id }) => id)
      .sort(),
  ).toEqual([...liveIds].sort());
  const lines = [...memory.objects]
    .filter(([key]) => key.startsWith('manifests/') && key.endsWith('.jsonl'))
    .flatMap(([, bytes]) => text(bytes).trimEnd().split('\n'));
  expect(new Set(lines).size).toBe(lines.length);
  const manifest = lines.map((line) => JSON.parse(line));
  for (const raindrop of live) {
    const { _id: id } = raindrop;
    const read = (name: string) => memory.objects.get(`raindrops/${id}/${name}`);
    expect(JSON.parse(text(read('raw.json')))).toEqual(JSON.parse(JSON.stringify(raindrop)));
    const meta = JSON.parse(text(read('meta.json')));
    expect(meta.raw_sha256).toBe(sha256(read('raw.json') as Uint8Array));
    expect(meta.text_sha256).toBe(sha256(read('plain.txt') as Uint8Array));
    expect(meta.chunks_sha256).toBe(sha256(read('chunks.jsonl') as Uint8Array));
    expect(meta.removed_at).toBeNull();
    if (raindrop.cache?.status === 'ready') {
      expect(meta.copy).toBe('stored');
      expect(meta.copy_created).toBe(raindrop.cache.created);
    }
    if (meta.sha256 !== null) expect(meta.sha256).toBe(sha256(read('permacopy.html') as Uint8Array));
    const { updated_at, ...rest } = manifest.findLast(
      (line) => line.id === id && line.updated_at === raindrop.lastUpdate,
    );
    expect({ ...rest, updated_at }).toMatchObject({ tags: raindrop.tags, title: raindrop.title });
    expect(memory.rows.get(id)).toMatchObject({
      title: raindrop.title,
      tags: raindrop.tags,
      updatedAt: raindrop.lastUpdate,
    });
  }
  for (const { id, removedAt } of memory.rows.values())
    if (removedAt !== null)
      expect(JSON.parse(text(memory.objects.get(`raindrops/${id}/meta.json`))).removed_at).toBe(removedAt);
}

export const text = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes ?? new Uint8Array());
