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
VALUES ('released', 'begun', 'order begun', 'orders', 'it''s due', X'0000', X'626567756e00ff', 1795640410258, 1795640410258, 'FULL', 1, 0, 'HELD', 1, 0, NULL, 0, 1, 1795640410258, 'epoch-1', NULL, 1795640413262, 1795640413326, NULL, NULL, NULL, 'first', '9571f99f-1c3b-4e40-8e8c-8d3593fd50c7', 1, 1795640413624, 1795640413623, NULL, 'bd740801-cc2f-4e00-aed9-734e50f6b487');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, epoch, reason, created_at, updated_at, finished_at, changed_by, changed_at, consumer, token, handling_generation, handling_until, begun_at, settled_at, insertion)
VALUES ('released', 'cancelled', 'order cancelled', 'orders', 'it''s due', X'0000', X'63616e63656c6c656400ff', 4102444800000, 4102444800000, 'FULL', 1, 0, 'CANCELLED', 1, 0, NULL, 0, 0, NULL, NULL, NULL, 1795640414129, 1795640414197, 1795640414197, 'desk', 1795640414197, NULL, NULL, 0, 0, NULL, NULL, 'c23a40fe-773d-4265-ab29-babfbf3c00b5');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, epoch, reason, created_at, updated_at, finished_at, changed_by, changed_at, consumer, token, handling_generation, handling_until, begun_at, settled_at, insertion)
VALUES ('released', 'due', 'order due', 'orders', 'it''s due', X'0000', X'64756500ff', 1795640411227, 1795640411227, 'FULL', 1, 0, 'PENDING', 1, 0, NULL, 0, 0, NULL, NULL, NULL, 1795640414237, 1795640414237, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, '56c87bf9-3e80-4a62-8cbe-f33c9b2d69d4');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, epoch, reason, created_at, updated_at, finished_at, changed_by, changed_at, consumer, token, handling_generation, handling_until, begun_at, settled_at, insertion)
VALUES ('released', 'failed', 'order failed', 'orders', 'it''s due', X'0000', X'6661696c656400ff', 1795640410427, 1795640410427, 'FULL', 1, 0, 'FAILED', 1, 0, NULL, 0, 1, 1795640410427, 'epoch-1', 'the handler threw', 1795640413436, 1795640413757, 1795640413757, NULL, NULL, 'first', '', 1, 0, 1795640413727, NULL, '7454dafd-e036-459b-819c-0539aca4351a');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, epoch, reason, created_at, updated_at, finished_at, changed_by, changed_at, consumer, token, handling_generation, handling_until, begun_at, settled_at, insertion)
VALUES ('released', 'handed-off', 'order handed-off', 'orders', 'it''s due', X'0000', X'68616e6465642d6f666600ff', 1795640411079, 1795640411079, 'HANDOFF', 1, 0, 'HELD', 1, 0, NULL, 0, 1, 1795640411079, 'epoch-1', NULL, 1795640414082, 1795640414108, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, 'bcaaf85b-b1fb-486b-85f1-310c71052f1b');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, epoch, reason, created_at, updated_at, finished_at, changed_by, changed_at, consumer, token, handling_generation, handling_until, begun_at, settled_at, insertion)
VALUES ('released', 'held', 'order held', 'orders', 'it''s due', X'0000', X'68656c6400ff', 1795640410193, 1795640410193, 'FULL', 1, 0, 'HELD', 1, 0, NULL, 0, 1, 1795640410193, 'epoch-1', NULL, 1795640413197, 1795640413239, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, 'd5977879-9dba-41cb-8a0b-db179e1bd574');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, epoch, reason, created_at, updated_at, finished_at, changed_by, changed_at, consumer, token, handling_generation, handling_until, begun_at, settled_at, insertion)
VALUES ('released', 'later', 'order later', 'orders', 'it''s due', X'0000', X'6c6174657200ff', 4102444800000, 4102444800000, 'FULL', 1, 0, 'PENDING', 1, 0, NULL, 0, 0, NULL, NULL, NULL, 1795640414213, 1795640414213, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, 'eadef89d-91bf-4211-abae-491d43510966');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, epoch, reason, created_at, updated_at, finished_at, changed_by, changed_at, consumer, token, handling_generation, handling_until, begun_at, settled_at, insertion)
VALUES ('released', 'leased', 'order leased', 'orders', 'it''s due', X'0000', X'6c656173656400ff', 1795640411259, 1795640411259, 'FULL', 1, 0, 'PENDING', 1, 0, 'loader', 1795640414292, 1, NULL, NULL, NULL, 1795640414291, 1795640414291, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, '1e4ac55f-f400-4da6-8224-ae54fdfce602');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, epoch, reason, created_at, updated_at, finished_at, changed_by, changed_at, consumer, token, handling_generation, handling_until, begun_at, settled_at, insertion)
VALUES ('released', 'parked', 'order parked', 'orders', 'it''s due', X'0000', X'7061726b656400ff', 1795640410537, 1795640410537, 'FULL', 1, 0, 'PARKED', 1, 0, NULL, 0, 1, 1795640410537, 'epoch-1', 'no more tries', 1795640413540, 1795640413827, NULL, NULL, NULL, 'first', '', 1, 0, 1795640413801, NULL, '3c7a4d40-8148-416a-b13b-e01e959f6ae5');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, epoch, reason, created_at, updated_at, finished_at, changed_by, changed_at, consumer, token, handling_generation, handling_until, begun_at, settled_at, insertion)
VALUES ('released', 'settled', 'order settled', 'orders', 'it''s due', X'0000', X'736574746c656400ff', 1795640410351, 1795640410351, 'FULL', 1, 1, 'SETTLED', 1, 0, NULL, 0, 1, 1795640410351, 'epoch-1', NULL, 1795640413364, 1795640413688, 1795640413688, NULL, NULL, 'first', 'e10556aa-3350-4bf2-a96a-1bb22fe69536', 1, 1795640413664, 1795640413663, 1795640413688, '127dc6b8-675c-42c6-87df-519e82469da3');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, epoch, reason, created_at, updated_at, finished_at, changed_by, changed_at, consumer, token, handling_generation, handling_until, begun_at, settled_at, insertion)
VALUES ('released', 'twice', 'order twice', 'orders', 'it''s due', X'0000', X'747769636500ff', 1795640410844, 1795640410844, 'FULL', 2, 1, 'HELD', 1, 0, NULL, 0, 1, 1795640410844, 'epoch-1', NULL, 1795640413855, 1795640413992, NULL, NULL, NULL, 'first', '9b3df494-c25c-4c6b-992a-b647e718b491', 1, 1795640413965, 1795640413964, 1795640413992, 'b590b77b-4b78-4b0d-8bd4-a072531200e4');
DELETE FROM pocketwatch_settlement;
INSERT INTO pocketwatch_settlement (route, id, consumer, token, handling_generation, handling_until, begun_at, settled_at)
VALUES ('released', 'twice', 'second', '2b2de142-7763-4bc0-b5df-8a67407988dd', 1, 1795640414047, 1795640414046, NULL);
DELETE FROM pocketwatch_progress;
INSERT INTO pocketwatch_progress (route, consumer, settled_at, due_up_to)
VALUES ('released', 'first', 1795640414011, 1795640410844);
DELETE FROM pocketwatch_history;
INSERT INTO pocketwatch_history (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, tracking, settlements, settled, state, generation, attempts, held_until, epoch, reason, created_at, updated_at, finished_at, changed_by, changed_at, moved_at)
VALUES ('released', 'filed', 'order filed', 'orders', 'it''s due', X'0000', X'66696c656400ff', 1795640410054, 1795640410054, 'FULL', 1, 1, 'SETTLED', 1, 0, 1795640410054, 'epoch-1', NULL, 1795640413060, 1795640413148, 1795640413148, NULL, NULL, 1795640413188);
DELETE FROM pocketwatch_heartbeat;
INSERT INTO pocketwatch_heartbeat (owner, beat_at, horizon, loaded, last_run, lease_millis)
VALUES ('loader', 1795640414339, 4102444800000, 7, NULL, 1);
DELETE FROM pocketwatch_epoch;
INSERT INTO pocketwatch_epoch (only_row, epoch, updated_at)
VALUES (1, 'epoch-1', 1795640413051);
DELETE FROM pocketwatch_schema;
INSERT INTO pocketwatch_schema (version)
VALUES (1);
