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
  moved_at         BIGINT       NOT NULL,
  PRIMARY KEY (seq)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
CREATE INDEX pocketwatch_history_due ON pocketwatch_history (deliver_at, route);
CREATE INDEX pocketwatch_history_id ON pocketwatch_history (route, id);

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
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, epoch, reason, created_at, updated_at, finished_at, changed_by, changed_at, consumer, token, handling_generation, handling_until, begun_at, settled_at, insertion)
VALUES ('released', 'begun', 'order begun', 'orders', 'it''s due', X'0000', X'626567756e00ff', 1795640919404, 1795640919404, 'FULL', 1, 0, 'HELD', 1, 0, NULL, 0, 1, 1795640919404, 'epoch-1', NULL, 1795640922406, 1795640922438, NULL, NULL, NULL, 'first', '760de3d2-13df-4ec8-a1cf-7fc2f3c22b30', 1, 1795640922544, 1795640922543, NULL, 'fbfe79e8-8c2e-4003-acd4-cf7f963ef08d');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, epoch, reason, created_at, updated_at, finished_at, changed_by, changed_at, consumer, token, handling_generation, handling_until, begun_at, settled_at, insertion)
VALUES ('released', 'cancelled', 'order cancelled', 'orders', 'it''s due', X'0000', X'63616e63656c6c656400ff', 4102444800000, 4102444800000, 'FULL', 1, 0, 'CANCELLED', 1, 0, NULL, 0, 0, NULL, NULL, NULL, 1795640922870, 1795640922877, 1795640922877, 'desk', 1795640922877, NULL, NULL, 0, 0, NULL, NULL, '09a0bed0-4863-47e9-bb94-93aae1ba7955');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, epoch, reason, created_at, updated_at, finished_at, changed_by, changed_at, consumer, token, handling_generation, handling_until, begun_at, settled_at, insertion)
VALUES ('released', 'due', 'order due', 'orders', 'it''s due', X'0000', X'64756500ff', 1795640919889, 1795640919889, 'FULL', 1, 0, 'PENDING', 1, 0, NULL, 0, 0, NULL, NULL, NULL, 1795640922890, 1795640922890, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, '7a40340a-9dd6-4679-9110-76f817a2b379');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, epoch, reason, created_at, updated_at, finished_at, changed_by, changed_at, consumer, token, handling_generation, handling_until, begun_at, settled_at, insertion)
VALUES ('released', 'failed', 'order failed', 'orders', 'it''s due', X'0000', X'6661696c656400ff', 1795640919468, 1795640919468, 'FULL', 1, 0, 'FAILED', 1, 0, NULL, 0, 1, 1795640919468, 'epoch-1', 'the handler threw', 1795640922470, 1795640922615, 1795640922615, NULL, NULL, 'first', '', 1, 0, 1795640922608, NULL, 'ca2b2a1d-b0c5-4299-b37b-29141f1708fd');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, epoch, reason, created_at, updated_at, finished_at, changed_by, changed_at, consumer, token, handling_generation, handling_until, begun_at, settled_at, insertion)
VALUES ('released', 'handed-off', 'order handed-off', 'orders', 'it''s due', X'0000', X'68616e6465642d6f666600ff', 1795640919851, 1795640919851, 'HANDOFF', 1, 0, 'HELD', 1, 0, NULL, 0, 1, 1795640919851, 'epoch-1', NULL, 1795640922855, 1795640922869, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, 'e2ff8c93-5bcd-4b47-a85e-2bcd482286f4');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, epoch, reason, created_at, updated_at, finished_at, changed_by, changed_at, consumer, token, handling_generation, handling_until, begun_at, settled_at, insertion)
VALUES ('released', 'held', 'order held', 'orders', 'it''s due', X'0000', X'68656c6400ff', 1795640919366, 1795640919366, 'FULL', 1, 0, 'HELD', 1, 0, NULL, 0, 1, 1795640919366, 'epoch-1', NULL, 1795640922368, 1795640922400, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, '3ce2e2c5-d959-4060-9151-397f9050ebfa');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, epoch, reason, created_at, updated_at, finished_at, changed_by, changed_at, consumer, token, handling_generation, handling_until, begun_at, settled_at, insertion)
VALUES ('released', 'later', 'order later', 'orders', 'it''s due', X'0000', X'6c6174657200ff', 4102444800000, 4102444800000, 'FULL', 1, 0, 'PENDING', 1, 0, NULL, 0, 0, NULL, NULL, NULL, 1795640922885, 1795640922885, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, '463c9e7b-45fc-4290-ad5a-860a47730488');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, epoch, reason, created_at, updated_at, finished_at, changed_by, changed_at, consumer, token, handling_generation, handling_until, begun_at, settled_at, insertion)
VALUES ('released', 'leased', 'order leased', 'orders', 'it''s due', X'0000', X'6c656173656400ff', 1795640919895, 1795640919895, 'FULL', 1, 0, 'PENDING', 1, 0, 'loader', 1795640922897, 1, NULL, NULL, NULL, 1795640922896, 1795640922896, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, '240dcd5d-34d8-4ac6-b1be-77e1343bcf01');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, epoch, reason, created_at, updated_at, finished_at, changed_by, changed_at, consumer, token, handling_generation, handling_until, begun_at, settled_at, insertion)
VALUES ('released', 'parked', 'order parked', 'orders', 'it''s due', X'0000', X'7061726b656400ff', 1795640919496, 1795640919496, 'FULL', 1, 0, 'PARKED', 1, 0, NULL, 0, 1, 1795640919496, 'epoch-1', 'no more tries', 1795640922501, 1795640922626, NULL, NULL, NULL, 'first', '', 1, 0, 1795640922623, NULL, 'e450f780-9ce7-434a-9742-7739783fe635');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, epoch, reason, created_at, updated_at, finished_at, changed_by, changed_at, consumer, token, handling_generation, handling_until, begun_at, settled_at, insertion)
VALUES ('released', 'settled', 'order settled', 'orders', 'it''s due', X'0000', X'736574746c656400ff', 1795640919443, 1795640919443, 'FULL', 1, 1, 'SETTLED', 1, 0, NULL, 0, 1, 1795640919443, 'epoch-1', NULL, 1795640922445, 1795640922575, 1795640922575, NULL, NULL, 'first', '2a8e29d6-fb2f-4552-94d7-ac478bb3e027', 1, 1795640922565, 1795640922564, 1795640922575, '00d7b4dd-da53-47cf-a4af-276d3f9218cd');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, epoch, reason, created_at, updated_at, finished_at, changed_by, changed_at, consumer, token, handling_generation, handling_until, begun_at, settled_at, insertion)
VALUES ('released', 'twice', 'order twice', 'orders', 'it''s due', X'0000', X'747769636500ff', 1795640919633, 1795640919633, 'FULL', 2, 1, 'HELD', 1, 0, NULL, 0, 1, 1795640919633, 'epoch-1', NULL, 1795640922636, 1795640922745, NULL, NULL, NULL, 'first', 'b4aa68de-1557-42c7-a45f-50a058749cfc', 1, 1795640922732, 1795640922731, 1795640922745, 'e9ed588a-f652-4c6d-bfb3-3d077ab49496');
DELETE FROM pocketwatch_settlement;
INSERT INTO pocketwatch_settlement (route, id, consumer, token, handling_generation, handling_until, begun_at, settled_at)
VALUES ('released', 'twice', 'second', '7af63b0a-e130-462c-9d70-edbc18de7038', 1, 1795640922795, 1795640922794, NULL);
DELETE FROM pocketwatch_progress;
INSERT INTO pocketwatch_progress (route, consumer, settled_at, due_up_to)
VALUES ('released', 'first', 1795640922747, 1795640919633);
DELETE FROM pocketwatch_history;
INSERT INTO pocketwatch_history (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, tracking, settlements, settled, state, generation, attempts, held_until, epoch, reason, created_at, updated_at, finished_at, changed_by, changed_at, moved_at)
VALUES ('released', 'filed', 'order filed', 'orders', 'it''s due', X'0000', X'66696c656400ff', 1795640919300, 1795640919300, 'FULL', 1, 1, 'SETTLED', 1, 0, 1795640919300, 'epoch-1', NULL, 1795640922303, 1795640922346, 1795640922346, NULL, NULL, 1795640922358);
DELETE FROM pocketwatch_schedule;
INSERT INTO pocketwatch_schedule (name, source, version, definition, next_at, last_at, last_route, last_id, fired, missed, skipped, paused_at, paused_until, note, orphaned, changed_by, created_at, updated_at)
VALUES ('nightly', 'API', 3, '{"note": "it''s für ✓"}', 1795640922904, NULL, 'released', 'settled', 2, 1, 0, NULL, NULL, NULL, FALSE, 'desk', 1795640922904, 1795640922904);
DELETE FROM pocketwatch_heartbeat;
INSERT INTO pocketwatch_heartbeat (owner, beat_at, horizon, loaded, last_run, lease_millis)
VALUES ('loader', 1795640922910, 4102444800000, 7, NULL, 1);
DELETE FROM pocketwatch_epoch;
INSERT INTO pocketwatch_epoch (only_row, epoch, updated_at)
VALUES (1, 'epoch-1', 1795640922288);
DELETE FROM pocketwatch_schema;
INSERT INTO pocketwatch_schema (version)
VALUES (1);
