// What a sync does, decided without doing any of it: what a source has now against the rows that are there.

/** A record of the source, by whatever it has besides. */
export interface Wanted {
  readonly originalId: string;
  readonly fullHash: string;
}

/** A live row of the same source and kind. */
export interface Present {
  readonly id: number;
  readonly originalId: string;
  readonly fullHash: string;
  readonly parentId: number | null;
}

export interface Plan<W extends Wanted> {
  readonly create: readonly W[];
  readonly update: readonly { readonly id: number; readonly record: W }[];
  readonly delete: readonly Present[];
  readonly unchanged: number;
}

export interface PlanRules<W extends Wanted> {
  /** The row that a record is part of now; one that is not there yet is none that a live row can be part of. */
  readonly parentOf: (record: W) => number | null | undefined;
  /** A record that is part of something else now: the row moves along, or it is another row and the old one a replica. */
  readonly onMove: 'update' | 'recreate';
  /** Whether a row that the source does not have any longer goes. */
  readonly mayDelete: (row: Present) => boolean;
}

export interface Planner<W extends Wanted> {
  /** Some of the live rows. Each is met once, in any order. */
  meet(rows: readonly Present[]): void;
  /** When all live rows were met. */
  finish(): Plan<W>;
}

/** The records by their ids. What is met can be a portion at a time, so that nobody waits for a long list. */
export function startPlan<W extends Wanted>(
  wanted: ReadonlyMap<string, W>,
  { parentOf, onMove, mayDelete }: PlanRules<W>,
): Planner<W> {
  const known: string[] = [];
  const create: W[] = [];
  const update: { id: number; record: W }[] = [];
  const gone: Present[] = [];
  let unchanged = 0;

  function meetOne(row: Present): void {
    const record = wanted.get(row.originalId);
    if (!record) {
      if (mayDelete(row)) gone.push(row);
      return;
    }
    known.push(row.originalId);
    const isMoved = parentOf(record) !== row.parentId;
    if (isMoved && onMove === 'recreate') {
      gone.push(row);
      create.push(record);
    } else if (isMoved || record.fullHash !== row.fullHash) update.push({ id: row.id, record });
    else unchanged += 1;
  }

  return {
    meet(rows) {
      for (const row of rows) meetOne(row);
    },
    finish() {
      if (known.length < wanted.size) {
        const met = new Set(known);
        for (const record of wanted.values()) if (!met.has(record.originalId)) create.push(record);
      }
      return { create, update, delete: gone, unchanged };
    },
  };
}
