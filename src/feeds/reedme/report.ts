// What became of the rows of an old database.

export interface Tally {
  /** Written, with their own ids or with others. */
  imported: number;
  /** Of those, the ones whose id belongs to something else here. */
  renumbered: number;
  /** Here already, and left as they are. */
  present: number;
  /** The same as another of the old database. */
  folded: number;
  /** By reason. */
  skipped: Record<string, number>;
}

export const importedTables = ['groups', 'feeds', 'entries', 'bookmarks'] as const;
export type ImportReport = Record<(typeof importedTables)[number], Tally>;

export function emptyReport(): ImportReport {
  const tally = (): Tally => ({ imported: 0, renumbered: 0, present: 0, folded: 0, skipped: {} });
  return { groups: tally(), feeds: tally(), entries: tally(), bookmarks: tally() };
}

export function skip(tally: Tally, reason: string, times = 1): void {
  if (times > 0) tally.skipped[reason] = (tally.skipped[reason] ?? 0) + times;
}

const reasons: Record<string, string> = {
  gone: 'let go here before',
  homeless: 'their feed was deleted meanwhile',
  dropped: 'deleted here',
};

/** By what the store says that it did. */
export function count(tally: Tally, put: string): void {
  if (put === 'present') tally.present += 1;
  else if (reasons[put] !== undefined) skip(tally, reasons[put]);
  else {
    tally.imported += 1;
    if (put === 'new') tally.renumbered += 1;
  }
}
