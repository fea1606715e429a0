// Rebuilds the index from the library: every set of the journal, in order, each schema by its own migrations.
import { StartupError } from '../errors.ts';
import type { Clock, Millis, RandomText } from '../model/glossary.ts';
import type { Fact } from '../store/journal-store.ts';
import type { Progress, Rebuild } from '../store/reinflate/rebuild.ts';
import type { Files } from './files/files.ts';
import { DamagedSegment } from './journal/segment.ts';
import {
  type FactSet,
  type InspectedJournal,
  partsOf,
  type ReadSegment,
  readSegments,
  type Segment,
} from './journal/sets.ts';
import { writeSet } from './journal/write-set.ts';
import { claim, findIdentity } from './library.ts';
import { notBegun, planRestore, type RestorePlan, reachesOver } from './restore-plan.ts';
import { setAside } from './set-aside.ts';
import { ulidMaker } from './ulid.ts';

export interface ReinflateDeps {
  readonly files: Files;
  readonly rebuild: Rebuild;
  readonly now: Clock;
  readonly randomText: RandomText;
  /** Restores the state of this moment. Later sets no longer count, and are deleted a day later. */
  readonly until?: Millis | undefined;
  /** What was read of the journal already. Sets that were written since are restored, too. */
  readonly plan?: RestorePlan | undefined;
  readonly onProgress: (progress: { facts: number; totalFacts: number }) => void;
}

export interface Reinflated {
  readonly sets: number;
  readonly facts: number;
  readonly resumed: boolean;
  /** Segments that cannot be restored. They were moved to `set-aside/`. */
  readonly setAside: readonly string[];
}

/** A set up to this size is read once and held; a larger one is read as often as it is gone through. */
const heldBytes = 64 * 1024 * 1024;

/**
 * Rebuilds the rows. The index must be empty, or one in which a reinflate was interrupted: then it continues where it was. The caller
 * restores what else is missing, and then releases the index: until then, an interruption leads back here.
 */
export async function reinflate(deps: ReinflateDeps): Promise<Reinflated> {
  const { rebuild } = deps;
  const begun = await rebuild.findProgress();
  const until = untilOf(begun, deps.until);
  if (!begun && !(await rebuild.isEmpty())) {
    throw new StartupError(
      'The index has rows already. Add --force to put it aside and rebuild it from the library.',
    );
  }
  if (begun?.rebuilt && !(await rebuild.isMigrated())) {
    throw new StartupError(
      'Lectern was upgraded since this reinflate was interrupted. Start over with "lectern reinflate --force".',
    );
  }
  const replay = new Replay({ ...deps, until }, begun);
  const setAside = begun?.rebuilt ? [] : await rebuildRows(deps, replay);
  return { sets: replay.sets, facts: replay.facts, resumed: begun !== undefined, setAside };
}

/** Returns the segments that were set aside. */
async function rebuildRows(
  { files, rebuild, randomText }: ReinflateDeps,
  replay: Replay,
): Promise<readonly string[]> {
  await replay.applyAll();

  // Until here another index may have written to the library. From now on it is ours, and the second round applies the sets that the
  // other index finished meanwhile.
  const indexId = randomText(12);
  const identity = await findIdentity(files);
  await claim(files, { id: identity?.id ?? randomText(12), writer: indexId });
  const plan = await replay.applyAll();
  await replay.abandonRest(plan.journal, indexId);

  // After the set that covers them: a crash in between leaves segments that do not count.
  await setAside(files, plan.unusable);

  await rebuild.bringTo(undefined, replay.progress);
  await rebuild.finish(indexId, replay.progress);
  return plan.unusable;
}

/** An interrupted reinflate is continued to the moment to which it was begun: its index may be past an earlier one. */
export function untilOf(begun: Progress | undefined, until: Millis | undefined): Millis | undefined {
  if (!begun) return until;
  if (until === undefined || until === begun.until) return begun.until;
  const target = begun.until === undefined ? 'the newest state' : new Date(begun.until).toISOString();
  throw new StartupError(
    `A reinflate to ${target} was interrupted. Run "lectern reinflate" without --until to continue it, ` +
      'or add --force to start over.',
  );
}

type Segments = AsyncGenerator<ReadSegment>;

class Replay {
  readonly #deps: ReinflateDeps;
  /** For the first round only: the second round lists the sets again. */
  #plan: RestorePlan | undefined;
  readonly #verified: Set<string>;
  progress: Progress;
  sets = 0;
  facts = 0;

  constructor(deps: ReinflateDeps, begun: Progress | undefined) {
    this.#deps = deps;
    this.#plan = begun ? undefined : deps.plan;
    this.#verified = deps.plan?.verified ?? new Set();
    this.progress = begun ?? { ...notBegun, until: deps.until };
  }

  async applyAll(): Promise<RestorePlan> {
    const { files, rebuild, until, onProgress } = this.#deps;
    const plan =
      this.#plan ?? (await planRestore(files, { until, progress: this.progress, verified: this.#verified }));
    this.#plan = undefined;
    const totalFacts = plan.run.reduce((sum, set) => sum + set.facts, 0);
    let before = 0;
    const segments = readSegments(
      files,
      plan.run.flatMap((set) => this.#partsLeft(set)),
    );
    try {
      for (const set of plan.run) {
        await rebuild.bringTo(set.schema, this.progress);
        const report = (facts: number) => onProgress({ facts: before + facts, totalFacts });
        if (this.progress.ordinal === 0 || !this.progress.complete) await this.#fill(set, segments, report);
        else await this.#apply(set, segments);
        before += set.facts;
        report(0);
        this.sets += 1;
        this.facts += set.facts;
      }
    } finally {
      await segments.return(undefined);
    }
    return plan;
  }

  /**
   * Writes an empty set that covers every set beyond the restored state, so that no later reader applies one of them. Ids continue above
   * all that those sets gave.
   */
  async abandonRest(journal: InspectedJournal, writer: string): Promise<void> {
    const { files, now, randomText } = this.#deps;
    const { ordinal, set: lastSet } = this.progress;
    const beyond = journal.complete.filter((set) => set.ordinal > ordinal);
    const unfinished = journal.incomplete.filter(({ header }) => header.ordinal > ordinal);
    if (beyond.length === 0 && unfinished.length === 0) return;
    const damaged = new Set(journal.damaged.map(({ key }) => key));
    for (const set of beyond) this.#raise(set);
    await this.#countUndamaged(partsOf(beyond).filter(({ key }) => !damaged.has(key)));
    const headers = [...partsOf(beyond), ...unfinished].map(({ header }) => header);
    const highest = headers.reduce((most, header) => Math.max(most, header.ordinal), ordinal);
    const schema = journal.complete
      .filter((set) => set.ordinal <= ordinal)
      .reduce((newest, set) => Math.max(newest, set.schema), 1);
    const abandons = beyond.filter((set) => reachesOver(set, ordinal)).map(({ id }) => id);
    const seq = beyond.reduce((most, set) => Math.max(most, set.lastSeq), this.progress.seq);
    const at = now();
    const id = ulidMaker(now, randomText)(at);
    const header = {
      ...{ schema, writer, set: id, ordinal: highest + 1, from_ordinal: ordinal + 1 },
      previous: lastSet === '' ? null : { ordinal, set: lastSet },
      ...{ first_seq: seq, last_seq: seq, merged_at: at, first_at: at },
    };
    const { ids } = this.progress;
    await writeSet({ files, header }, async () => ({ ids, ...(abandons.length > 0 && { abandons }) }));
    this.progress = { ...this.progress, ordinal: highest + 1, set: id, seq };
  }

  /** The first set meets an empty index, so its parts can be committed one by one, however many they are. */
  async #fill(set: FactSet, segments: Segments, report: (facts: number) => void): Promise<void> {
    const left = this.#partsLeft(set);
    let facts = set.facts - factsIn(left);
    for (const part of left) {
      const read = await nextFacts(segments);
      this.#count(read);
      this.#advance(set, part.header.part);
      await this.#deps.rebuild.fill(read, this.progress);
      facts += part.header.facts;
      report(facts);
    }
  }

  async #apply(set: FactSet, segments: Segments): Promise<void> {
    const { files, rebuild } = this.#deps;
    const isHeld = set.sizeBytes <= heldBytes;
    const held: Fact[][] = [];
    for (const _ of set.parts) {
      const facts = await nextFacts(segments);
      this.#count(facts);
      if (isHeld) held.push(facts);
    }
    const parts = async function* () {
      if (isHeld) yield* held;
      else for await (const { readFacts } of readSegments(files, set.parts)) yield readFacts();
    };
    this.#advance(set, set.parts.length);
    await rebuild.apply(parts, this.progress);
  }

  /** The parts of a set that an interrupted reinflate has not filled in. */
  #partsLeft(set: FactSet): readonly Segment[] {
    return set.parts.slice(this.progress.set === set.id ? this.progress.part : 0);
  }

  #advance(set: FactSet, part: number): void {
    this.#raise(set);
    const complete = part === set.parts.length;
    const seq = Math.max(this.progress.seq, set.lastSeq);
    this.progress = { ...this.progress, ordinal: set.ordinal, set: set.id, part, complete, seq };
  }

  /** Ids continue above all that were ever given, those of deleted rows included. */
  #raise(set: FactSet): void {
    const ids = { ...this.progress.ids };
    for (const [table, id] of Object.entries(set.ids)) ids[table] = Math.max(id, ids[table] ?? 0);
    this.progress = { ...this.progress, ids };
  }

  async #countUndamaged(segments: readonly Segment[]): Promise<void> {
    for await (const { readFacts } of readSegments(this.#deps.files, segments)) {
      try {
        this.#count(readFacts());
      } catch (error) {
        if (!(error instanceof DamagedSegment)) throw error;
      }
    }
  }

  #count(facts: readonly Fact[]): void {
    const ids = { ...this.progress.ids };
    for (const { table, key } of facts) {
      const [id] = key;
      if (typeof id === 'number' && id > (ids[table] ?? 0)) ids[table] = id;
    }
    this.progress = { ...this.progress, ids };
  }
}

async function nextFacts(segments: Segments): Promise<Fact[]> {
  const next = await segments.next();
  if (next.done) throw new Error('the journal has fewer segments than the plan of the reinflate');
  return next.value.readFacts();
}

function factsIn(parts: readonly Segment[]): number {
  return parts.reduce((sum, { header }) => sum + header.facts, 0);
}
