-- Pocketwatch, schema version 4, H2: who cancelled, moved or released a message last, and when.

ALTER TABLE pocketwatch_message ADD COLUMN changed_by VARCHAR(200);
ALTER TABLE pocketwatch_message ADD COLUMN changed_at BIGINT;
ALTER TABLE pocketwatch_history ADD COLUMN changed_by VARCHAR(200);
ALTER TABLE pocketwatch_history ADD COLUMN changed_at BIGINT;

UPDATE pocketwatch_schema SET version = 4;
