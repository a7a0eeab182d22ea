-- Pocketwatch, schema version 3, MySQL and MariaDB: what else a loader says of itself.

-- Null: no run has ended yet; a loader of an earlier version.
ALTER TABLE pocketwatch_heartbeat ADD COLUMN last_run BIGINT;
ALTER TABLE pocketwatch_heartbeat ADD COLUMN lease_millis BIGINT;

UPDATE pocketwatch_schema SET version = 3;
