// Where the journal keeps its place, in meta.

/** The number of the last turn to write that anybody took. */
export const ordinalKey = 'journal_ordinal';

/** The set that was written last. */
export const lastSetKey = 'journal_last_set';

/** When the journal was last written, in milliseconds. */
export const flushedAtKey = 'journal_flushed_at';
