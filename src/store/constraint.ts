/** Whether a statement failed because a unique key exists already, on either engine. */
export function isUniqueViolation(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  const sqliteUnique = 2067;
  const sqlitePrimaryKey = 1555;
  return code === '23505' || errcode === sqliteUnique || errcode === sqlitePrimaryKey;
}
