-- What can be found. All of it is derived: src/search/index-pending.ts writes it from the documents themselves.

-- The id says whose the document is and when it was published: see src/store/search/doc-id.ts.
CREATE TABLE search_docs (
  id           INTEGER PRIMARY KEY,
  user_id      INTEGER NOT NULL REFERENCES users (id),
  kind         TEXT NOT NULL,
  ref_id       INTEGER NOT NULL,
  url_key      TEXT,
  title        TEXT NOT NULL,
  site         TEXT,
  published_at INTEGER NOT NULL,
  text_sha256  TEXT NOT NULL,
  UNIQUE (kind, ref_id, user_id)
) STRICT;

-- The rowid is the id of the document. Terms come folded and split, and are parted by spaces: the ascii tokenizer
-- leaves them as they are. Merging is done in steps by whoever writes, never inside a commit that others wait for.
CREATE VIRTUAL TABLE search_terms USING fts5 (
  title, text, marks, content = '', contentless_delete = 1, tokenize = 'ascii'
);
INSERT INTO search_terms (search_terms, rank) VALUES ('automerge', 0);

-- Documents whose text changed since they were indexed. The version grows when one is noted again.
CREATE TABLE search_pending (
  kind    TEXT NOT NULL,
  ref_id  INTEGER NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY (kind, ref_id)
) STRICT, WITHOUT ROWID;
