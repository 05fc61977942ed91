-- A table of FTS5.
-- SPDX-License-Identifier: ISC
CREATE VIRTUAL TABLE document USING fts5(title, body, tokenize = 'porter');
-- Candidates in the order of bm25, with their features; :query is a parameter, each of its words in double quotes.
SELECT rowid AS id, title, -bm25(document, 1, 0) AS f1, -bm25(document, 0, 1) AS f2, length(title) AS f3, length(body) AS f4
FROM document WHERE document MATCH :query ORDER BY rank LIMIT 50;
