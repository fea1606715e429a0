// What one batch has in hand: how much it may still do, and what it has done so far.
import type { Embeddings, MirrorHost, MirrorIndex, Objects } from './host.ts';
import { addToManifests } from './manifest.ts';
import { loadRaindrop, readChunks, readRaw } from './objects-of.ts';
import { factsOf, iso, type RawRaindrop } from './raindrop.ts';
import { perPage, type RaindropApi, raindropApi } from './raindrop-api.ts';
import { readCopies, readUnsettled, type WaitingCopy, writeCopies, writeUnsettled } from './run-state.ts';
import { isStored, type Stored, storeRaindrop, storeRemoval } from './store-raindrop.ts';

/** Of pages that have nothing new: so that a batch ends within the time that a Worker has. */
const mostPages = 40;
const dayMs = 24 * 3_600_000;
/** With longer and longer pauses, this is about half a year. */
const mostTries = 8;

export class Batch {
  readonly api: RaindropApi;
  readonly #host: MirrorHost;
  /** Not yet in the index. */
  #stored: Stored[] = [];
  #processed = 0;
  readonly #current = new Map<number, boolean>();
  #itemsLeft = perPage;
  #pagesLeft = mostPages;

  /** Of this batch, or of one that ended before it could settle them. */
  readonly #unsettled: Set<number>;

  static async open(host: MirrorHost): Promise<Batch> {
    return new Batch(host, await readUnsettled(host.state));
  }

  private constructor(host: MirrorHost, unsettled: readonly number[]) {
    this.#host = host;
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
    return this.#itemsLeft <= 0 || this.#pagesLeft <= 0;
  }

  get itemsLeft(): number {
    return this.#itemsLeft;
  }

  get processed(): number {
    return this.#processed;
  }

  /** Of these, those that the index does not have just as they are. */
  async changedOf(raws: readonly RawRaindrop[]): Promise<RawRaindrop[]> {
    const unknown = raws.filter(({ _id }) => !this.#current.has(_id));
    const known =
      unknown.length === 0 ? new Set() : await this.#host.index.known(unknown.map(({ _id }) => _id));
    for (const raw of unknown) {
      const isKnown = known.has(raw._id) && !this.#unsettled.has(raw._id);
      this.#current.set(raw._id, isKnown && (await isStored(this.#host, raw)));
    }
    return raws.filter(({ _id }) => !this.#current.get(_id));
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
    this.#current.set(raw._id, true);
    return stored;
  }

  /** One that Raindrop has no more. */
  async remove(id: number): Promise<void> {
    const raw = await readRaw(this.#host.objects, id);
    if (raw) this.#note(await storeRemoval(this.#host, id, factsOf(raw)));
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
    await indexAll({ objects, index }, ids);
    await writeCopies(state, this.#waiting(await readCopies(state)));
    for (const { id, removedAt } of embeddings ? this.#stored : [])
      await embed({ objects, embeddings: embeddings as Embeddings }, id, removedAt !== null).catch((error) =>
        // Words are found without it, and a rebuild with embeddings makes it good.
        log?.('a text could not be embedded', { id, error: String(error) }),
      );
    for (const { id } of this.#stored) this.#unsettled.delete(id);
    await writeUnsettled(state, [...this.#unsettled]);
    this.#stored = [];
  }

  #waiting(before: readonly WaitingCopy[]): WaitingCopy[] {
    const waiting = new Map(before.map((copy) => [copy.id, copy]));
    for (const { id, retry } of this.#stored) {
      const tries = (waiting.get(id)?.tries ?? 0) + 1;
      waiting.delete(id);
      if (retry && tries <= mostTries)
        waiting.set(id, { id, tries, after: iso(this.#host.now() + dayMs * 2 ** (tries - 1)) });
    }
    return [...waiting.values()];
  }
}

/** So many texts at once fit into the memory that there is. */
const indexedAtOnce = 10;

export async function indexAll(
  { objects, index }: { readonly objects: Objects; readonly index: MirrorIndex },
  ids: readonly number[],
): Promise<void> {
  for (let n = 0; n < ids.length; n += indexedAtOnce) {
    const some = ids.slice(n, n + indexedAtOnce);
    await index.upsert(await Promise.all(some.map((id) => loadRaindrop(objects, id, { copies: false }))));
  }
}

export async function embed(
  { objects, embeddings }: { readonly objects: Objects; readonly embeddings: Embeddings },
  id: number,
  isRemoved: boolean,
): Promise<void> {
  await embeddings.update(id, isRemoved ? [] : await readChunks(objects, id));
}
