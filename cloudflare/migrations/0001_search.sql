-- What is searched. Contentless: the words are kept and the text is not, which is in R2. A row that is replaced is deleted
-- first, which a contentless table allows with contentless_delete alone.
CREATE VIRTUAL TABLE raindrop_fts USING fts5(
  title,
  excerpt,
  body,
  tags_txt,
  domain,
  content='',
  contentless_delete=1,
  tokenize='unicode61 remove_diacritics 2'
);
