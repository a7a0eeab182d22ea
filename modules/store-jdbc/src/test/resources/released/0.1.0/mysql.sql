-- Pocketwatch, schema version 1, MySQL 8 and MariaDB 10.6.
-- Instants are epoch milliseconds of this database's clock; the view shows them readable, in UTC.

CREATE TABLE pocketwatch_message (
  route            VARCHAR(100) NOT NULL,
  id               VARCHAR(200) NOT NULL,
  business_key     VARCHAR(200),
  exchange         VARCHAR(255) NOT NULL,
  routing_key      VARCHAR(255) NOT NULL,
  properties       MEDIUMBLOB   NOT NULL,  -- in AMQP's own encoding
  body             LONGBLOB     NOT NULL,
  deliver_at       BIGINT       NOT NULL,
  first_deliver_at BIGINT       NOT NULL,  -- as scheduled first: what a resend is compared with
  next_at          BIGINT       NOT NULL,  -- when it is to be sent, or sent again
  next_queue       VARCHAR(255),  -- to that queue alone; null: to its exchange
  tracking         VARCHAR(7)   NOT NULL CHECK (tracking IN ('NONE', 'HANDOFF', 'FULL')),
  settlements      INTEGER      NOT NULL,  -- how many consumers must settle
  settled          INTEGER      NOT NULL DEFAULT 0,
  state            VARCHAR(9)   NOT NULL
    CHECK (state IN ('PENDING', 'HELD', 'SETTLED', 'CANCELLED', 'FAILED', 'PARKED')),
  generation       INTEGER      NOT NULL DEFAULT 1,
  attempts         INTEGER      NOT NULL DEFAULT 0,
  owner            VARCHAR(200),
  lease_until      BIGINT       NOT NULL DEFAULT 0,
  fence            BIGINT       NOT NULL DEFAULT 0,
  held_until       BIGINT,
  reason           VARCHAR(2000),
  created_at       BIGINT       NOT NULL,
  updated_at       BIGINT       NOT NULL,
  finished_at      BIGINT,
  changed_by       VARCHAR(200),  -- who cancelled, moved or released it last
  changed_at       BIGINT,
  changes          TEXT,  -- all of these, a line each: when, what, the new instant, who
  -- What the first consumer does; the others' is in pocketwatch_settlement. None of it is in an index.
  consumer            VARCHAR(255),
  token               VARCHAR(36),
  handling_generation INTEGER   NOT NULL DEFAULT 0,
  handling_until      BIGINT    NOT NULL DEFAULT 0,
  begun_at            BIGINT,
  settled_at          BIGINT,
  postponed           INTEGER   NOT NULL DEFAULT 0,  -- how often it has put off that generation
  retries             INTEGER   NOT NULL DEFAULT 0,  -- of these, after failures
  again_queue         VARCHAR(255),  -- where it is to be sent again at handling_until
  insertion        VARCHAR(36)  NOT NULL,  -- the call that made the row: MySQL cannot say which rows it inserted
  PRIMARY KEY (route, id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
CREATE INDEX pocketwatch_message_pending ON pocketwatch_message (state, route, deliver_at, id);
CREATE INDEX pocketwatch_message_held ON pocketwatch_message (state, deliver_at, route, id);
CREATE INDEX pocketwatch_message_next ON pocketwatch_message (state, route, next_at);
CREATE INDEX pocketwatch_message_business_key ON pocketwatch_message (business_key, deliver_at);
CREATE INDEX pocketwatch_message_finished ON pocketwatch_message (finished_at);
CREATE INDEX pocketwatch_message_created ON pocketwatch_message (created_at);

-- What further consumers of a message do.
CREATE TABLE pocketwatch_settlement (
  route       VARCHAR(100) NOT NULL,
  id          VARCHAR(200) NOT NULL,
  consumer    VARCHAR(255) NOT NULL,
  token       VARCHAR(36)  NOT NULL,
  handling_generation INTEGER NOT NULL,
  handling_until BIGINT    NOT NULL,
  begun_at    BIGINT       NOT NULL,
  settled_at  BIGINT,
  postponed   INTEGER      NOT NULL,
  retries     INTEGER      NOT NULL,
  again_queue VARCHAR(255),
  PRIMARY KEY (route, id, consumer)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- How far each consumer of a route has come: what recovery goes by.
CREATE TABLE pocketwatch_progress (
  route      VARCHAR(100) NOT NULL,
  consumer   VARCHAR(255) NOT NULL,
  settled_at BIGINT NOT NULL,  -- when it last settled
  due_up_to  BIGINT NOT NULL,  -- the latest deliver_at it has settled
  PRIMARY KEY (route, consumer)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

CREATE TABLE pocketwatch_history (
  seq              BIGINT NOT NULL AUTO_INCREMENT,
  route            VARCHAR(100) NOT NULL,
  id               VARCHAR(200) NOT NULL,
  business_key     VARCHAR(200),
  exchange         VARCHAR(255) NOT NULL,
  routing_key      VARCHAR(255) NOT NULL,
  properties       MEDIUMBLOB   NOT NULL,
  body             LONGBLOB     NOT NULL,
  deliver_at       BIGINT       NOT NULL,
  first_deliver_at BIGINT       NOT NULL,
  tracking         VARCHAR(7)   NOT NULL,
  settlements      INTEGER      NOT NULL,
  settled          INTEGER      NOT NULL,
  state            VARCHAR(9)   NOT NULL,
  generation       INTEGER      NOT NULL,
  attempts         INTEGER      NOT NULL,
  held_until       BIGINT,
  reason           VARCHAR(2000),
  created_at       BIGINT       NOT NULL,
  updated_at       BIGINT       NOT NULL,
  finished_at      BIGINT       NOT NULL,
  changed_by       VARCHAR(200),
  changed_at       BIGINT,
  changes          TEXT,
  moved_at         BIGINT       NOT NULL,
  PRIMARY KEY (seq)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
CREATE INDEX pocketwatch_history_due ON pocketwatch_history (deliver_at, route);
CREATE INDEX pocketwatch_history_id ON pocketwatch_history (route, id);

-- What happened, counted by a loader: per route and quarter of an hour, for a month.
CREATE TABLE pocketwatch_rollup (
  period_at     BIGINT NOT NULL,
  route         VARCHAR(100) NOT NULL,
  scheduled     BIGINT NOT NULL,
  settled       BIGINT NOT NULL,
  cancelled     BIGINT NOT NULL,
  failed        BIGINT NOT NULL,
  late_1        BIGINT NOT NULL,  -- begun at most so many ms after its instant, and later than the one before
  late_2        BIGINT NOT NULL,
  late_5        BIGINT NOT NULL,
  late_10       BIGINT NOT NULL,
  late_20       BIGINT NOT NULL,
  late_50       BIGINT NOT NULL,
  late_100      BIGINT NOT NULL,
  late_200      BIGINT NOT NULL,
  late_500      BIGINT NOT NULL,
  late_1000     BIGINT NOT NULL,
  late_2000     BIGINT NOT NULL,
  late_5000     BIGINT NOT NULL,
  late_10000    BIGINT NOT NULL,
  late_30000    BIGINT NOT NULL,
  late_60000    BIGINT NOT NULL,
  late_300000   BIGINT NOT NULL,
  late_900000   BIGINT NOT NULL,
  late_3600000  BIGINT NOT NULL,
  late_21600000 BIGINT NOT NULL,
  late_86400000 BIGINT NOT NULL,
  late_more     BIGINT NOT NULL,
  PRIMARY KEY (period_at, route)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

CREATE TABLE pocketwatch_rollup_end (
  only_row INTEGER NOT NULL CHECK (only_row = 1),
  ends_at  BIGINT  NOT NULL,  -- what happened before is counted
  PRIMARY KEY (only_row)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
INSERT INTO pocketwatch_rollup_end (only_row, ends_at)
  VALUES (1, (TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000) DIV 60000 * 60000);

CREATE TABLE pocketwatch_schedule (
  name         VARCHAR(100) NOT NULL,
  owner        VARCHAR(200),
  version      BIGINT       NOT NULL,
  definition   VARCHAR(4000) NOT NULL,  -- in JSON
  payload      MEDIUMTEXT NOT NULL,  -- body and headers in JSON
  next_at      BIGINT,  -- nominal, before jitter
  counts_from  BIGINT,  -- the definition counts after it
  last_at      BIGINT,
  last_route   VARCHAR(100),  -- the row of the last occurrence that fired
  last_id      VARCHAR(200),
  fired        BIGINT       NOT NULL,
  missed       BIGINT       NOT NULL,
  skipped      BIGINT       NOT NULL,
  problem      VARCHAR(500),  -- why the rule tells no instant after next_at
  paused_at    BIGINT,
  paused_until BIGINT,
  note         VARCHAR(500),
  orphaned     BOOLEAN      NOT NULL,  -- the YAML it came from has it no longer
  changed_by   VARCHAR(200),
  created_at   BIGINT       NOT NULL,
  updated_at   BIGINT       NOT NULL,
  wake_at      BIGINT GENERATED ALWAYS AS (CASE WHEN paused_at IS NULL THEN next_at ELSE paused_until END) STORED,
  PRIMARY KEY (name)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
CREATE INDEX pocketwatch_schedule_wake ON pocketwatch_schedule (wake_at, name);

CREATE TABLE pocketwatch_heartbeat (
  owner        VARCHAR(200) NOT NULL,
  beat_at      BIGINT       NOT NULL,
  horizon      BIGINT       NOT NULL,
  loaded       BIGINT       NOT NULL,
  last_run     BIGINT,  -- null: no run has ended yet
  lease_millis BIGINT,
  PRIMARY KEY (owner)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

CREATE TABLE pocketwatch_schema (
  version INTEGER NOT NULL,
  PRIMARY KEY (version)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
INSERT INTO pocketwatch_schema (version) VALUES (1);

CREATE VIEW pocketwatch_readable AS
SELECT route, id, business_key, exchange, routing_key, OCTET_LENGTH(body) AS body_bytes,
  TIMESTAMP('1970-01-01') + INTERVAL deliver_at * 1000 MICROSECOND AS deliver_at, tracking, state, generation, attempts, owner,
  CASE WHEN lease_until > 0 THEN TIMESTAMP('1970-01-01') + INTERVAL lease_until * 1000 MICROSECOND END AS lease_until, fence,
  TIMESTAMP('1970-01-01') + INTERVAL held_until * 1000 MICROSECOND AS held_until, next_at, next_queue, reason, settled, settlements,
  TIMESTAMP('1970-01-01') + INTERVAL created_at * 1000 MICROSECOND AS created_at, TIMESTAMP('1970-01-01') + INTERVAL updated_at * 1000 MICROSECOND AS updated_at,
  TIMESTAMP('1970-01-01') + INTERVAL finished_at * 1000 MICROSECOND AS finished_at,
  changed_by, TIMESTAMP('1970-01-01') + INTERVAL changed_at * 1000 MICROSECOND AS changed_at, consumer,
  TIMESTAMP('1970-01-01') + INTERVAL begun_at * 1000 MICROSECOND AS begun_at,
  TIMESTAMP('1970-01-01') + INTERVAL settled_at * 1000 MICROSECOND AS settled_at
FROM pocketwatch_message;
-- Rows.
DELETE FROM pocketwatch_message;
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, consumer, token, handling_generation, handling_until, begun_at, settled_at, postponed, retries, again_queue, insertion)
VALUES ('released', 'begun', 'order begun', 'orders', 'it''s due', X'0000', X'626567756e00ff', 1795711369263, 1795711369263, 1795711369263, NULL, 'FULL', 1, 0, 'HELD', 1, 0, NULL, 0, 1, 1795711369263, NULL, 1795711372267, 1795711372275, NULL, NULL, NULL, NULL, 'first', '95d5fed6-3171-4822-bf82-7c693f073d60', 1, 1795711372311, 1795711372310, NULL, 0, 0, NULL, 'e4bb0c19-8c8c-42ac-98bc-cb7be599a349');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, consumer, token, handling_generation, handling_until, begun_at, settled_at, postponed, retries, again_queue, insertion)
VALUES ('released', 'cancelled', 'order cancelled', 'orders', 'it''s due', X'0000', X'63616e63656c6c656400ff', 4102444800000, 4102444800000, 4102444800000, NULL, 'FULL', 1, 0, 'CANCELLED', 1, 0, NULL, 0, 0, NULL, NULL, 1795711372375, 1795711372376, 1795711372376, 'desk', 1795711372376, '1795711372376 CANCELLED - desk
', NULL, NULL, 0, 0, NULL, NULL, 0, 0, NULL, '0192a125-d577-4b82-99ee-bf9b5b94573d');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, consumer, token, handling_generation, handling_until, begun_at, settled_at, postponed, retries, again_queue, insertion)
VALUES ('released', 'due', 'order due', 'orders', 'it''s due', X'0000', X'64756500ff', 1795711369378, 1795711369378, 1795711369378, NULL, 'FULL', 1, 0, 'PENDING', 1, 0, NULL, 0, 0, NULL, NULL, 1795711372379, 1795711372379, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, 0, 0, NULL, 'ab48dd21-40ca-4c78-9407-c20d00755b76');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, consumer, token, handling_generation, handling_until, begun_at, settled_at, postponed, retries, again_queue, insertion)
VALUES ('released', 'failed', 'order failed', 'orders', 'it''s due', X'0000', X'6661696c656400ff', 1795711369285, 1795711369285, 1795711369285, NULL, 'FULL', 1, 0, 'FAILED', 1, 0, NULL, 0, 1, 1795711369285, 'the handler threw', 1795711372287, 1795711372334, 1795711372334, NULL, NULL, NULL, 'first', '', 1, 0, 1795711372329, NULL, 0, 0, NULL, 'df8f3448-9633-4a1a-b048-387adcfd1067');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, consumer, token, handling_generation, handling_until, begun_at, settled_at, postponed, retries, again_queue, insertion)
VALUES ('released', 'handed-off', 'order handed-off', 'orders', 'it''s due', X'0000', X'68616e6465642d6f666600ff', 1795711369367, 1795711369367, 1795711369367, NULL, 'HANDOFF', 1, 0, 'HELD', 1, 0, NULL, 0, 1, 1795711369367, NULL, 1795711372368, 1795711372371, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, 0, 0, NULL, '45cdc726-3523-4054-accb-67fe3ac665e8');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, consumer, token, handling_generation, handling_until, begun_at, settled_at, postponed, retries, again_queue, insertion)
VALUES ('released', 'held', 'order held', 'orders', 'it''s due', X'0000', X'68656c6400ff', 1795711369251, 1795711369251, 1795711369251, NULL, 'FULL', 1, 0, 'HELD', 1, 0, NULL, 0, 1, 1795711369251, NULL, 1795711372252, 1795711372262, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, 0, 0, NULL, 'a904a4f5-26e3-48be-90be-024800e44569');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, consumer, token, handling_generation, handling_until, begun_at, settled_at, postponed, retries, again_queue, insertion)
VALUES ('released', 'later', 'order later', 'orders', 'it''s due', X'0000', X'6c6174657200ff', 4102444800000, 4102444800000, 4102444800000, NULL, 'FULL', 1, 0, 'PENDING', 1, 0, NULL, 0, 0, NULL, NULL, 1795711372377, 1795711372377, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, 0, 0, NULL, 'e80e263b-c2ba-4325-86e9-506e93343117');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, consumer, token, handling_generation, handling_until, begun_at, settled_at, postponed, retries, again_queue, insertion)
VALUES ('released', 'leased', 'order leased', 'orders', 'it''s due', X'0000', X'6c656173656400ff', 1795711369379, 1795711369379, 1795711369379, NULL, 'FULL', 1, 0, 'PENDING', 1, 0, 'loader', 1795711372384, 1, NULL, NULL, 1795711372383, 1795711372383, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, 0, 0, NULL, 'df7922cd-6525-4e5c-86e7-a49a3ac76e7f');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, consumer, token, handling_generation, handling_until, begun_at, settled_at, postponed, retries, again_queue, insertion)
VALUES ('released', 'parked', 'order parked', 'orders', 'it''s due', X'0000', X'7061726b656400ff', 1795711369293, 1795711369293, 1795711369293, NULL, 'FULL', 1, 0, 'PARKED', 1, 0, NULL, 0, 1, 1795711369293, 'no more tries', 1795711372300, 1795711372340, NULL, NULL, NULL, NULL, 'first', '', 1, 0, 1795711372336, NULL, 0, 0, NULL, '718f425b-d579-4faf-b3dc-e5846be5279e');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, consumer, token, handling_generation, handling_until, begun_at, settled_at, postponed, retries, again_queue, insertion)
VALUES ('released', 'settled', 'order settled', 'orders', 'it''s due', X'0000', X'736574746c656400ff', 1795711369276, 1795711369276, 1795711369276, NULL, 'FULL', 1, 1, 'SETTLED', 1, 0, NULL, 0, 1, 1795711369276, NULL, 1795711372276, 1795711372317, 1795711372317, NULL, NULL, NULL, 'first', '7f69d152-5839-4379-9d13-e8bb02b1bc5d', 1, 1795711372317, 1795711372316, 1795711372317, 0, 0, NULL, 'a0c5b487-83f4-4566-8f63-12eeae1561ac');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, consumer, token, handling_generation, handling_until, begun_at, settled_at, postponed, retries, again_queue, insertion)
VALUES ('released', 'twice', 'order twice', 'orders', 'it''s due', X'0000', X'747769636500ff', 1795711369347, 1795711369347, 1795711369347, NULL, 'FULL', 2, 1, 'HELD', 1, 0, NULL, 0, 1, 1795711369347, NULL, 1795711372349, 1795711372360, NULL, NULL, NULL, NULL, 'first', 'dbc17733-c95a-4db1-8938-cd7b27904c59', 1, 1795711372357, 1795711372356, 1795711372360, 0, 0, NULL, 'b4a04781-9a72-4676-8c4d-a2aa9be04fdc');
DELETE FROM pocketwatch_settlement;
INSERT INTO pocketwatch_settlement (route, id, consumer, token, handling_generation, handling_until, begun_at, settled_at, postponed, retries, again_queue)
VALUES ('released', 'twice', 'second', '8e74a914-f87b-4606-97a2-357dbcd43b55', 1, 1795711372364, 1795711372363, NULL, 0, 0, NULL);
DELETE FROM pocketwatch_progress;
INSERT INTO pocketwatch_progress (route, consumer, settled_at, due_up_to)
VALUES ('released', 'first', 1795711372361, 1795711369347);
DELETE FROM pocketwatch_history;
INSERT INTO pocketwatch_history (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, tracking, settlements, settled, state, generation, attempts, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, moved_at)
VALUES ('released', 'filed', 'order filed', 'orders', 'it''s due', X'0000', X'66696c656400ff', 1795711369214, 1795711369214, 'FULL', 1, 1, 'SETTLED', 1, 0, 1795711369214, NULL, 1795711372217, 1795711372238, 1795711372238, NULL, NULL, NULL, 1795711372247);
DELETE FROM pocketwatch_rollup;
INSERT INTO pocketwatch_rollup (period_at, route, scheduled, settled, cancelled, failed, late_1, late_2, late_5, late_10, late_20, late_50, late_100, late_200, late_500, late_1000, late_2000, late_5000, late_10000, late_30000, late_60000, late_300000, late_900000, late_3600000, late_21600000, late_86400000, late_more)
VALUES (1795710600000, 'released', 10, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0);
DELETE FROM pocketwatch_rollup_end;
INSERT INTO pocketwatch_rollup_end (only_row, ends_at)
VALUES (1, 1795711380000);
DELETE FROM pocketwatch_schedule;
INSERT INTO pocketwatch_schedule (name, owner, version, definition, payload, next_at, counts_from, last_at, last_route, last_id, fired, missed, skipped, problem, paused_at, paused_until, note, orphaned, changed_by, created_at, updated_at)
VALUES ('nightly', 'billing', 3, '{"note": "it''s für ✓"}', '{"body": "it''s für ✓"}', 1795711372384, NULL, NULL, 'released', 'settled', 2, 1, 0, NULL, NULL, NULL, NULL, FALSE, 'desk', 1795711372384, 1795711372384);
DELETE FROM pocketwatch_heartbeat;
INSERT INTO pocketwatch_heartbeat (owner, beat_at, horizon, loaded, last_run, lease_millis)
VALUES ('loader', 1795711372386, 4102444800000, 7, NULL, 1);
DELETE FROM pocketwatch_schema;
INSERT INTO pocketwatch_schema (version)
VALUES (1);
