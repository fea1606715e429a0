// Facts about a document that stand among its terms, so that an engine filters by them while it matches. They begin
// with a character that no word has.
const sign = '\ue000';

export function kindMark(kind: string): string {
  if (!/^[a-z]+$/.test(kind)) throw new Error(`"${kind}": a kind of document is named by lower-case letters`);
  return `${sign}kind${kind}`;
}

/** Only PostgreSQL needs it, which has no order by id in its index of terms. */
export function userMark(userId: number): string {
  return `${sign}user${userId}`;
}
