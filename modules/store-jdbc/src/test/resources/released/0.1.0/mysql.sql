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
  owner        VARCHAR(200),
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
VALUES ('released', 'begun', 'order begun', 'orders', 'it''s due', X'0000', X'626567756e00ff', 1795654617087, 1795654617087, 'FULL', 1, 0, 'HELD', 1, 0, NULL, 0, 1, 1795654617087, 'epoch-1', NULL, 1795654620088, 1795654620092, NULL, NULL, NULL, NULL, 'first', 'd1a29133-913e-4db5-abf4-10a3369c4ca3', 1, 1795654620114, 1795654620113, NULL, '39e40cf8-fa6c-48f3-939e-4230908227ce');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, epoch, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, consumer, token, handling_generation, handling_until, begun_at, settled_at, insertion)
VALUES ('released', 'cancelled', 'order cancelled', 'orders', 'it''s due', X'0000', X'63616e63656c6c656400ff', 4102444800000, 4102444800000, 'FULL', 1, 0, 'CANCELLED', 1, 0, NULL, 0, 0, NULL, NULL, NULL, 1795654620174, 1795654620177, 1795654620177, 'desk', 1795654620177, '1795654620177 CANCELLED - desk
', NULL, NULL, 0, 0, NULL, NULL, '2269e62e-ac3a-4c43-8c01-c81ee76a6723');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, epoch, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, consumer, token, handling_generation, handling_until, begun_at, settled_at, insertion)
VALUES ('released', 'due', 'order due', 'orders', 'it''s due', X'0000', X'64756500ff', 1795654617180, 1795654617180, 'FULL', 1, 0, 'PENDING', 1, 0, NULL, 0, 0, NULL, NULL, NULL, 1795654620181, 1795654620181, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, '0701ecd8-eba0-42ed-b45f-4e03fdd29e7d');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, epoch, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, consumer, token, handling_generation, handling_until, begun_at, settled_at, insertion)
VALUES ('released', 'failed', 'order failed', 'orders', 'it''s due', X'0000', X'6661696c656400ff', 1795654617100, 1795654617100, 'FULL', 1, 0, 'FAILED', 1, 0, NULL, 0, 1, 1795654617100, 'epoch-1', 'the handler threw', 1795654620101, 1795654620131, 1795654620131, NULL, NULL, NULL, 'first', '', 1, 0, 1795654620121, NULL, 'cfc5b9b7-a503-4d74-a8cd-86bd880ffd31');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, epoch, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, consumer, token, handling_generation, handling_until, begun_at, settled_at, insertion)
VALUES ('released', 'handed-off', 'order handed-off', 'orders', 'it''s due', X'0000', X'68616e6465642d6f666600ff', 1795654617160, 1795654617160, 'HANDOFF', 1, 0, 'HELD', 1, 0, NULL, 0, 1, 1795654617160, 'epoch-1', NULL, 1795654620162, 1795654620170, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, '78539173-7033-4790-8aa3-7d27e751c7a4');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, epoch, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, consumer, token, handling_generation, handling_until, begun_at, settled_at, insertion)
VALUES ('released', 'held', 'order held', 'orders', 'it''s due', X'0000', X'68656c6400ff', 1795654617076, 1795654617076, 'FULL', 1, 0, 'HELD', 1, 0, NULL, 0, 1, 1795654617076, 'epoch-1', NULL, 1795654620078, 1795654620086, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, 'af0c6d43-f63b-48e4-b271-c51424e984a9');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, epoch, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, consumer, token, handling_generation, handling_until, begun_at, settled_at, insertion)
VALUES ('released', 'later', 'order later', 'orders', 'it''s due', X'0000', X'6c6174657200ff', 4102444800000, 4102444800000, 'FULL', 1, 0, 'PENDING', 1, 0, NULL, 0, 0, NULL, NULL, NULL, 1795654620179, 1795654620179, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, 'fa347c01-db9c-4972-968a-3c0833766121');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, epoch, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, consumer, token, handling_generation, handling_until, begun_at, settled_at, insertion)
VALUES ('released', 'leased', 'order leased', 'orders', 'it''s due', X'0000', X'6c656173656400ff', 1795654617182, 1795654617182, 'FULL', 1, 0, 'PENDING', 1, 0, 'loader', 1795654620186, 1, NULL, NULL, NULL, 1795654620185, 1795654620185, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, '2ac20595-c7cf-4ce1-b524-84792aadbdac');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, epoch, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, consumer, token, handling_generation, handling_until, begun_at, settled_at, insertion)
VALUES ('released', 'parked', 'order parked', 'orders', 'it''s due', X'0000', X'7061726b656400ff', 1795654617106, 1795654617106, 'FULL', 1, 0, 'PARKED', 1, 0, NULL, 0, 1, 1795654617106, 'epoch-1', 'no more tries', 1795654620107, 1795654620137, NULL, NULL, NULL, NULL, 'first', '', 1, 0, 1795654620135, NULL, 'f2f0e795-6fa5-4876-b332-82c5f22bee96');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, epoch, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, consumer, token, handling_generation, handling_until, begun_at, settled_at, insertion)
VALUES ('released', 'settled', 'order settled', 'orders', 'it''s due', X'0000', X'736574746c656400ff', 1795654617094, 1795654617094, 'FULL', 1, 1, 'SETTLED', 1, 0, NULL, 0, 1, 1795654617094, 'epoch-1', NULL, 1795654620095, 1795654620117, 1795654620117, NULL, NULL, NULL, 'first', 'eb726524-6fad-48b7-924d-6fa4170e3052', 1, 1795654620117, 1795654620116, 1795654620117, 'a7c5e6b8-b145-47b0-9c09-70df44c603cd');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, epoch, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, consumer, token, handling_generation, handling_until, begun_at, settled_at, insertion)
VALUES ('released', 'twice', 'order twice', 'orders', 'it''s due', X'0000', X'747769636500ff', 1795654617139, 1795654617139, 'FULL', 2, 1, 'HELD', 1, 0, NULL, 0, 1, 1795654617139, 'epoch-1', NULL, 1795654620140, 1795654620149, NULL, NULL, NULL, NULL, 'first', '20e883f0-4b3d-4237-b92c-88bb3c9302ea', 1, 1795654620147, 1795654620146, 1795654620149, 'ac349641-1442-4682-a8a3-f96f3aa5ae0a');
DELETE FROM pocketwatch_settlement;
INSERT INTO pocketwatch_settlement (route, id, consumer, token, handling_generation, handling_until, begun_at, settled_at)
VALUES ('released', 'twice', 'second', 'b0b547e9-8e09-49f2-aa24-4eb34dbe01b6', 1, 1795654620156, 1795654620155, NULL);
DELETE FROM pocketwatch_progress;
INSERT INTO pocketwatch_progress (route, consumer, settled_at, due_up_to)
VALUES ('released', 'first', 1795654620153, 1795654617139);
DELETE FROM pocketwatch_history;
INSERT INTO pocketwatch_history (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, tracking, settlements, settled, state, generation, attempts, held_until, epoch, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, moved_at)
VALUES ('released', 'filed', 'order filed', 'orders', 'it''s due', X'0000', X'66696c656400ff', 1795654617045, 1795654617045, 'FULL', 1, 1, 'SETTLED', 1, 0, 1795654617045, 'epoch-1', NULL, 1795654620047, 1795654620064, 1795654620064, NULL, NULL, NULL, 1795654620069);
DELETE FROM pocketwatch_rollup;
DELETE FROM pocketwatch_rollup_end;
INSERT INTO pocketwatch_rollup_end (only_row, ends_at)
VALUES (1, 1795654620000);
DELETE FROM pocketwatch_schedule;
INSERT INTO pocketwatch_schedule (name, owner, version, definition, next_at, last_at, last_route, last_id, fired, missed, skipped, paused_at, paused_until, note, orphaned, changed_by, created_at, updated_at)
VALUES ('nightly', 'billing', 3, '{"note": "it''s für ✓"}', 1795654620186, NULL, 'released', 'settled', 2, 1, 0, NULL, NULL, NULL, FALSE, 'desk', 1795654620186, 1795654620186);
DELETE FROM pocketwatch_heartbeat;
INSERT INTO pocketwatch_heartbeat (owner, beat_at, horizon, loaded, last_run, lease_millis)
VALUES ('loader', 1795654620190, 4102444800000, 7, NULL, 1);
DELETE FROM pocketwatch_epoch;
INSERT INTO pocketwatch_epoch (only_row, epoch, updated_at)
VALUES (1, 'epoch-1', 1795654620043);
DELETE FROM pocketwatch_schema;
INSERT INTO pocketwatch_schema (version)
VALUES (1);
