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
CREATE INDEX pocketwatch_message_held ON pocketwatch_message (state, deliver_at, route, id, tracking, next_at);
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
  postponed   INTEGER      NOT NULL DEFAULT 0,
  retries     INTEGER      NOT NULL DEFAULT 0,
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

-- What people have changed by hand: the latest 10,000.
CREATE TABLE pocketwatch_change (
  seq        BIGINT NOT NULL AUTO_INCREMENT,
  changed_at BIGINT       NOT NULL,
  changed_by VARCHAR(200) NOT NULL,
  what       VARCHAR(40)  NOT NULL,
  route      VARCHAR(100),  -- null: of several, or of none
  subject    VARCHAR(500),  -- which message, schedule or queue, or those of which filter
  done       BIGINT       NOT NULL,
  refused    BIGINT       NOT NULL,
  PRIMARY KEY (seq)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

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
VALUES ('released', 'begun', 'order begun', 'orders', 'it''s due', X'0000', X'626567756e00ff', 1795713507575, 1795713507575, 1795713507575, NULL, 'FULL', 1, 0, 'HELD', 1, 0, NULL, 0, 1, 1795713507575, NULL, 1795713510576, 1795713510578, NULL, NULL, NULL, NULL, 'first', '838062e9-7218-4359-b62f-ba1a8e77aab6', 1, 1795713510593, 1795713510592, NULL, 0, 0, NULL, '628933df-64cd-4878-8743-814a49989b82');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, consumer, token, handling_generation, handling_until, begun_at, settled_at, postponed, retries, again_queue, insertion)
VALUES ('released', 'cancelled', 'order cancelled', 'orders', 'it''s due', X'0000', X'63616e63656c6c656400ff', 4102444800000, 4102444800000, 4102444800000, NULL, 'FULL', 1, 0, 'CANCELLED', 1, 0, NULL, 0, 0, NULL, NULL, 1795713510628, 1795713510630, 1795713510630, 'desk', 1795713510630, '1795713510630 CANCELLED - desk
', NULL, NULL, 0, 0, NULL, NULL, 0, 0, NULL, 'fe9d6242-817a-487d-a961-2425fbb74d52');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, consumer, token, handling_generation, handling_until, begun_at, settled_at, postponed, retries, again_queue, insertion)
VALUES ('released', 'due', 'order due', 'orders', 'it''s due', X'0000', X'64756500ff', 1795713507632, 1795713507632, 1795713507632, NULL, 'FULL', 1, 0, 'PENDING', 1, 0, NULL, 0, 0, NULL, NULL, 1795713510632, 1795713510632, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, 0, 0, NULL, 'ec288b61-cfb1-4f15-a942-f28945b59e73');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, consumer, token, handling_generation, handling_until, begun_at, settled_at, postponed, retries, again_queue, insertion)
VALUES ('released', 'failed', 'order failed', 'orders', 'it''s due', X'0000', X'6661696c656400ff', 1795713507584, 1795713507584, 1795713507584, NULL, 'FULL', 1, 0, 'FAILED', 1, 0, NULL, 0, 1, 1795713507584, 'the handler threw', 1795713510585, 1795713510599, 1795713510599, NULL, NULL, NULL, 'first', '', 1, 0, 1795713510597, NULL, 0, 0, NULL, 'ce374a93-fd56-4749-bea9-94dae460c6d2');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, consumer, token, handling_generation, handling_until, begun_at, settled_at, postponed, retries, again_queue, insertion)
VALUES ('released', 'handed-off', 'order handed-off', 'orders', 'it''s due', X'0000', X'68616e6465642d6f666600ff', 1795713507622, 1795713507622, 1795713507622, NULL, 'HANDOFF', 1, 0, 'HELD', 1, 0, NULL, 0, 1, 1795713507622, NULL, 1795713510624, 1795713510627, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, 0, 0, NULL, 'db07622d-b5e4-4bc1-adf0-fb33ab68be9a');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, consumer, token, handling_generation, handling_until, begun_at, settled_at, postponed, retries, again_queue, insertion)
VALUES ('released', 'held', 'order held', 'orders', 'it''s due', X'0000', X'68656c6400ff', 1795713507571, 1795713507571, 1795713507571, NULL, 'FULL', 1, 0, 'HELD', 1, 0, NULL, 0, 1, 1795713507571, NULL, 1795713510571, 1795713510575, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, 0, 0, NULL, '0ed0799f-15b3-45d2-bb34-d4717deaafc8');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, consumer, token, handling_generation, handling_until, begun_at, settled_at, postponed, retries, again_queue, insertion)
VALUES ('released', 'later', 'order later', 'orders', 'it''s due', X'0000', X'6c6174657200ff', 4102444800000, 4102444800000, 4102444800000, NULL, 'FULL', 1, 0, 'PENDING', 1, 0, NULL, 0, 0, NULL, NULL, 1795713510631, 1795713510631, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, 0, 0, NULL, '07788caf-7413-4156-a7b5-a69b8f3f6cce');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, consumer, token, handling_generation, handling_until, begun_at, settled_at, postponed, retries, again_queue, insertion)
VALUES ('released', 'leased', 'order leased', 'orders', 'it''s due', X'0000', X'6c656173656400ff', 1795713507633, 1795713507633, 1795713507633, NULL, 'FULL', 1, 0, 'PENDING', 1, 0, 'loader', 1795713510634, 1, NULL, NULL, 1795713510633, 1795713510633, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, 0, 0, NULL, '21ce4735-70ca-48fb-95b4-3fd0a541c1f2');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, consumer, token, handling_generation, handling_until, begun_at, settled_at, postponed, retries, again_queue, insertion)
VALUES ('released', 'parked', 'order parked', 'orders', 'it''s due', X'0000', X'7061726b656400ff', 1795713507589, 1795713507589, 1795713507589, NULL, 'FULL', 1, 0, 'PARKED', 1, 0, NULL, 0, 1, 1795713507589, 'no more tries', 1795713510589, 1795713510605, NULL, NULL, NULL, NULL, 'first', '', 1, 0, 1795713510603, NULL, 0, 0, NULL, '462c1a22-cb17-4a89-9e80-0d358db624d8');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, consumer, token, handling_generation, handling_until, begun_at, settled_at, postponed, retries, again_queue, insertion)
VALUES ('released', 'settled', 'order settled', 'orders', 'it''s due', X'0000', X'736574746c656400ff', 1795713507579, 1795713507579, 1795713507579, NULL, 'FULL', 1, 1, 'SETTLED', 1, 0, NULL, 0, 1, 1795713507579, NULL, 1795713510579, 1795713510595, 1795713510595, NULL, NULL, NULL, 'first', '65f821bc-0c3f-47b0-b4bc-fb567aec10e0', 1, 1795713510595, 1795713510594, 1795713510595, 0, 0, NULL, 'a99ceb52-b526-4811-8a47-72aeec13d702');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, consumer, token, handling_generation, handling_until, begun_at, settled_at, postponed, retries, again_queue, insertion)
VALUES ('released', 'twice', 'order twice', 'orders', 'it''s due', X'0000', X'747769636500ff', 1795713507606, 1795713507606, 1795713507606, NULL, 'FULL', 2, 1, 'HELD', 1, 0, NULL, 0, 1, 1795713507606, NULL, 1795713510607, 1795713510616, NULL, NULL, NULL, NULL, 'first', '24eda0d9-c007-4c59-a120-7e74afd01b9f', 1, 1795713510617, 1795713510616, 1795713510616, 0, 0, NULL, '8b25fb73-fbbf-45e8-824f-4dcfcbbe40f5');
DELETE FROM pocketwatch_settlement;
INSERT INTO pocketwatch_settlement (route, id, consumer, token, handling_generation, handling_until, begun_at, settled_at, postponed, retries, again_queue)
VALUES ('released', 'twice', 'second', 'e3e53456-9e57-4634-bf5e-035ad2939768', 1, 1795713510621, 1795713510620, NULL, 0, 0, NULL);
DELETE FROM pocketwatch_progress;
INSERT INTO pocketwatch_progress (route, consumer, settled_at, due_up_to)
VALUES ('released', 'first', 1795713510618, 1795713507606);
DELETE FROM pocketwatch_rollup;
INSERT INTO pocketwatch_rollup (period_at, route, scheduled, settled, cancelled, failed, late_1, late_2, late_5, late_10, late_20, late_50, late_100, late_200, late_500, late_1000, late_2000, late_5000, late_10000, late_30000, late_60000, late_300000, late_900000, late_3600000, late_21600000, late_86400000, late_more)
VALUES (1795713300000, 'released', 10, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0);
DELETE FROM pocketwatch_rollup_end;
INSERT INTO pocketwatch_rollup_end (only_row, ends_at)
VALUES (1, 1795713540000);
DELETE FROM pocketwatch_schedule;
INSERT INTO pocketwatch_schedule (name, owner, version, definition, payload, next_at, counts_from, last_at, last_route, last_id, fired, missed, skipped, problem, paused_at, paused_until, note, orphaned, changed_by, created_at, updated_at)
VALUES ('nightly', 'billing', 3, '{"note": "it''s für ✓"}', '{"body": "it''s für ✓"}', 1795713510634, NULL, NULL, 'released', 'settled', 2, 1, 0, NULL, NULL, NULL, NULL, FALSE, 'desk', 1795713510634, 1795713510634);
DELETE FROM pocketwatch_heartbeat;
INSERT INTO pocketwatch_heartbeat (owner, beat_at, horizon, loaded, last_run, lease_millis)
VALUES ('loader', 1795713510635, 4102444800000, 7, NULL, 1);
DELETE FROM pocketwatch_schema;
INSERT INTO pocketwatch_schema (version)
VALUES (1);
