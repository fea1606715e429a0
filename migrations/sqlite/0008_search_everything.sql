-- What a feed says of itself, so that it can be found by it.
ALTER TABLE feeds ADD COLUMN description TEXT NOT NULL DEFAULT '';

-- Documents of a user of which there is another for the same page: see src/store/search/twins.ts.
CREATE TABLE search_twins (
  doc_id INTEGER PRIMARY KEY,
  -- The lowest id among them.
  page   INTEGER NOT NULL,
  -- Of those that a search finds, the one with the lowest place is shown.
  place  INTEGER NOT NULL
) STRICT;

CREATE INDEX search_docs_of_page ON search_docs (user_id, url_key) WHERE url_key IS NOT NULL;
