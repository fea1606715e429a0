/** Whether a statement failed because a unique key exists already, on either engine. */
export function isUniqueViolation(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  const sqliteUnique = 2067;
  const sqlitePrimaryKey = 1555;
  return code === '23505' || errcode === sqliteUnique || errcode === sqlitePrimaryKey;
}

/** Whether a statement failed because the disk of the index is full, on either engine. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  const sqliteFull = 13;
  // The shared memory beside the WAL could not grow.
  const sqliteShmSize = 4874;
  return code === '53100' || errcode === sqliteFull || errcode === sqliteShmSize;
}
