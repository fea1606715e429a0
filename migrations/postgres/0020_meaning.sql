-- What documents mean: passages of their texts as vectors. All of it is derived: src/search/meaning/embed-pending.ts writes
-- it from the documents that search_docs has.

-- By which model and rules the document's passages were made; empty while they have to be made, or made anew.
ALTER TABLE search_docs ADD COLUMN embedded_with text COLLATE "C";
CREATE INDEX search_docs_embedded_with ON search_docs (embedded_with, id);

-- A document is named by its kind and id, not by its row in search_docs: that one is another after a rebuild of search, or
-- when the date changes, and the vectors are still right.
CREATE TABLE chunks (
  chunk_key   text COLLATE "C" PRIMARY KEY,
  user_id     bigint NOT NULL REFERENCES users (id),
  kind        text COLLATE "C" NOT NULL,
  ref_id      bigint NOT NULL,
  part        integer NOT NULL,
  text_sha256 text COLLATE "C" NOT NULL,
  model       text COLLATE "C" NOT NULL,
  -- How much a step is, as four bytes of floating point, then a byte for each dimension.
  vector      bytea NOT NULL,
  -- Another number whenever the row is written, rising for each user: who holds vectors in memory reads on from there.
  seq         bigint NOT NULL,
  embedded_at bigint NOT NULL
);

CREATE UNIQUE INDEX chunks_in_order ON chunks (user_id, seq);
CREATE INDEX chunks_of_document ON chunks (kind, ref_id);
