-- Pocketwatch, schema version 1, H2 2.
-- Instants are epoch milliseconds of this database's clock; the view shows them readable.
-- Checks use CASE: with IN, H2 2.4.240 compares by the session that made the table, until that is closed.

CREATE TABLE pocketwatch_message (
  route            VARCHAR(100) NOT NULL,
  id               VARCHAR(200) NOT NULL,
  business_key     VARCHAR(200),
  exchange         VARCHAR(255) NOT NULL,
  routing_key      VARCHAR(255) NOT NULL,
  properties       BLOB         NOT NULL,  -- in AMQP's own encoding
  body             BLOB         NOT NULL,
  deliver_at       BIGINT       NOT NULL,
  first_deliver_at BIGINT       NOT NULL,  -- as scheduled first: what a resend is compared with
  next_at          BIGINT       NOT NULL,  -- when it is to be sent, or sent again
  next_queue       VARCHAR(255),  -- to that queue alone; null: to its exchange
  tracking         VARCHAR(7)   NOT NULL
    CHECK (CASE tracking WHEN 'NONE' THEN TRUE WHEN 'HANDOFF' THEN TRUE WHEN 'FULL' THEN TRUE
      ELSE FALSE END),
  state            VARCHAR(9)   NOT NULL
    CHECK (CASE state WHEN 'PENDING' THEN TRUE WHEN 'HELD' THEN TRUE WHEN 'SETTLED' THEN TRUE
      WHEN 'CANCELLED' THEN TRUE WHEN 'FAILED' THEN TRUE WHEN 'PARKED' THEN TRUE
      ELSE FALSE END),
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
  changes          VARCHAR(5000),  -- all of these, a line each: when, what, the new instant, who
  CONSTRAINT pocketwatch_message_pk PRIMARY KEY (route, id)
);
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
  CONSTRAINT pocketwatch_progress_pk PRIMARY KEY (route, consumer)
);

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
  CONSTRAINT pocketwatch_rollup_pk PRIMARY KEY (period_at, route)
);

CREATE TABLE pocketwatch_rollup_end (
  only_row INTEGER NOT NULL CHECK (only_row = 1),
  ends_at  BIGINT  NOT NULL,  -- what happened before is counted
  CONSTRAINT pocketwatch_rollup_end_pk PRIMARY KEY (only_row)
);
INSERT INTO pocketwatch_rollup_end (only_row, ends_at)
  VALUES (1, DATEDIFF('MILLISECOND', TIMESTAMP WITH TIME ZONE '1970-01-01 00:00:00+00', CURRENT_TIMESTAMP AT TIME ZONE 'UTC') / 60000 * 60000);

CREATE TABLE pocketwatch_schedule (
  name         VARCHAR(100) NOT NULL,
  owner        VARCHAR(200),
  version      BIGINT       NOT NULL,
  definition   VARCHAR(4000) NOT NULL,  -- in JSON
  payload      VARCHAR(1000000) NOT NULL,  -- body and headers in JSON
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
  wake_at      BIGINT GENERATED ALWAYS AS (CASE WHEN paused_at IS NULL THEN next_at ELSE paused_until END),
  CONSTRAINT pocketwatch_schedule_pk PRIMARY KEY (name)
);
CREATE INDEX pocketwatch_schedule_wake ON pocketwatch_schedule (wake_at, name);

-- What people have changed by hand: the latest 10,000.
CREATE TABLE pocketwatch_change (
  seq        BIGINT GENERATED ALWAYS AS IDENTITY,
  changed_at BIGINT       NOT NULL,
  changed_by VARCHAR(200) NOT NULL,
  what       VARCHAR(40)  NOT NULL,
  route      VARCHAR(100),  -- null: of several, or of none
  subject    VARCHAR(500),  -- which message, schedule or queue, or those of which filter
  done       BIGINT       NOT NULL,
  refused    BIGINT       NOT NULL,
  CONSTRAINT pocketwatch_change_pk PRIMARY KEY (seq)
);

CREATE TABLE pocketwatch_heartbeat (
  owner        VARCHAR(200) NOT NULL,
  beat_at      BIGINT       NOT NULL,
  horizon      BIGINT       NOT NULL,
  loaded       BIGINT       NOT NULL,
  last_run     BIGINT,  -- null: no run has ended yet
  lease_millis BIGINT,
  CONSTRAINT pocketwatch_heartbeat_pk PRIMARY KEY (owner)
);

-- The broker to which these messages go: noted by the first that connects, changed only on purpose.
CREATE TABLE pocketwatch_broker (
  only_row     INTEGER      NOT NULL CHECK (only_row = 1),
  cluster_name VARCHAR(255) NOT NULL,
  virtual_host VARCHAR(255) NOT NULL,
  noted_at     BIGINT       NOT NULL,
  CONSTRAINT pocketwatch_broker_pk PRIMARY KEY (only_row)
);

CREATE TABLE pocketwatch_schema (
  version INTEGER NOT NULL,
  CONSTRAINT pocketwatch_schema_pk PRIMARY KEY (version)
);
INSERT INTO pocketwatch_schema (version) VALUES (1);

CREATE VIEW pocketwatch_readable AS
SELECT route, id, business_key, exchange, routing_key, OCTET_LENGTH(body) AS body_bytes,
  DATEADD('MILLISECOND', deliver_at, TIMESTAMP WITH TIME ZONE '1970-01-01 00:00:00+00') AS deliver_at, tracking, state, generation, attempts, holder,
  CASE WHEN lease_until > 0 THEN DATEADD('MILLISECOND', lease_until, TIMESTAMP WITH TIME ZONE '1970-01-01 00:00:00+00') END AS lease_until, fence,
  DATEADD('MILLISECOND', held_until, TIMESTAMP WITH TIME ZONE '1970-01-01 00:00:00+00') AS held_until, next_at, next_queue, reason,
  DATEADD('MILLISECOND', created_at, TIMESTAMP WITH TIME ZONE '1970-01-01 00:00:00+00') AS created_at, DATEADD('MILLISECOND', updated_at, TIMESTAMP WITH TIME ZONE '1970-01-01 00:00:00+00') AS updated_at,
  DATEADD('MILLISECOND', finished_at, TIMESTAMP WITH TIME ZONE '1970-01-01 00:00:00+00') AS finished_at,
  changed_by, DATEADD('MILLISECOND', changed_at, TIMESTAMP WITH TIME ZONE '1970-01-01 00:00:00+00') AS changed_at, consumer,
  DATEADD('MILLISECOND', begun_at, TIMESTAMP WITH TIME ZONE '1970-01-01 00:00:00+00') AS begun_at
FROM pocketwatch_message;
-- Rows.
DELETE FROM pocketwatch_message;
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, state, generation, attempts, holder, lease_until, fence, consumer, begun_at, postponed, retries, copy_dropped, handed_on, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes)
VALUES ('released', 'begun', 'order begun', 'orders', 'it''s due', X'0000', X'626567756e00ff', 1795903968738, 1795903968738, 1795903968738, NULL, 'FULL', 'PENDING', 1, 0, '037b6f99-16d2-46fc-b3a5-910a93816a61', 1795903971847, 2, 'q', 1795903971846, 0, 0, FALSE, FALSE, 1795903971846, NULL, 1795903971739, 1795903971846, NULL, NULL, NULL, NULL);
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, state, generation, attempts, holder, lease_until, fence, consumer, begun_at, postponed, retries, copy_dropped, handed_on, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes)
VALUES ('released', 'cancelled', 'order cancelled', 'orders', 'it''s due', X'0000', X'63616e63656c6c656400ff', 4102444800000, 4102444800000, 4102444800000, NULL, 'FULL', 'CANCELLED', 1, 0, NULL, 0, 0, NULL, NULL, 0, 0, FALSE, FALSE, NULL, NULL, 1795903971823, 1795903971830, 1795903971830, 'desk', 1795903971830, '1795903971830 CANCELLED - desk
');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, state, generation, attempts, holder, lease_until, fence, consumer, begun_at, postponed, retries, copy_dropped, handed_on, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes)
VALUES ('released', 'due', 'order due', 'orders', 'it''s due', X'0000', X'64756500ff', 1795903968844, 1795903968844, 1795903968844, NULL, 'FULL', 'PENDING', 1, 0, NULL, 0, 0, NULL, NULL, 0, 0, FALSE, FALSE, NULL, NULL, 1795903971844, 1795903971844, NULL, NULL, NULL, NULL);
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, state, generation, attempts, holder, lease_until, fence, consumer, begun_at, postponed, retries, copy_dropped, handed_on, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes)
VALUES ('released', 'failed', 'order failed', 'orders', 'it''s due', X'0000', X'6661696c656400ff', 1795903968757, 1795903968757, 1795903968757, NULL, 'FULL', 'FAILED', 1, 0, NULL, 0, 2, 'q', 1795903971799, 0, 0, FALSE, FALSE, 1795903971799, 'the handler threw', 1795903971757, 1795903971809, 1795903971809, NULL, NULL, NULL);
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, state, generation, attempts, holder, lease_until, fence, consumer, begun_at, postponed, retries, copy_dropped, handed_on, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes)
VALUES ('released', 'handed-off', 'order handed-off', 'orders', 'it''s due', X'0000', X'68616e6465642d6f666600ff', 1795903968817, 1795903968817, 1795903968817, NULL, 'HANDOFF', 'HELD', 1, 0, NULL, 0, 1, NULL, NULL, 0, 0, FALSE, FALSE, 1795903968817, NULL, 1795903971820, 1795903971822, NULL, NULL, NULL, NULL);
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, state, generation, attempts, holder, lease_until, fence, consumer, begun_at, postponed, retries, copy_dropped, handed_on, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes)
VALUES ('released', 'held', 'order held', 'orders', 'it''s due', X'0000', X'68656c6400ff', 1795903968705, 1795903968705, 1795903968705, NULL, 'FULL', 'HELD', 1, 0, NULL, 0, 1, NULL, NULL, 0, 0, FALSE, FALSE, 1795903968705, NULL, 1795903971717, 1795903971737, NULL, NULL, NULL, NULL);
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, state, generation, attempts, holder, lease_until, fence, consumer, begun_at, postponed, retries, copy_dropped, handed_on, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes)
VALUES ('released', 'later', 'order later', 'orders', 'it''s due', X'0000', X'6c6174657200ff', 4102444800000, 4102444800000, 4102444800000, NULL, 'FULL', 'PENDING', 1, 0, NULL, 0, 0, NULL, NULL, 0, 0, FALSE, FALSE, NULL, NULL, 1795903971837, 1795903971837, NULL, NULL, NULL, NULL);
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, state, generation, attempts, holder, lease_until, fence, consumer, begun_at, postponed, retries, copy_dropped, handed_on, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes)
VALUES ('released', 'leased', 'order leased', 'orders', 'it''s due', X'0000', X'6c656173656400ff', 1795903968845, 1795903968845, 1795903968845, NULL, 'FULL', 'PENDING', 1, 0, 'loader', 1795903971846, 1, NULL, NULL, 0, 0, FALSE, FALSE, NULL, NULL, 1795903971845, 1795903971845, NULL, NULL, NULL, NULL);
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, state, generation, attempts, holder, lease_until, fence, consumer, begun_at, postponed, retries, copy_dropped, handed_on, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes)
VALUES ('released', 'parked', 'order parked', 'orders', 'it''s due', X'0000', X'7061726b656400ff', 1795903968759, 1795903968759, 1795903968759, NULL, 'FULL', 'PARKED', 1, 0, NULL, 0, 2, 'q', 1795903971810, 0, 0, FALSE, FALSE, 1795903971810, 'no more tries', 1795903971759, 1795903971811, NULL, NULL, NULL, NULL);
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, state, generation, attempts, holder, lease_until, fence, consumer, begun_at, postponed, retries, copy_dropped, handed_on, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes)
VALUES ('released', 'settled', 'order settled', 'orders', 'it''s due', X'0000', X'736574746c656400ff', 1795903968742, 1795903968742, 1795903968742, NULL, 'FULL', 'SETTLED', 1, 0, 'acf74c97-5c5a-4bdd-b19d-e94bf21b80e3', 0, 2, 'q', 1795903971775, 0, 0, FALSE, FALSE, 1795903971775, NULL, 1795903971742, 1795903971789, 1795903971789, NULL, NULL, NULL);
DELETE FROM pocketwatch_progress;
INSERT INTO pocketwatch_progress (route, consumer, settled_at, due_up_to)
VALUES ('released', 'q', 1795903971789, 1795903968742);
DELETE FROM pocketwatch_rollup;
INSERT INTO pocketwatch_rollup (period_at, route, scheduled, settled, cancelled, failed, late_1, late_2, late_5, late_10, late_20, late_50, late_100, late_200, late_500, late_1000, late_2000, late_5000, late_10000, late_30000, late_60000, late_300000, late_900000, late_3600000, late_21600000, late_86400000, late_more)
VALUES (1795903200000, 'released', 9, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0);
DELETE FROM pocketwatch_rollup_end;
INSERT INTO pocketwatch_rollup_end (only_row, ends_at)
VALUES (1, 1795903980000);
DELETE FROM pocketwatch_schedule;
INSERT INTO pocketwatch_schedule (name, owner, version, definition, payload, next_at, counts_from, last_at, last_route, last_id, fired, missed, skipped, problem, paused_at, paused_until, note, orphaned, changed_by, created_at, updated_at)
VALUES ('nightly', 'billing', 3, '{"note": "it''s für ✓"}', '{"body": "it''s für ✓"}', 1795903971847, NULL, NULL, 'released', 'settled', 2, 1, 0, NULL, NULL, NULL, NULL, FALSE, 'desk', 1795903971847, 1795903971847);
DELETE FROM pocketwatch_change;
DELETE FROM pocketwatch_heartbeat;
INSERT INTO pocketwatch_heartbeat (owner, beat_at, horizon, loaded, last_run, lease_millis)
VALUES ('loader', 1795903971989, 4102444800000, 7, NULL, 1);
DELETE FROM pocketwatch_broker;
DELETE FROM pocketwatch_schema;
INSERT INTO pocketwatch_schema (version)
VALUES (1);
