-- Pocketwatch, schema version 1, PostgreSQL 13 and later.
-- Instants are epoch milliseconds of this database's clock; the view shows them readable.

CREATE TABLE pocketwatch_message (
  route            VARCHAR(100) COLLATE "C" NOT NULL,
  id               VARCHAR(200) COLLATE "C" NOT NULL,
  business_key     VARCHAR(200),
  exchange         VARCHAR(255) NOT NULL,
  routing_key      VARCHAR(255) NOT NULL,
  properties       BYTEA        NOT NULL,  -- in AMQP's own encoding
  body             BYTEA        NOT NULL,
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
  CONSTRAINT pocketwatch_message_pk PRIMARY KEY (route, id)
) WITH (
  fillfactor = 80,
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_insert_scale_factor = 0.05,
  autovacuum_analyze_scale_factor = 0.05,
  autovacuum_vacuum_cost_delay = 1
);
-- Without the id: with it, a lookup by (route, id) could go through this index and read the whole route.
CREATE INDEX pocketwatch_message_pending ON pocketwatch_message (route, deliver_at) INCLUDE (next_at, next_queue) WHERE state = 'PENDING';
CREATE INDEX pocketwatch_message_next ON pocketwatch_message (route, next_at) WHERE state = 'PENDING';
CREATE INDEX pocketwatch_message_business_key ON pocketwatch_message (business_key, deliver_at) WHERE business_key IS NOT NULL;
CREATE INDEX pocketwatch_message_state ON pocketwatch_message (state, deliver_at, route, id) INCLUDE (tracking, next_at) WHERE state <> 'PENDING';
CREATE INDEX pocketwatch_message_finished ON pocketwatch_message (finished_at) WHERE finished_at IS NOT NULL;
-- For each few pages between which instants their rows were made: no entry per row.
CREATE INDEX pocketwatch_message_created ON pocketwatch_message USING brin (created_at) WITH (pages_per_range = 16, autosummarize = on);

-- How far each consumer of a route has come: what recovery goes by.
CREATE TABLE pocketwatch_progress (
  route      VARCHAR(100) COLLATE "C" NOT NULL,
  consumer   VARCHAR(255) COLLATE "C" NOT NULL,
  settled_at BIGINT NOT NULL,  -- when it last settled
  due_up_to  BIGINT NOT NULL,  -- the latest deliver_at it has settled
  CONSTRAINT pocketwatch_progress_pk PRIMARY KEY (route, consumer)
) WITH (fillfactor = 50);

-- What happened, counted by a loader: per route and quarter of an hour, for a month.
CREATE TABLE pocketwatch_rollup (
  period_at     BIGINT NOT NULL,
  route         VARCHAR(100) COLLATE "C" NOT NULL,
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
) WITH (fillfactor = 50);

CREATE TABLE pocketwatch_rollup_end (
  only_row INTEGER NOT NULL CHECK (only_row = 1),
  ends_at  BIGINT  NOT NULL,  -- what happened before is counted
  CONSTRAINT pocketwatch_rollup_end_pk PRIMARY KEY (only_row)
);
INSERT INTO pocketwatch_rollup_end (only_row, ends_at)
  VALUES (1, floor(extract(epoch from clock_timestamp()) * 1000)::bigint / 60000 * 60000);

CREATE TABLE pocketwatch_schedule (
  name         VARCHAR(100) COLLATE "C" NOT NULL,
  owner        VARCHAR(200),
  version      BIGINT       NOT NULL,
  definition   VARCHAR(4000) NOT NULL,  -- in JSON
  payload      TEXT NOT NULL,  -- body and headers in JSON
  next_at      BIGINT,  -- nominal, before jitter
  counts_from  BIGINT,  -- the definition counts after it
  last_at      BIGINT,
  last_route   VARCHAR(100) COLLATE "C",  -- the row of the last occurrence that fired
  last_id      VARCHAR(200) COLLATE "C",
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
  CONSTRAINT pocketwatch_schedule_pk PRIMARY KEY (name)
) WITH (fillfactor = 50);
CREATE INDEX pocketwatch_schedule_wake ON pocketwatch_schedule (wake_at, name);

-- What people have changed by hand: the latest 10,000.
CREATE TABLE pocketwatch_change (
  seq        BIGINT GENERATED ALWAYS AS IDENTITY,
  changed_at BIGINT       NOT NULL,
  changed_by VARCHAR(200) NOT NULL,
  what       VARCHAR(40)  NOT NULL,
  route      VARCHAR(100) COLLATE "C",  -- null: of several, or of none
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
  to_timestamp(deliver_at / 1000.0) AS deliver_at, tracking, state, generation, attempts, holder,
  CASE WHEN lease_until > 0 THEN to_timestamp(lease_until / 1000.0) END AS lease_until, fence,
  to_timestamp(held_until / 1000.0) AS held_until, next_at, next_queue, reason,
  to_timestamp(created_at / 1000.0) AS created_at, to_timestamp(updated_at / 1000.0) AS updated_at,
  to_timestamp(finished_at / 1000.0) AS finished_at,
  changed_by, to_timestamp(changed_at / 1000.0) AS changed_at, consumer,
  to_timestamp(begun_at / 1000.0) AS begun_at
FROM pocketwatch_message;
-- Rows.
DELETE FROM pocketwatch_message;
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, state, generation, attempts, holder, lease_until, fence, consumer, begun_at, postponed, retries, copy_dropped, handed_on, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes)
VALUES ('released', 'begun', 'order begun', 'orders', 'it''s due', '\x0000', '\x626567756e00ff', 1795903959254, 1795903959254, 1795903959254, NULL, 'FULL', 'PENDING', 1, 0, '5c72d3b2-5562-4aa0-9fb4-c00cca8d76ef', 1795903962346, 2, 'q', 1795903962345, 0, 0, FALSE, FALSE, 1795903962345, NULL, 1795903962255, 1795903962345, NULL, NULL, NULL, NULL);
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, state, generation, attempts, holder, lease_until, fence, consumer, begun_at, postponed, retries, copy_dropped, handed_on, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes)
VALUES ('released', 'cancelled', 'order cancelled', 'orders', 'it''s due', '\x0000', '\x63616e63656c6c656400ff', 4102444800000, 4102444800000, 4102444800000, NULL, 'FULL', 'CANCELLED', 1, 0, NULL, 0, 0, NULL, NULL, 0, 0, FALSE, FALSE, NULL, NULL, 1795903962329, 1795903962334, 1795903962334, 'desk', 1795903962334, '1795903962334 CANCELLED - desk
');
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, state, generation, attempts, holder, lease_until, fence, consumer, begun_at, postponed, retries, copy_dropped, handed_on, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes)
VALUES ('released', 'due', 'order due', 'orders', 'it''s due', '\x0000', '\x64756500ff', 1795903959337, 1795903959337, 1795903959337, NULL, 'FULL', 'PENDING', 1, 0, NULL, 0, 0, NULL, NULL, 0, 0, FALSE, FALSE, NULL, NULL, 1795903962340, 1795903962340, NULL, NULL, NULL, NULL);
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, state, generation, attempts, holder, lease_until, fence, consumer, begun_at, postponed, retries, copy_dropped, handed_on, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes)
VALUES ('released', 'failed', 'order failed', 'orders', 'it''s due', '\x0000', '\x6661696c656400ff', 1795903959268, 1795903959268, 1795903959268, NULL, 'FULL', 'FAILED', 1, 0, NULL, 0, 2, 'q', 1795903962302, 0, 0, FALSE, FALSE, 1795903962302, 'the handler threw', 1795903962270, 1795903962309, 1795903962309, NULL, NULL, NULL);
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, state, generation, attempts, holder, lease_until, fence, consumer, begun_at, postponed, retries, copy_dropped, handed_on, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes)
VALUES ('released', 'handed-off', 'order handed-off', 'orders', 'it''s due', '\x0000', '\x68616e6465642d6f666600ff', 1795903959320, 1795903959320, 1795903959320, NULL, 'HANDOFF', 'HELD', 1, 0, NULL, 0, 1, NULL, NULL, 0, 0, FALSE, FALSE, 1795903959320, NULL, 1795903962322, 1795903962326, NULL, NULL, NULL, NULL);
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, state, generation, attempts, holder, lease_until, fence, consumer, begun_at, postponed, retries, copy_dropped, handed_on, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes)
VALUES ('released', 'held', 'order held', 'orders', 'it''s due', '\x0000', '\x68656c6400ff', 1795903959175, 1795903959175, 1795903959175, NULL, 'FULL', 'HELD', 1, 0, NULL, 0, 1, NULL, NULL, 0, 0, FALSE, FALSE, 1795903959175, NULL, 1795903962194, 1795903962252, NULL, NULL, NULL, NULL);
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, state, generation, attempts, holder, lease_until, fence, consumer, begun_at, postponed, retries, copy_dropped, handed_on, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes)
VALUES ('released', 'later', 'order later', 'orders', 'it''s due', '\x0000', '\x6c6174657200ff', 4102444800000, 4102444800000, 4102444800000, NULL, 'FULL', 'PENDING', 1, 0, NULL, 0, 0, NULL, NULL, 0, 0, FALSE, FALSE, NULL, NULL, 1795903962337, 1795903962337, NULL, NULL, NULL, NULL);
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, state, generation, attempts, holder, lease_until, fence, consumer, begun_at, postponed, retries, copy_dropped, handed_on, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes)
VALUES ('released', 'leased', 'order leased', 'orders', 'it''s due', '\x0000', '\x6c656173656400ff', 1795903959340, 1795903959340, 1795903959340, NULL, 'FULL', 'PENDING', 1, 0, 'loader', 1795903962342, 1, NULL, NULL, 0, 0, FALSE, FALSE, NULL, NULL, 1795903962341, 1795903962341, NULL, NULL, NULL, NULL);
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, state, generation, attempts, holder, lease_until, fence, consumer, begun_at, postponed, retries, copy_dropped, handed_on, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes)
VALUES ('released', 'parked', 'order parked', 'orders', 'it''s due', '\x0000', '\x7061726b656400ff', 1795903959276, 1795903959276, 1795903959276, NULL, 'FULL', 'PARKED', 1, 0, NULL, 0, 2, 'q', 1795903962314, 0, 0, FALSE, FALSE, 1795903962314, 'no more tries', 1795903962278, 1795903962318, NULL, NULL, NULL, NULL);
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, state, generation, attempts, holder, lease_until, fence, consumer, begun_at, postponed, retries, copy_dropped, handed_on, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes)
VALUES ('released', 'settled', 'order settled', 'orders', 'it''s due', '\x0000', '\x736574746c656400ff', 1795903959261, 1795903959261, 1795903959261, NULL, 'FULL', 'SETTLED', 1, 0, 'aea3c3f6-d309-48af-a202-df1de5637345', 0, 2, 'q', 1795903962289, 0, 0, FALSE, FALSE, 1795903962289, NULL, 1795903962263, 1795903962294, 1795903962294, NULL, NULL, NULL);
DELETE FROM pocketwatch_progress;
INSERT INTO pocketwatch_progress (route, consumer, settled_at, due_up_to)
VALUES ('released', 'q', 1795903962299, 1795903959261);
DELETE FROM pocketwatch_rollup;
INSERT INTO pocketwatch_rollup (period_at, route, scheduled, settled, cancelled, failed, late_1, late_2, late_5, late_10, late_20, late_50, late_100, late_200, late_500, late_1000, late_2000, late_5000, late_10000, late_30000, late_60000, late_300000, late_900000, late_3600000, late_21600000, late_86400000, late_more)
VALUES (1795903200000, 'released', 9, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0);
DELETE FROM pocketwatch_rollup_end;
INSERT INTO pocketwatch_rollup_end (only_row, ends_at)
VALUES (1, 1795903980000);
DELETE FROM pocketwatch_schedule;
INSERT INTO pocketwatch_schedule (name, owner, version, definition, payload, next_at, counts_from, last_at, last_route, last_id, fired, missed, skipped, problem, paused_at, paused_until, note, orphaned, changed_by, created_at, updated_at)
VALUES ('nightly', 'billing', 3, '{"note": "it''s für ✓"}', '{"body": "it''s für ✓"}', 1795903962345, NULL, NULL, 'released', 'settled', 2, 1, 0, NULL, NULL, NULL, NULL, FALSE, 'desk', 1795903962345, 1795903962345);
DELETE FROM pocketwatch_change;
DELETE FROM pocketwatch_heartbeat;
INSERT INTO pocketwatch_heartbeat (owner, beat_at, horizon, loaded, last_run, lease_millis)
VALUES ('loader', 1795903962357, 4102444800000, 7, NULL, 1);
DELETE FROM pocketwatch_broker;
DELETE FROM pocketwatch_schema;
INSERT INTO pocketwatch_schema (version)
VALUES (1);
