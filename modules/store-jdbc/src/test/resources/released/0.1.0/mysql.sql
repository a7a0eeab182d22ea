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
  epoch            VARCHAR(100),
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
  insertion        VARCHAR(36)  NOT NULL,  -- the call that made the row: MySQL cannot say which rows it inserted
  PRIMARY KEY (route, id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
CREATE INDEX pocketwatch_message_pending ON pocketwatch_message (state, route, deliver_at, id);
CREATE INDEX pocketwatch_message_held ON pocketwatch_message (state, deliver_at, route, id);
CREATE INDEX pocketwatch_message_epoch ON pocketwatch_message (state, epoch, deliver_at);
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
  epoch            VARCHAR(100),
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
  source       VARCHAR(4)   NOT NULL CHECK (source IN ('YAML', 'API')),
  version      BIGINT       NOT NULL,
  definition   MEDIUMTEXT NOT NULL,  -- in JSON
  next_at      BIGINT,  -- nominal, before jitter
  last_at      BIGINT,
  last_route   VARCHAR(100),  -- the row of the last occurrence that fired
  last_id      VARCHAR(200),
  fired        BIGINT       NOT NULL,
  missed       BIGINT       NOT NULL,
  skipped      BIGINT       NOT NULL,
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

CREATE TABLE pocketwatch_epoch (
  only_row   INTEGER NOT NULL CHECK (only_row = 1),
  epoch      VARCHAR(100),
  updated_at BIGINT  NOT NULL,
  PRIMARY KEY (only_row)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
INSERT INTO pocketwatch_epoch (only_row, epoch, updated_at) VALUES (1, NULL, 0);

CREATE TABLE pocketwatch_schema (
  version INTEGER NOT NULL,
  PRIMARY KEY (version)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
INSERT INTO pocketwatch_schema (version) VALUES (1);

CREATE VIEW pocketwatch_readable AS
SELECT route, id, business_key, exchange, routing_key, OCTET_LENGTH(body) AS body_bytes,
  TIMESTAMP('1970-01-01') + INTERVAL deliver_at * 1000 MICROSECOND AS deliver_at, tracking, state, generation, attempts, owner,
  CASE WHEN lease_until > 0 THEN TIMESTAMP('1970-01-01') + INTERVAL lease_until * 1000 MICROSECOND END AS lease_until, fence,
  TIMESTAMP('1970-01-01') + INTERVAL held_until * 1000 MICROSECOND AS held_until, epoch, reason, settled, settlements,
  TIMESTAMP('1970-01-01') + INTERVAL created_at * 1000 MICROSECOND AS created_at, TIMESTAMP('1970-01-01') + INTERVAL updated_at * 1000 MICROSECOND AS updated_at,
  TIMESTAMP('1970-01-01') + INTERVAL finished_at * 1000 MICROSECOND AS finished_at,
  changed_by, TIMESTAMP('1970-01-01') + INTERVAL changed_at * 1000 MICROSECOND AS changed_at, consumer,
  TIMESTAMP('1970-01-01') + INTERVAL begun_at * 1000 MICROSECOND AS begun_at,
  TIMESTAMP('1970-01-01') + INTERVAL settled_at * 1000 MICROSECOND AS settled_at
FROM pocketwatch_message;
-- Rows.
DELETE FROM pocketwatch_message;
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, epoch, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, consumer, token, handling_generation, handling_until, begun_at, settled_at, insertion)
VALUES ('released', 'begun', 'order begun', 'orders', 'it''s due', X'0000', X'626567756e00ff', 1795644467463, 1795644467463, 'FULL', 1, 0, 'HELD', 1, 0, NULL, 0, 1, 1795644467463, 'epoch-1', NULL, 1795644470466, 1795644470475, NULL, NULL, NULL, NULL, 'first', '8ac81616-5e2b-412c-bfed-efc19b1525b9', 1, 1795644470510, 1795644470509, NULL, '41490e39-2b27-49d4-921d-826964b3c90c');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, epoch, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, consumer, token, handling_generation, handling_until, begun_at, settled_at, insertion)
VALUES ('released', 'cancelled', 'order cancelled', 'orders', 'it''s due', X'0000', X'63616e63656c6c656400ff', 4102444800000, 4102444800000, 'FULL', 1, 0, 'CANCELLED', 1, 0, NULL, 0, 0, NULL, NULL, NULL, 1795644470540, 1795644470542, 1795644470542, 'desk', 1795644470542, '1795644470542 CANCELLED - desk
', NULL, NULL, 0, 0, NULL, NULL, '73cc5550-976e-48f0-8541-96a5a92d0610');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, epoch, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, consumer, token, handling_generation, handling_until, begun_at, settled_at, insertion)
VALUES ('released', 'due', 'order due', 'orders', 'it''s due', X'0000', X'64756500ff', 1795644467545, 1795644467545, 'FULL', 1, 0, 'PENDING', 1, 0, NULL, 0, 0, NULL, NULL, NULL, 1795644470545, 1795644470545, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, '4bc0475d-d3b3-4d8e-a0f7-7c6158038104');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, epoch, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, consumer, token, handling_generation, handling_until, begun_at, settled_at, insertion)
VALUES ('released', 'failed', 'order failed', 'orders', 'it''s due', X'0000', X'6661696c656400ff', 1795644467497, 1795644467497, 'FULL', 1, 0, 'FAILED', 1, 0, NULL, 0, 1, 1795644467497, 'epoch-1', 'the handler threw', 1795644470498, 1795644470517, 1795644470517, NULL, NULL, NULL, 'first', '', 1, 0, 1795644470516, NULL, '96875269-074d-4426-9c83-bb2e53e3cd58');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, epoch, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, consumer, token, handling_generation, handling_until, begun_at, settled_at, insertion)
VALUES ('released', 'handed-off', 'order handed-off', 'orders', 'it''s due', X'0000', X'68616e6465642d6f666600ff', 1795644467533, 1795644467533, 'HANDOFF', 1, 0, 'HELD', 1, 0, NULL, 0, 1, 1795644467533, 'epoch-1', NULL, 1795644470533, 1795644470539, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, '223247fa-f6d8-4e14-b27d-bc285ce5d4e3');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, epoch, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, consumer, token, handling_generation, handling_until, begun_at, settled_at, insertion)
VALUES ('released', 'held', 'order held', 'orders', 'it''s due', X'0000', X'68656c6400ff', 1795644467451, 1795644467451, 'FULL', 1, 0, 'HELD', 1, 0, NULL, 0, 1, 1795644467451, 'epoch-1', NULL, 1795644470453, 1795644470462, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, '25cd9526-a362-48d4-9597-037d8a83bc24');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, epoch, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, consumer, token, handling_generation, handling_until, begun_at, settled_at, insertion)
VALUES ('released', 'later', 'order later', 'orders', 'it''s due', X'0000', X'6c6174657200ff', 4102444800000, 4102444800000, 'FULL', 1, 0, 'PENDING', 1, 0, NULL, 0, 0, NULL, NULL, NULL, 1795644470543, 1795644470543, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, '6f251b88-f537-42df-8503-4d6563b8986c');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, epoch, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, consumer, token, handling_generation, handling_until, begun_at, settled_at, insertion)
VALUES ('released', 'leased', 'order leased', 'orders', 'it''s due', X'0000', X'6c656173656400ff', 1795644467546, 1795644467546, 'FULL', 1, 0, 'PENDING', 1, 0, 'loader', 1795644470548, 1, NULL, NULL, NULL, 1795644470547, 1795644470547, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, '899fd16a-0cbf-46a6-8e4a-5dee2be01ef9');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, epoch, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, consumer, token, handling_generation, handling_until, begun_at, settled_at, insertion)
VALUES ('released', 'parked', 'order parked', 'orders', 'it''s due', X'0000', X'7061726b656400ff', 1795644467503, 1795644467503, 'FULL', 1, 0, 'PARKED', 1, 0, NULL, 0, 1, 1795644467503, 'epoch-1', 'no more tries', 1795644470504, 1795644470520, NULL, NULL, NULL, NULL, 'first', '', 1, 0, 1795644470519, NULL, '77d9467b-d0c4-4fc7-986c-46c611a7a98c');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, epoch, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, consumer, token, handling_generation, handling_until, begun_at, settled_at, insertion)
VALUES ('released', 'settled', 'order settled', 'orders', 'it''s due', X'0000', X'736574746c656400ff', 1795644467476, 1795644467476, 'FULL', 1, 1, 'SETTLED', 1, 0, NULL, 0, 1, 1795644467476, 'epoch-1', NULL, 1795644470478, 1795644470513, 1795644470513, NULL, NULL, NULL, 'first', '87a0216f-c309-45f6-a07e-3929a7dd0a8e', 1, 1795644470513, 1795644470512, 1795644470513, 'ec9f01f3-eff4-40cf-a5a7-ab81dc651cc6');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, epoch, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, consumer, token, handling_generation, handling_until, begun_at, settled_at, insertion)
VALUES ('released', 'twice', 'order twice', 'orders', 'it''s due', X'0000', X'747769636500ff', 1795644467522, 1795644467522, 'FULL', 2, 1, 'HELD', 1, 0, NULL, 0, 1, 1795644467522, 'epoch-1', NULL, 1795644470522, 1795644470529, NULL, NULL, NULL, NULL, 'first', '4c021143-9ce2-4ea7-8a7e-066c7cfa0ee9', 1, 1795644470528, 1795644470527, 1795644470529, 'df8b2427-b114-414f-bbfe-1435987836fe');
DELETE FROM pocketwatch_settlement;
INSERT INTO pocketwatch_settlement (route, id, consumer, token, handling_generation, handling_until, begun_at, settled_at)
VALUES ('released', 'twice', 'second', '97c86374-4478-4445-bea1-b700ecda4c0a', 1, 1795644470532, 1795644470531, NULL);
DELETE FROM pocketwatch_progress;
INSERT INTO pocketwatch_progress (route, consumer, settled_at, due_up_to)
VALUES ('released', 'first', 1795644470530, 1795644467522);
DELETE FROM pocketwatch_history;
INSERT INTO pocketwatch_history (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, tracking, settlements, settled, state, generation, attempts, held_until, epoch, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, moved_at)
VALUES ('released', 'filed', 'order filed', 'orders', 'it''s due', X'0000', X'66696c656400ff', 1795644467422, 1795644467422, 'FULL', 1, 1, 'SETTLED', 1, 0, 1795644467422, 'epoch-1', NULL, 1795644470426, 1795644470442, 1795644470442, NULL, NULL, NULL, 1795644470449);
DELETE FROM pocketwatch_rollup;
INSERT INTO pocketwatch_rollup (period_at, route, scheduled, settled, cancelled, failed, late_1, late_2, late_5, late_10, late_20, late_50, late_100, late_200, late_500, late_1000, late_2000, late_5000, late_10000, late_30000, late_60000, late_300000, late_900000, late_3600000, late_21600000, late_86400000, late_more)
VALUES (1795650300000, 'released', 12, 3, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1);
DELETE FROM pocketwatch_rollup_end;
INSERT INTO pocketwatch_rollup_end (only_row, ends_at)
VALUES (1, 1795651080000);
DELETE FROM pocketwatch_schedule;
INSERT INTO pocketwatch_schedule (name, source, version, definition, next_at, last_at, last_route, last_id, fired, missed, skipped, paused_at, paused_until, note, orphaned, changed_by, created_at, updated_at)
VALUES ('nightly', 'API', 3, '{"note": "it''s für ✓"}', 1795644470548, NULL, 'released', 'settled', 2, 1, 0, NULL, NULL, NULL, FALSE, 'desk', 1795644470548, 1795644470548);
DELETE FROM pocketwatch_heartbeat;
INSERT INTO pocketwatch_heartbeat (owner, beat_at, horizon, loaded, last_run, lease_millis)
VALUES ('loader', 1795644470551, 4102444800000, 7, NULL, 1);
DELETE FROM pocketwatch_epoch;
INSERT INTO pocketwatch_epoch (only_row, epoch, updated_at)
VALUES (1, 'epoch-1', 1795644470415);
DELETE FROM pocketwatch_schema;
INSERT INTO pocketwatch_schema (version)
VALUES (1);
