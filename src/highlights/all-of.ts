// Long lists of highlights, a portion at a time.
import type { HighlightRows } from '../model/highlight.ts';
import type { HighlightStore } from '../store/owned/highlights/highlight-store.ts';

const atOnce = 200;

/** The newest first, of one parent or all. */
export async function* allOf<K extends 'resources' | 'annotations' | 'notes'>(
  highlights: Pick<HighlightStore, 'list'>,
  kind: K,
  parentId?: number,
): AsyncGenerator<HighlightRows[K][]> {
  for (let before: { at: number; id: number } | undefined; ; ) {
    const page = await highlights.list(kind, { parentId, before, limit: atOnce });
    const shown = page.slice(0, atOnce);
    yield shown;
    const last = shown.at(-1);
    if (page.length <= atOnce || !last) return;
    before = { at: 'madeAt' in last ? last.madeAt : last.createdAt, id: last.id };
  }
}
