-- Pocketwatch, schema version 2, PostgreSQL: what overviews need, without reading whole tables.

CREATE INDEX pocketwatch_message_created ON pocketwatch_message (created_at);
CREATE INDEX pocketwatch_message_given_up ON pocketwatch_message (deliver_at, route, id) WHERE state IN ('FAILED', 'PARKED');
-- With route and state, so that finished rows are counted from the index alone.
DROP INDEX pocketwatch_message_finished;
CREATE INDEX pocketwatch_message_finished ON pocketwatch_message (finished_at) INCLUDE (state, route) WHERE finished_at IS NOT NULL;
CREATE INDEX pocketwatch_settlement_settled ON pocketwatch_settlement (settled_at) WHERE settled_at IS NOT NULL;

UPDATE pocketwatch_schema SET version = 2;
