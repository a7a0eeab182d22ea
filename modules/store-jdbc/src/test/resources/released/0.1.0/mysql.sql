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
  state            VARCHAR(9)   NOT NULL
    CHECK (state IN ('PENDING', 'HELD', 'SETTLED', 'CANCELLED', 'FAILED', 'PARKED')),
  generation       INTEGER      NOT NULL DEFAULT 1,
  attempts         INTEGER      NOT NULL DEFAULT 0,
  holder           VARCHAR(200),  -- who sends it, or the token under which it is handled or was settled
  lease_until      BIGINT       NOT NULL DEFAULT 0,  -- from then on anybody may claim it
  fence            BIGINT       NOT NULL DEFAULT 0,  -- counts who has held it
  consumer         VARCHAR(255),  -- who began it last
  begun_at         BIGINT,  -- null unless its last holder was a consumer
  postponed        INTEGER      NOT NULL DEFAULT 0,  -- how often its consumer has put off this generation
  retries          INTEGER      NOT NULL DEFAULT 0,  -- of these, after failures
  copy_dropped     BOOLEAN      NOT NULL DEFAULT FALSE,  -- a copy came while it was handled
  handed_on        BOOLEAN      NOT NULL DEFAULT FALSE,  -- another consumer took it up after a failure
  held_until       BIGINT,
  reason           VARCHAR(2000),
  created_at       BIGINT       NOT NULL,
  updated_at       BIGINT       NOT NULL,
  finished_at      BIGINT,
  changed_by       VARCHAR(200),  -- who cancelled, moved or released it last
  changed_at       BIGINT,
  changes          TEXT,  -- all of these, a line each: when, what, the new instant, who
  insertion        VARCHAR(36)  NOT NULL,  -- the call that made the row: MySQL cannot say which rows it inserted
  PRIMARY KEY (route, id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
CREATE INDEX pocketwatch_message_state ON pocketwatch_message (state, deliver_at, route, id, tracking, next_at);
CREATE INDEX pocketwatch_message_next ON pocketwatch_message (state, route, next_at, deliver_at);
CREATE INDEX pocketwatch_message_business_key ON pocketwatch_message (business_key, deliver_at);
CREATE INDEX pocketwatch_message_finished ON pocketwatch_message (finished_at);
CREATE INDEX pocketwatch_message_created ON pocketwatch_message (created_at);

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

-- The broker to which these messages go: noted by the first that connects, changed only on purpose.
CREATE TABLE pocketwatch_broker (
  only_row     INTEGER      NOT NULL CHECK (only_row = 1),
  cluster_name VARCHAR(255) NOT NULL,
  virtual_host VARCHAR(255) NOT NULL,
  noted_at     BIGINT       NOT NULL,
  PRIMARY KEY (only_row)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

CREATE TABLE pocketwatch_schema (
  version INTEGER NOT NULL,
  PRIMARY KEY (version)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
INSERT INTO pocketwatch_schema (version) VALUES (1);

CREATE VIEW pocketwatch_readable AS
SELECT route, id, business_key, exchange, routing_key, OCTET_LENGTH(body) AS body_bytes,
  TIMESTAMP('1970-01-01') + INTERVAL deliver_at * 1000 MICROSECOND AS deliver_at, tracking, state, generation, attempts, holder,
  CASE WHEN lease_until > 0 THEN TIMESTAMP('1970-01-01') + INTERVAL lease_until * 1000 MICROSECOND END AS lease_until, fence,
  TIMESTAMP('1970-01-01') + INTERVAL held_until * 1000 MICROSECOND AS held_until, next_at, next_queue, reason,
  TIMESTAMP('1970-01-01') + INTERVAL created_at * 1000 MICROSECOND AS created_at, TIMESTAMP('1970-01-01') + INTERVAL updated_at * 1000 MICROSECOND AS updated_at,
  TIMESTAMP('1970-01-01') + INTERVAL finished_at * 1000 MICROSECOND AS finished_at,
  changed_by, TIMESTAMP('1970-01-01') + INTERVAL changed_at * 1000 MICROSECOND AS changed_at, consumer,
  TIMESTAMP('1970-01-01') + INTERVAL begun_at * 1000 MICROSECOND AS begun_at
FROM pocketwatch_message;
-- Rows.
DELETE FROM pocketwatch_message;
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, state, generation, attempts, holder, lease_until, fence, consumer, begun_at, postponed, retries, copy_dropped, handed_on, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, insertion)
VALUES ('released', 'begun', 'order begun', 'orders', 'it''s due', X'0000', X'626567756e00ff', 1795903968071, 1795903968071, 1795903968071, NULL, 'FULL', 'PENDING', 1, 0, '9f1a3262-e1d1-4c18-b4f7-faf951256a30', 1795903971102, 2, 'q', 1795903971101, 0, 0, FALSE, FALSE, 1795903971101, NULL, 1795903971071, 1795903971101, NULL, NULL, NULL, NULL, 'e9067e9c-7b05-498e-952f-5ab9e1e7882b');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, state, generation, attempts, holder, lease_until, fence, consumer, begun_at, postponed, retries, copy_dropped, handed_on, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, insertion)
VALUES ('released', 'cancelled', 'order cancelled', 'orders', 'it''s due', X'0000', X'63616e63656c6c656400ff', 4102444800000, 4102444800000, 4102444800000, NULL, 'FULL', 'CANCELLED', 1, 0, NULL, 0, 0, NULL, NULL, 0, 0, FALSE, FALSE, NULL, NULL, 1795903971096, 1795903971097, 1795903971097, 'desk', 1795903971097, '1795903971097 CANCELLED - desk
', '7d741125-73e2-48d8-ae6a-78412a60054a');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, state, generation, attempts, holder, lease_until, fence, consumer, begun_at, postponed, retries, copy_dropped, handed_on, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, insertion)
VALUES ('released', 'due', 'order due', 'orders', 'it''s due', X'0000', X'64756500ff', 1795903968098, 1795903968098, 1795903968098, NULL, 'FULL', 'PENDING', 1, 0, NULL, 0, 0, NULL, NULL, 0, 0, FALSE, FALSE, NULL, NULL, 1795903971098, 1795903971098, NULL, NULL, NULL, NULL, '61b8a525-3057-44a2-999d-beeae5ade299');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, state, generation, attempts, holder, lease_until, fence, consumer, begun_at, postponed, retries, copy_dropped, handed_on, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, insertion)
VALUES ('released', 'failed', 'order failed', 'orders', 'it''s due', X'0000', X'6661696c656400ff', 1795903968079, 1795903968079, 1795903968079, NULL, 'FULL', 'FAILED', 1, 0, NULL, 0, 2, 'q', 1795903971089, 0, 0, FALSE, FALSE, 1795903971089, 'the handler threw', 1795903971079, 1795903971090, 1795903971090, NULL, NULL, NULL, '39088534-6542-4794-a689-38de842f4cdd');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, state, generation, attempts, holder, lease_until, fence, consumer, begun_at, postponed, retries, copy_dropped, handed_on, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, insertion)
VALUES ('released', 'handed-off', 'order handed-off', 'orders', 'it''s due', X'0000', X'68616e6465642d6f666600ff', 1795903968093, 1795903968093, 1795903968093, NULL, 'HANDOFF', 'HELD', 1, 0, NULL, 0, 1, NULL, NULL, 0, 0, FALSE, FALSE, 1795903968093, NULL, 1795903971093, 1795903971095, NULL, NULL, NULL, NULL, '23196327-5e7a-4b44-b812-b255a3dd9d74');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, state, generation, attempts, holder, lease_until, fence, consumer, begun_at, postponed, retries, copy_dropped, handed_on, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, insertion)
VALUES ('released', 'held', 'order held', 'orders', 'it''s due', X'0000', X'68656c6400ff', 1795903968061, 1795903968061, 1795903968061, NULL, 'FULL', 'HELD', 1, 0, NULL, 0, 1, NULL, NULL, 0, 0, FALSE, FALSE, 1795903968061, NULL, 1795903971063, 1795903971070, NULL, NULL, NULL, NULL, '23e9cfc7-0a9d-4bce-962b-75ee7d412380');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, state, generation, attempts, holder, lease_until, fence, consumer, begun_at, postponed, retries, copy_dropped, handed_on, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, insertion)
VALUES ('released', 'later', 'order later', 'orders', 'it''s due', X'0000', X'6c6174657200ff', 4102444800000, 4102444800000, 4102444800000, NULL, 'FULL', 'PENDING', 1, 0, NULL, 0, 0, NULL, NULL, 0, 0, FALSE, FALSE, NULL, NULL, 1795903971097, 1795903971097, NULL, NULL, NULL, NULL, '1b8243e9-4488-4eec-955c-c530f90ee6b7');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, state, generation, attempts, holder, lease_until, fence, consumer, begun_at, postponed, retries, copy_dropped, handed_on, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, insertion)
VALUES ('released', 'leased', 'order leased', 'orders', 'it''s due', X'0000', X'6c656173656400ff', 1795903968099, 1795903968099, 1795903968099, NULL, 'FULL', 'PENDING', 1, 0, 'loader', 1795903971100, 1, NULL, NULL, 0, 0, FALSE, FALSE, NULL, NULL, 1795903971099, 1795903971099, NULL, NULL, NULL, NULL, '01bd285f-244f-4a84-8bb3-65f0502bfc65');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, state, generation, attempts, holder, lease_until, fence, consumer, begun_at, postponed, retries, copy_dropped, handed_on, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, insertion)
VALUES ('released', 'parked', 'order parked', 'orders', 'it''s due', X'0000', X'7061726b656400ff', 1795903968082, 1795903968082, 1795903968082, NULL, 'FULL', 'PARKED', 1, 0, NULL, 0, 2, 'q', 1795903971092, 0, 0, FALSE, FALSE, 1795903971092, 'no more tries', 1795903971083, 1795903971093, NULL, NULL, NULL, NULL, '6c47bcf5-ba0b-420e-9394-aaa4c5d6ce32');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, state, generation, attempts, holder, lease_until, fence, consumer, begun_at, postponed, retries, copy_dropped, handed_on, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, insertion)
VALUES ('released', 'settled', 'order settled', 'orders', 'it''s due', X'0000', X'736574746c656400ff', 1795903968075, 1795903968075, 1795903968075, NULL, 'FULL', 'SETTLED', 1, 0, 'a59622d5-fa7c-4bd4-a7ad-c06ec9e92101', 0, 2, 'q', 1795903971086, 0, 0, FALSE, FALSE, 1795903971086, NULL, 1795903971076, 1795903971087, 1795903971087, NULL, NULL, NULL, '98d8eb2b-b546-4805-91b5-87c94c9e3a91');
DELETE FROM pocketwatch_progress;
INSERT INTO pocketwatch_progress (route, consumer, settled_at, due_up_to)
VALUES ('released', 'q', 1795903971088, 1795903968075);
DELETE FROM pocketwatch_rollup;
INSERT INTO pocketwatch_rollup (period_at, route, scheduled, settled, cancelled, failed, late_1, late_2, late_5, late_10, late_20, late_50, late_100, late_200, late_500, late_1000, late_2000, late_5000, late_10000, late_30000, late_60000, late_300000, late_900000, late_3600000, late_21600000, late_86400000, late_more)
VALUES (1795903200000, 'released', 9, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0);
DELETE FROM pocketwatch_rollup_end;
INSERT INTO pocketwatch_rollup_end (only_row, ends_at)
VALUES (1, 1795903980000);
DELETE FROM pocketwatch_schedule;
INSERT INTO pocketwatch_schedule (name, owner, version, definition, payload, next_at, counts_from, last_at, last_route, last_id, fired, missed, skipped, problem, paused_at, paused_until, note, orphaned, changed_by, created_at, updated_at)
VALUES ('nightly', 'billing', 3, '{"note": "it''s für ✓"}', '{"body": "it''s für ✓"}', 1795903971101, NULL, NULL, 'released', 'settled', 2, 1, 0, NULL, NULL, NULL, NULL, FALSE, 'desk', 1795903971101, 1795903971101);
DELETE FROM pocketwatch_change;
DELETE FROM pocketwatch_heartbeat;
INSERT INTO pocketwatch_heartbeat (owner, beat_at, horizon, loaded, last_run, lease_millis)
VALUES ('loader', 1795903971102, 4102444800000, 7, NULL, 1);
DELETE FROM pocketwatch_broker;
DELETE FROM pocketwatch_schema;
INSERT INTO pocketwatch_schema (version)
VALUES (1);
