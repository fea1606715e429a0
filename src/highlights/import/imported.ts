// What a file is read into: a snapshot whose ids are each there once, and what was left out of it, and why.
import { Invalid } from '../../errors.ts';
import type {
  Snapshot,
  SourceAnnotation,
  SourceComment,
  SourceNote,
  SourceResource,
} from '../../model/highlight.ts';
import { importLimits as limits } from './import-limits.ts';

export interface Skipped {
  /** `line 12`, `row 3`, `document 1, entry 2`. */
  readonly place: string;
  readonly why: string;
}

export interface Imported {
  readonly snapshot: Snapshot;
  readonly skipped: readonly Skipped[];
}

export const tooLong = `one of its texts is longer than ${limits.recordChars.toLocaleString('en')} characters`;
export const thereTwice = 'it is in the file twice';

export function isTooLong(...texts: readonly string[]): boolean {
  return texts.some((text) => text.length > limits.recordChars);
}

export function requireFew(records: number): void {
  if (records > limits.records)
    throw new Invalid(`the file has more than ${limits.records.toLocaleString('en')} records`);
}

export function collectImport() {
  const resources = new Map<string, SourceResource>();
  const annotations = new Map<string, SourceAnnotation>();
  const comments = new Map<string, SourceComment>();
  const notes = new Map<string, SourceNote>();
  const skipped: Skipped[] = [];
  let untold = 0;

  function addOnce<T extends { readonly originalId: string }>(rows: Map<string, T>, row: T): boolean {
    if (rows.has(row.originalId)) return false;
    rows.set(row.originalId, row);
    return true;
  }

  return {
    /** Each answers false where the id is there already. */
    addResource: (row: SourceResource) => addOnce(resources, row),
    addAnnotation: (row: SourceAnnotation) => addOnce(annotations, row),
    addComment: (row: SourceComment) => addOnce(comments, row),
    addNote: (row: SourceNote) => addOnce(notes, row),

    skip(place: string, why: string): void {
      if (skipped.length < limits.reports) skipped.push({ place, why });
      else untold++;
    },

    imported(): Imported {
      const rest = untold > 0 ? [{ place: 'the file', why: `${untold} more records were left out` }] : [];
      return {
        snapshot: {
          resources: [...resources.values()],
          annotations: [...annotations.values()],
          comments: [...comments.values()],
          notes: [...notes.values()],
        },
        skipped: [...skipped, ...rest],
      };
    },
  };
}
