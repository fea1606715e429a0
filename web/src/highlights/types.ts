// What the API answers about highlights, as far as the web app uses it. Times are ISO 8601.
export type ResourceType = 'website' | 'pdf' | 'book';

export interface HighlightNote {
  id: number;
  annotation_id: number;
  content: string;
  source: string;
  made_at: string;
  deleted_at: string | null;
}

/** The page, PDF or book that a highlight is in. */
export interface HighlightResource {
  id: number;
  type: ResourceType;
  title: string;
  author: string;
  /** Empty where there is none. */
  url: string;
  item_id: number | null;
}

export interface Highlight {
  id: number;
  resource_id: number;
  text: string;
  color: string | null;
  /** In the words of its source. */
  boundary: unknown;
  source: string;
  made_at: string;
  updated_at: string;
  deleted_at: string | null;
  resource: HighlightResource;
  comments: HighlightNote[];
  /** Its source would undo a change that is made here. */
  in_step: boolean;
}

export interface HighlightPage {
  data: Highlight[];
  next_cursor: string | null;
}

/** What highlights are made in: a saved page, or an entry that is not saved. */
export type Highlighted = { readonly item_id: number } | { readonly entry_id: number };
