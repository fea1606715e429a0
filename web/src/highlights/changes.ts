// Every change of a highlight that is sent to the server.
import { get, patch, post, query, remove } from '../lib/api.ts';
import type { TextBoundary } from './anchor/describe-selection.ts';
import type { Mark } from './marks.ts';
import type { Highlight, Highlighted, HighlightNote, HighlightPage } from './types.ts';

const data = <T>(answer: { data: T }): T => answer.data;

/** All that are in one page. */
export async function fetchHighlightsOf(of: Highlighted): Promise<Highlight[]> {
  const found: Highlight[] = [];
  let cursor: string | null | undefined;
  do {
    const page: HighlightPage = await get(`/api/annotations${query({ ...of, limit: 200, cursor })}`);
    found.push(...page.data);
    cursor = page.next_cursor;
  } while (cursor);
  return found;
}

export const makeHighlight = (
  of: Highlighted,
  highlight: { text: string; color: Mark; boundary: TextBoundary; comment?: string },
): Promise<Highlight> => post<{ data: Highlight }>('/api/annotations', { ...of, ...highlight }).then(data);

export const recolour = (id: number, color: Mark): Promise<Highlight> =>
  patch<{ data: Highlight }>(`/api/annotations/${id}`, { color }).then(data);

export const deleteHighlight = (id: number): Promise<void> => remove(`/api/annotations/${id}`);

/** A deleted one comes back as a copy, which no source deletes again. */
export const restoreHighlight = (id: number): Promise<Highlight> =>
  post<{ data: Highlight }>(`/api/annotations/${id}/restore`).then(data);

export const addNote = (annotationId: number, content: string): Promise<HighlightNote> =>
  post<{ data: HighlightNote }>('/api/comments', { annotation_id: annotationId, content }).then(data);

export const changeNote = (id: number, content: string): Promise<HighlightNote> =>
  patch<{ data: HighlightNote }>(`/api/comments/${id}`, { content }).then(data);

export const deleteNote = (id: number): Promise<void> => remove(`/api/comments/${id}`);

export const restoreNote = (id: number): Promise<HighlightNote> =>
  post<{ data: HighlightNote }>(`/api/comments/${id}/restore`).then(data);
