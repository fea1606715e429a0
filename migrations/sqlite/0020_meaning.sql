-- What documents mean: passages of their texts as vectors. All of it is derived: src/search/meaning/embed-pending.ts writes
-- it from the documents that search_docs has.

-- By which model and rules the document's passages were made; empty while they have to be made, or made anew.
ALTER TABLE search_docs ADD COLUMN embedded_with TEXT;
CREATE INDEX search_docs_embedded_with ON search_docs (embedded_with, id);

-- A document is named by its kind and id, not by its row in search_docs: that one is another after a rebuild of search, or
-- when the date changes, and the vectors are still right.
CREATE TABLE chunks (
  chunk_key   TEXT PRIMARY KEY,
  user_id     INTEGER NOT NULL REFERENCES users (id),
  kind        TEXT NOT NULL,
  ref_id      INTEGER NOT NULL,
  part        INTEGER NOT NULL,
  text_sha256 TEXT NOT NULL,
  model       TEXT NOT NULL,
  -- How much a step is, as four bytes of floating point, then a byte for each dimension.
  vector      BLOB NOT NULL,
  -- Another number whenever the row is written, rising for each user: who holds vectors in memory reads on from there.
  seq         INTEGER NOT NULL,
  embedded_at INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX chunks_in_order ON chunks (user_id, seq);
CREATE INDEX chunks_of_document ON chunks (kind, ref_id);
