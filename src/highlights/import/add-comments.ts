// What was noted to a highlight, where the file has it as a field of the highlight and gives it no id.
import type { Millis } from '../../model/glossary.ts';
import type { collectImport } from './imported.ts';
import { idsOf } from './stable-id.ts';

export interface Noted {
  readonly annotation: string;
  readonly content: string;
  readonly madeAt: Millis | null;
}

/** A highlight that is in the file twice may be so with two notes, and both are kept. */
export function addComments(result: ReturnType<typeof collectImport>, all: readonly Noted[]): void {
  const noted = all.filter(({ content }) => content !== '');
  const ids = idsOf(noted, ({ annotation, content, madeAt }) => ({
    key: ['note', annotation],
    text: content,
    madeAt,
  }));
  for (const comment of noted) result.addComment({ originalId: ids.get(comment) as string, ...comment });
}
