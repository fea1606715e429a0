// Ids for what its source gives none. They follow from what a record says, never from where it stands in the file, so that
// the next file, which has more in it, names the same records by the same ids.
import { createHash } from 'node:crypto';
import type { Millis } from '../../model/glossary.ts';

export type IdPart = string | number | null;

/** As JSON, since parts that are only joined could be split in two ways. */
export function stableId(...parts: readonly IdPart[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}

export interface Told {
  /** What tells a record from all others, or nearly. */
  readonly key: readonly IdPart[];
  readonly text: string;
  readonly madeAt: Millis | null;
}

/**
 * Two records may share a key: a Kindle counts 128 letters as one location. Then the eldest keeps the id of the key, so that
 * it does not change when another comes, and the others have their text in theirs.
 */
export function idsOf<T>(records: readonly T[], tell: (record: T) => Told): Map<T, string> {
  const byId = new Map<string, { readonly record: T; readonly told: Told }[]>();
  for (const record of records) {
    const told = tell(record);
    const id = stableId(...told.key);
    const same = byId.get(id);
    if (same) same.push({ record, told });
    else byId.set(id, [{ record, told }]);
  }
  const ids = new Map<T, string>();
  for (const [plain, same] of byId) {
    same.sort((a, b) => byAge(a.told, b.told));
    for (const { record, told } of same)
      ids.set(record, told.text === same[0]?.told.text ? plain : stableId(plain, told.text));
  }
  return ids;
}

/** The eldest first; what has no date is taken for old. */
export function byAge(a: Pick<Told, 'madeAt' | 'text'>, b: Pick<Told, 'madeAt' | 'text'>): number {
  return (
    (a.madeAt ?? Number.NEGATIVE_INFINITY) - (b.madeAt ?? Number.NEGATIVE_INFINITY) ||
    a.text.length - b.text.length ||
    (a.text < b.text ? -1 : a.text > b.text ? 1 : 0)
  );
}
