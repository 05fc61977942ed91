-- A table with a full text index; yours may have other names.
-- SPDX-License-Identifier: ISC
CREATE TABLE document(id text PRIMARY KEY, title text, body text, title_words tsvector, body_words tsvector, words tsvector);
CREATE INDEX ON document USING gin(words);
-- after each change of a document:
UPDATE document SET title_words = to_tsvector('english', coalesce(title, '')), body_words = to_tsvector('english', coalesce(body, ''));
UPDATE document SET words = setweight(title_words, 'A') || setweight(body_words, 'D');
-- Candidates in the database's own order, with their features; %(query)s is a parameter of the driver.
SELECT id, title, ARRAY[ts_rank(body_words, q), ts_rank(title_words, q), ts_rank_cd(words, q), ts_rank(words, q, 1),
    length(title), ln(1 + length(body))]::float8[] AS features
FROM document, plainto_tsquery('english', %(query)s) q WHERE words @@ q ORDER BY ts_rank(words, q) DESC, id LIMIT 50;
