-- What can be found. All of it is derived: src/search/index-pending.ts writes it from the documents themselves.

-- The id says whose the document is and when it was published: see src/store/search/doc-id.ts.
CREATE TABLE search_docs (
  id           bigint PRIMARY KEY,
  user_id      bigint NOT NULL REFERENCES users (id),
  kind         text COLLATE "C" NOT NULL,
  ref_id       bigint NOT NULL,
  url_key      text COLLATE "C",
  title        text COLLATE "C" NOT NULL,
  site         text COLLATE "C",
  published_at bigint NOT NULL,
  text_sha256  text COLLATE "C" NOT NULL,
  UNIQUE (kind, ref_id, user_id)
);

-- Part 0 has every term of the document. PostgreSQL knows 16,383 places in a text and 255 of one term: a document
-- with more has further parts, in which its phrases are found.
CREATE TABLE search_terms (
  doc_id bigint NOT NULL,
  part   integer NOT NULL,
  terms  tsvector NOT NULL,
  PRIMARY KEY (doc_id, part)
);

CREATE INDEX search_terms_words ON search_terms USING gin (terms) WHERE part = 0;

-- Documents whose text changed since they were indexed. The version grows when one is noted again.
CREATE TABLE search_pending (
  kind    text COLLATE "C" NOT NULL,
  ref_id  bigint NOT NULL,
  version bigint NOT NULL,
  PRIMARY KEY (kind, ref_id)
);
