// What one batch has in hand: how much it may still do, and what it has done so far.
import type { Embeddings, MirrorHost, MirrorIndex, Objects } from './host.ts';
import { addToManifests } from './manifest.ts';
import { type Damage, keyOf, loadAll, readChunks, readRaw } from './objects-of.ts';
import { factsOf, iso, type RawRaindrop } from './raindrop.ts';
import { perPage, type RaindropApi, raindropApi } from './raindrop-api.ts';
import { readCopies, readUnsettled, type WaitingCopy, writeCopies, writeUnsettled } from './run-state.ts';
import { isStored, type Stored, storeRaindrop, storeRemoval } from './store-raindrop.ts';

/** Of pages that have nothing new: so that a batch ends within the time that a Worker has. */
export const mostPages = 40;
/** Of those that are gone: each is a few requests to the store of objects. */
const mostRemovals = 100;
/** A Worker is ended after a quarter of an hour, and what it has in hand then is done again. */
const longestMs = 9 * 60_000;
const dayMs = 24 * 3_600_000;
/** With longer and longer pauses, this is about half a year. */
const mostTries = 8;

export class Batch {
  readonly api: RaindropApi;
  readonly #host: MirrorHost;
  /** Not yet in the index. */
  #stored: Stored[] = [];
  #processed = 0;
  /** As it was when it was looked at: one that is edited meanwhile is another. */
  readonly #looked = new Map<number, { readonly json: string; readonly isCurrent: boolean }>();
  readonly #endMs: number;
  #removalsLeft = mostRemovals;
  #itemsLeft = perPage;
  #pagesLeft = mostPages;

  /** Of this batch, or of one that ended before it could settle them. */
  readonly #unsettled: Set<number>;

  static async open(host: MirrorHost): Promise<Batch> {
    return new Batch(host, await readUnsettled(host.state));
  }

  private constructor(host: MirrorHost, unsettled: readonly number[]) {
    this.#host = host;
    this.#endMs = host.now() + longestMs;
    this.#unsettled = new Set(unsettled);
    const api = raindropApi(host);
    this.api = {
      ...api,
      list: (options) => {
        this.#pagesLeft--;
        return api.list(options);
      },
    };
  }

  get isFull(): boolean {
    return this.#itemsLeft <= 0 || this.#pagesLeft <= 0 || this.#removalsLeft <= 0 || this.#isOver;
  }

  get #isOver(): boolean {
    return this.#host.now() >= this.#endMs;
  }

  /** How many more may be stored. */
  get itemsLeft(): number {
    return this.#isOver ? 0 : this.#itemsLeft;
  }

  get removalsLeft(): number {
    return this.#isOver ? 0 : this.#removalsLeft;
  }

  get processed(): number {
    return this.#processed;
  }

  /** Of these, those that the index does not have just as they are. */
  async changedOf(raws: readonly RawRaindrop[]): Promise<RawRaindrop[]> {
    const unknown = raws.filter((raw) => this.#looked.get(raw._id)?.json !== JSON.stringify(raw));
    const ids = unknown.map(({ _id }) => _id);
    const known = ids.length === 0 ? new Set() : await this.#host.index.known(ids);
    for (const raw of unknown) {
      const isKnown = known.has(raw._id) && !this.#unsettled.has(raw._id);
      const isCurrent = isKnown && (await isStored(this.#host, raw));
      this.#looked.set(raw._id, { json: JSON.stringify(raw), isCurrent });
    }
    return raws.filter(({ _id }) => !this.#looked.get(_id)?.isCurrent);
  }

  /** Those that will be stored: if we end half way, the next batch knows that their objects say nothing of the index. */
  async announce(raws: readonly RawRaindrop[]): Promise<void> {
    const before = this.#unsettled.size;
    for (const { _id } of raws) this.#unsettled.add(_id);
    if (this.#unsettled.size > before) await writeUnsettled(this.#host.state, [...this.#unsettled]);
  }

  async store(raw: RawRaindrop): Promise<Stored> {
    this.#itemsLeft--;
    const stored = await storeRaindrop(this.#host, this.api, raw);
    this.#note(stored);
    this.#looked.set(raw._id, { json: JSON.stringify(raw), isCurrent: true });
    return stored;
  }

  /** One that Raindrop has no more. */
  async remove(id: number): Promise<void> {
    this.#removalsLeft--;
    const raw = (await readRaw(this.#host.objects, id)) ?? (await this.#leaveMark(id));
    this.#note(await storeRemoval(this.#host, id, factsOf(raw)));
  }

  /** Of one that is gone there and cannot be read here: that it was is all that is left to be known. */
  async #leaveMark(id: number): Promise<RawRaindrop> {
    const raw = { _id: id, removed: true };
    await this.#host.objects.put(keyOf(id, 'raw.json'), JSON.stringify(raw), 'application/json');
    return raw;
  }

  #note(stored: Stored): void {
    this.#stored.push(stored);
    this.#processed++;
  }

  /** The index and the manifests follow what was stored; after this the cursor may pass it. */
  async settle(): Promise<void> {
    const { objects, index, embeddings, state, log } = this.#host;
    if (this.#stored.length === 0) return;
    await addToManifests(objects, this.#stored);
    const ids = [...new Set(this.#stored.map(({ id }) => id))];
    const damaged = await indexAll({ objects, index }, ids);
    // Stored again by the next batch that meets it; the others are not kept from the index by it.
    for (const { id, what } of damaged) log?.('a raindrop was not indexed', { id, what });
    await writeCopies(state, this.#waiting(await readCopies(state)));
    for (const { id, removedAt } of embeddings ? this.#stored : [])
      await embed({ objects, embeddings: embeddings as Embeddings }, id, removedAt !== null).catch((error) =>
        // Words are found without it, and a rebuild with embeddings makes it good.
        log?.('a text could not be embedded', { id, error: String(error) }),
      );
    const left = new Set(damaged.map(({ id }) => id));
    for (const { id } of this.#stored) if (!left.has(id)) this.#unsettled.delete(id);
    await writeUnsettled(state, [...this.#unsettled]);
    this.#stored = [];
  }

  #waiting(before: readonly WaitingCopy[]): WaitingCopy[] {
    const waiting = new Map(before.map((copy) => [copy.id, copy]));
    for (const { id, retry } of this.#stored) {
      const tries = (waiting.get(id)?.tries ?? 0) + 1;
      waiting.delete(id);
      const now = this.#host.now();
      if (retry && tries <= mostTries)
        waiting.set(id, { id, tries, after: iso(now + dayMs * 2 ** (tries - 1)), writtenAt: iso(now) });
    }
    return [...waiting.values()];
  }
}

/** So many texts at once fit into the memory that there is. */
const indexedAtOnce = 10;

/** Returns those that are not as their hashes say: they are left out. */
async function indexAll(
  { objects, index }: { readonly objects: Objects; readonly index: MirrorIndex },
  ids: readonly number[],
): Promise<readonly Damage[]> {
  const damaged: Damage[] = [];
  for (let n = 0; n < ids.length; n += indexedAtOnce) {
    const loaded = await loadAll(objects, ids.slice(n, n + indexedAtOnce), { copies: false });
    damaged.push(...loaded.damaged);
    await index.upsert(loaded.raindrops);
  }
  return damaged;
}

export async function embed(
  { objects, embeddings }: { readonly objects: Objects; readonly embeddings: Embeddings },
  id: number,
  isRemoved: boolean,
): Promise<void> {
  await embeddings.update(id, isRemoved ? [] : await readChunks(objects, id));
}
