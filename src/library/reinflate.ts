// Rebuilds the index from the library: every set of the journal, in order, each schema by its own migrations.
import { StartupError } from '../errors.ts';
import type { RandomText } from '../model/glossary.ts';
import type { Fact } from '../store/journal-store.ts';
import type { Progress, Rebuild } from '../store/reinflate/rebuild.ts';
import type { Files } from './files/files.ts';
import { type FactSet, readPart, readSets } from './journal/sets.ts';
import { claim, readIdentity } from './library.ts';

export interface ReinflateDeps {
  readonly files: Files;
  readonly rebuild: Rebuild;
  readonly randomText: RandomText;
  readonly onProgress: (progress: { facts: number; totalFacts: number }) => void;
}

export interface Reinflated {
  readonly sets: number;
  readonly facts: number;
  readonly resumed: boolean;
}

/** A set up to this size is read once and held; a larger one is read as often as it is gone through. */
const heldBytes = 64 * 1024 * 1024;

/** The index must be empty, or one in which a reinflate was interrupted: then it goes on where it was. */
export async function reinflate(deps: ReinflateDeps): Promise<Reinflated> {
  const { files, rebuild, randomText } = deps;
  const begun = await rebuild.findProgress();
  if (!begun && !(await rebuild.isEmpty())) {
    throw new StartupError(
      'The index has rows already. Add --force to put it aside and rebuild it from the library.',
    );
  }
  const replay = new Replay(deps, begun);
  await replay.applyAll();

  // Until here another index may have written to the library. From now on it is ours, and what the other had
  // finished meanwhile comes in the second round.
  const indexId = randomText(12);
  const identity = await readIdentity(files).catch(() => undefined);
  await claim(files, { id: identity?.id ?? randomText(12), writer: indexId });
  await replay.applyAll();

  await rebuild.bringTo(undefined);
  await rebuild.finish(indexId, replay.progress);
  return { sets: replay.sets, facts: replay.facts, resumed: begun !== undefined };
}

class Replay {
  readonly #deps: ReinflateDeps;
  progress: Progress;
  sets = 0;
  facts = 0;

  constructor(deps: ReinflateDeps, begun: Progress | undefined) {
    this.#deps = deps;
    this.progress = begun ?? { ordinal: 0, set: '', part: 0, complete: true, seq: 0, ids: {} };
  }

  async applyAll(): Promise<void> {
    const { sets } = await readSets(this.#deps.files);
    const { ordinal, complete } = this.progress;
    const left = sets.filter((set) => set.ordinal > ordinal || (set.ordinal === ordinal && !complete));
    const totalFacts = left.reduce((sum, set) => sum + set.facts, 0);
    let before = 0;
    for (const set of left) {
      await this.#deps.rebuild.bringTo(set.schema);
      const report = (facts: number) => this.#deps.onProgress({ facts: before + facts, totalFacts });
      if (set === sets[0]) await this.#fill(set, report);
      else await this.#apply(set);
      before += set.facts;
      report(0);
      this.sets += 1;
      this.facts += set.facts;
    }
  }

  /** The first set meets an empty index, so its parts can be committed one by one, however many they are. */
  async #fill(set: FactSet, report: (facts: number) => void): Promise<void> {
    const done = this.progress.ordinal === set.ordinal ? this.progress.part : 0;
    let facts = 0;
    for (const [index, part] of set.parts.entries()) {
      facts += part.header.facts;
      if (index < done) continue;
      const read = await readPart(this.#deps.files, part);
      this.#count(read);
      this.#advance(set, index + 1);
      await this.#deps.rebuild.fill(read, this.progress);
      report(facts);
    }
  }

  async #apply(set: FactSet): Promise<void> {
    const { files, rebuild } = this.#deps;
    const held =
      set.sizeBytes <= heldBytes
        ? await Promise.all(set.parts.map((part) => readPart(files, part)))
        : undefined;
    const parts = async function* () {
      for (const [index, part] of set.parts.entries()) yield held?.[index] ?? (await readPart(files, part));
    };
    for await (const facts of parts()) this.#count(facts);
    this.#advance(set, set.parts.length);
    await rebuild.apply(parts, this.progress);
  }

  #advance(set: FactSet, part: number): void {
    const ids = { ...this.progress.ids };
    for (const [table, id] of Object.entries(set.ids)) ids[table] = Math.max(id, ids[table] ?? 0);
    const complete = part === set.parts.length;
    this.progress = {
      ordinal: set.ordinal,
      set: set.id,
      part,
      complete,
      seq: Math.max(this.progress.seq, set.lastSeq),
      ids,
    };
  }

  /** Ids go on above all that were ever given, those of deleted rows included. */
  #count(facts: readonly Fact[]): void {
    const ids = { ...this.progress.ids };
    for (const { table, key } of facts) {
      const [id] = key;
      if (typeof id === 'number' && id > (ids[table] ?? 0)) ids[table] = id;
    }
    this.progress = { ...this.progress, ids };
  }
}
