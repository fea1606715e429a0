// When to flush. A folder is written to within a second; on S3 every file costs a request, so it waits for more.
import type { Millis } from '../../model/glossary.ts';

export interface FlushRules {
  readonly maxWaitMs: number;
  /** So many notes are about 4 MB of segment. */
  readonly maxNotes: number;
}

export const flushRules: Readonly<Record<'folder' | 's3', FlushRules>> = {
  folder: { maxWaitMs: 0, maxNotes: 1 },
  s3: { maxWaitMs: 15_000, maxNotes: 4_000 },
};

/** How often the notes are looked at. */
export const lookEveryMs = 900;

export interface Waiting {
  readonly notes: number;
  /** Since when there has been a note, as far as we saw. */
  readonly since: Millis | undefined;
}

export function isFlushDue(rules: FlushRules, { notes, since }: Waiting, now: Millis): boolean {
  if (notes === 0) return false;
  return notes >= rules.maxNotes || (since !== undefined && now - since >= rules.maxWaitMs);
}
