// When to flush. A folder is written to at every look; on S3 every file costs a request.

export interface FlushRules {
  /** Under sustained load, the pause between two flushes. A change after a quiet time is written at the next look. */
  readonly minIntervalMs: number;
  /** This many notes, about 4 MB of segment, are written without the pause. */
  readonly maxNotes: number;
}

export const flushRules: Readonly<Record<'folder' | 's3', FlushRules>> = {
  folder: { minIntervalMs: 0, maxNotes: 1 },
  // A change is written within 15 s: the pause, the time to the next look, and the upload.
  s3: { minIntervalMs: 13_000, maxNotes: 4_000 },
};

/** How often the notes are looked at. A change is in a folder within a second: this pause, and the time a flush takes. */
export const lookEveryMs = 400;

export interface Waiting {
  readonly pending: number;
  /** The time since the last flush of any process; null before the first one. */
  readonly sinceFlushMs: number | null;
}

export function isFlushDue(rules: FlushRules, { pending, sinceFlushMs }: Waiting): boolean {
  if (pending === 0) return false;
  if (pending >= rules.maxNotes || sinceFlushMs === null) return true;
  // Negative after the clock was set back.
  return sinceFlushMs < 0 || sinceFlushMs >= rules.minIntervalMs;
}
