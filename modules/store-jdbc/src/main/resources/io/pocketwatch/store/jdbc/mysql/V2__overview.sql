-- Pocketwatch, schema version 2, MySQL and MariaDB: what overviews need, without reading whole tables.

CREATE INDEX pocketwatch_message_created ON pocketwatch_message (created_at);
CREATE INDEX pocketwatch_settlement_settled ON pocketwatch_settlement (settled_at);

UPDATE pocketwatch_schema SET version = 2;
