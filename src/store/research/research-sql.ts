// The statement that reads a table of Research.

/**
 * Versions that delete a row for good have no `deleted_at`. No index is asked: one that is behind its table would leave rows
 * out, and only a check that takes many times longer would tell.
 */
export function selectLive(table: string, wanted: readonly string[], columns: ReadonlySet<string>): string {
  const live = columns.has('deleted_at') ? ' WHERE deleted_at IS NULL' : '';
  return `SELECT ${wanted.join(', ')} FROM ${table} NOT INDEXED${live}`;
}
