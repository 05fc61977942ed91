-- counts.sql: counts a log of clicks where it lies, for judge. README.md says how, and what differs between engines.
-- A row of the result is a document of a query at a position: its impressions and clicks, how many of both were below
-- another click of the same request, and the sum of the clicks' values.
-- SPDX-License-Identifier: ISC
WITH most AS (SELECT 10 AS requests), -- of a client for a query, the first of which count
impression AS ( -- your table: position from 1; click 0, 1 or a value between; time and client NULL where unknown
    SELECT request, query, doc, position, click, time, client FROM impressions
),
shown AS ( -- a document of a request once for each position
    SELECT request, query, doc, position, max(coalesce(click, 0)) AS clicked, min(time) AS time, min(client) AS client
    FROM impression WHERE request IS NOT NULL AND query IS NOT NULL GROUP BY request, query, doc, position
),
marked AS (
    SELECT request, query, doc, position, clicked,
        min(time) OVER (PARTITION BY request, query) AS since, min(client) OVER (PARTITION BY request, query) AS who,
        max(clicked) OVER (PARTITION BY request, query ORDER BY position
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS above
    FROM shown
),
numbered AS ( -- the requests of a client for a query; no join, which SQLite would do row by row
    SELECT query, doc, position, clicked, above, who,
        dense_rank() OVER (PARTITION BY who, query ORDER BY since NULLS FIRST, request) AS turn
    FROM marked
)
SELECT query AS qid, doc, position, count(*) AS impressions,
    sum(CASE WHEN clicked > 0 THEN 1 ELSE 0 END) AS clicks,
    sum(CASE WHEN above > 0 THEN 1 ELSE 0 END) AS after,
    sum(CASE WHEN above > 0 AND clicked > 0 THEN 1 ELSE 0 END) AS after_clicks,
    sum(clicked) AS value_sum
FROM numbered CROSS JOIN most WHERE who IS NULL OR turn <= requests
GROUP BY query, doc, position;
