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
  settlements      INTEGER      NOT NULL,  -- how many consumers must settle
  settled          INTEGER      NOT NULL DEFAULT 0,
  state            VARCHAR(9)   NOT NULL
    CHECK (CASE state WHEN 'PENDING' THEN TRUE WHEN 'HELD' THEN TRUE WHEN 'SETTLED' THEN TRUE
      WHEN 'CANCELLED' THEN TRUE WHEN 'FAILED' THEN TRUE WHEN 'PARKED' THEN TRUE
      ELSE FALSE END),
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
  changes          VARCHAR(5000),  -- all of these, a line each: when, what, the new instant, who
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
  CONSTRAINT pocketwatch_message_pk PRIMARY KEY (route, id)
);
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
  CONSTRAINT pocketwatch_settlement_pk PRIMARY KEY (route, id, consumer)
);

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
  VALUES (1, DATEDIFF('MILLISECOND', TIMESTAMP WITH TIME ZONE '1970-01-01 00:00:00+00', CURRENT_TIMESTAMP) / 60000 * 60000);

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

CREATE TABLE pocketwatch_schema (
  version INTEGER NOT NULL,
  CONSTRAINT pocketwatch_schema_pk PRIMARY KEY (version)
);
INSERT INTO pocketwatch_schema (version) VALUES (1);

CREATE VIEW pocketwatch_readable AS
SELECT route, id, business_key, exchange, routing_key, OCTET_LENGTH(body) AS body_bytes,
  DATEADD('MILLISECOND', deliver_at, TIMESTAMP WITH TIME ZONE '1970-01-01 00:00:00+00') AS deliver_at, tracking, state, generation, attempts, owner,
  CASE WHEN lease_until > 0 THEN DATEADD('MILLISECOND', lease_until, TIMESTAMP WITH TIME ZONE '1970-01-01 00:00:00+00') END AS lease_until, fence,
  DATEADD('MILLISECOND', held_until, TIMESTAMP WITH TIME ZONE '1970-01-01 00:00:00+00') AS held_until, next_at, next_queue, reason, settled, settlements,
  DATEADD('MILLISECOND', created_at, TIMESTAMP WITH TIME ZONE '1970-01-01 00:00:00+00') AS created_at, DATEADD('MILLISECOND', updated_at, TIMESTAMP WITH TIME ZONE '1970-01-01 00:00:00+00') AS updated_at,
  DATEADD('MILLISECOND', finished_at, TIMESTAMP WITH TIME ZONE '1970-01-01 00:00:00+00') AS finished_at,
  changed_by, DATEADD('MILLISECOND', changed_at, TIMESTAMP WITH TIME ZONE '1970-01-01 00:00:00+00') AS changed_at, consumer,
  DATEADD('MILLISECOND', begun_at, TIMESTAMP WITH TIME ZONE '1970-01-01 00:00:00+00') AS begun_at,
  DATEADD('MILLISECOND', settled_at, TIMESTAMP WITH TIME ZONE '1970-01-01 00:00:00+00') AS settled_at
FROM pocketwatch_message;
-- Rows.
DELETE FROM pocketwatch_message;
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, consumer, token, handling_generation, handling_until, begun_at, settled_at, postponed, retries, again_queue)
VALUES ('released', 'begun', 'order begun', 'orders', 'it''s due', X'0000', X'626567756e00ff', 1795713507968, 1795713507968, 1795713507968, NULL, 'FULL', 1, 0, 'HELD', 1, 0, NULL, 0, 1, 1795713507968, NULL, 1795713510968, 1795713510970, NULL, NULL, NULL, NULL, 'first', 'cb428d93-7c34-4095-a174-fce153fc7e2d', 1, 1795713511007, 1795713511006, NULL, 0, 0, NULL);
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, consumer, token, handling_generation, handling_until, begun_at, settled_at, postponed, retries, again_queue)
VALUES ('released', 'cancelled', 'order cancelled', 'orders', 'it''s due', X'0000', X'63616e63656c6c656400ff', 4102444800000, 4102444800000, 4102444800000, NULL, 'FULL', 1, 0, 'CANCELLED', 1, 0, NULL, 0, 0, NULL, NULL, 1795713511064, 1795713511065, 1795713511065, 'desk', 1795713511065, '1795713511065 CANCELLED - desk
', NULL, NULL, 0, 0, NULL, NULL, 0, 0, NULL);
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, consumer, token, handling_generation, handling_until, begun_at, settled_at, postponed, retries, again_queue)
VALUES ('released', 'due', 'order due', 'orders', 'it''s due', X'0000', X'64756500ff', 1795713508066, 1795713508066, 1795713508066, NULL, 'FULL', 1, 0, 'PENDING', 1, 0, NULL, 0, 0, NULL, NULL, 1795713511066, 1795713511066, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, 0, 0, NULL);
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, consumer, token, handling_generation, handling_until, begun_at, settled_at, postponed, retries, again_queue)
VALUES ('released', 'failed', 'order failed', 'orders', 'it''s due', X'0000', X'6661696c656400ff', 1795713507987, 1795713507987, 1795713507987, NULL, 'FULL', 1, 0, 'FAILED', 1, 0, NULL, 0, 1, 1795713507987, 'the handler threw', 1795713510989, 1795713511018, 1795713511018, NULL, NULL, NULL, 'first', '', 1, 0, 1795713511018, NULL, 0, 0, NULL);
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, consumer, token, handling_generation, handling_until, begun_at, settled_at, postponed, retries, again_queue)
VALUES ('released', 'handed-off', 'order handed-off', 'orders', 'it''s due', X'0000', X'68616e6465642d6f666600ff', 1795713508062, 1795713508062, 1795713508062, NULL, 'HANDOFF', 1, 0, 'HELD', 1, 0, NULL, 0, 1, 1795713508062, NULL, 1795713511062, 1795713511064, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, 0, 0, NULL);
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, consumer, token, handling_generation, handling_until, begun_at, settled_at, postponed, retries, again_queue)
VALUES ('released', 'held', 'order held', 'orders', 'it''s due', X'0000', X'68656c6400ff', 1795713507958, 1795713507958, 1795713507958, NULL, 'FULL', 1, 0, 'HELD', 1, 0, NULL, 0, 1, 1795713507958, NULL, 1795713510958, 1795713510964, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, 0, 0, NULL);
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, consumer, token, handling_generation, handling_until, begun_at, settled_at, postponed, retries, again_queue)
VALUES ('released', 'later', 'order later', 'orders', 'it''s due', X'0000', X'6c6174657200ff', 4102444800000, 4102444800000, 4102444800000, NULL, 'FULL', 1, 0, 'PENDING', 1, 0, NULL, 0, 0, NULL, NULL, 1795713511066, 1795713511066, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, 0, 0, NULL);
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, consumer, token, handling_generation, handling_until, begun_at, settled_at, postponed, retries, again_queue)
VALUES ('released', 'leased', 'order leased', 'orders', 'it''s due', X'0000', X'6c656173656400ff', 1795713508067, 1795713508067, 1795713508067, NULL, 'FULL', 1, 0, 'PENDING', 1, 0, 'loader', 1795713511068, 1, NULL, NULL, 1795713511067, 1795713511067, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, 0, 0, NULL);
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, consumer, token, handling_generation, handling_until, begun_at, settled_at, postponed, retries, again_queue)
VALUES ('released', 'parked', 'order parked', 'orders', 'it''s due', X'0000', X'7061726b656400ff', 1795713507996, 1795713507996, 1795713507996, NULL, 'FULL', 1, 0, 'PARKED', 1, 0, NULL, 0, 1, 1795713507996, 'no more tries', 1795713510997, 1795713511029, NULL, NULL, NULL, NULL, 'first', '', 1, 0, 1795713511028, NULL, 0, 0, NULL);
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, consumer, token, handling_generation, handling_until, begun_at, settled_at, postponed, retries, again_queue)
VALUES ('released', 'settled', 'order settled', 'orders', 'it''s due', X'0000', X'736574746c656400ff', 1795713507970, 1795713507970, 1795713507970, NULL, 'FULL', 1, 1, 'SETTLED', 1, 0, NULL, 0, 1, 1795713507970, NULL, 1795713510973, 1795713511016, 1795713511016, NULL, NULL, NULL, 'first', 'c88d0708-183e-41ae-9945-157d1d2ddd3f', 1, 1795713511016, 1795713511015, 1795713511016, 0, 0, NULL);
INSERT INTO pocketwatch_message (route, id, business_key, exchange, routing_key, properties, body, deliver_at, first_deliver_at, next_at, next_queue, tracking, settlements, settled, state, generation, attempts, owner, lease_until, fence, held_until, reason, created_at, updated_at, finished_at, changed_by, changed_at, changes, consumer, token, handling_generation, handling_until, begun_at, settled_at, postponed, retries, again_queue)
VALUES ('released', 'twice', 'order twice', 'orders', 'it''s due', X'0000', X'747769636500ff', 1795713508029, 1795713508029, 1795713508029, NULL, 'FULL', 2, 1, 'HELD', 1, 0, NULL, 0, 1, 1795713508029, NULL, 1795713511030, 1795713511054, NULL, NULL, NULL, NULL, 'first', '6f0135d4-2a16-4460-9650-2898ebe1e96a', 1, 1795713511053, 1795713511052, 1795713511054, 0, 0, NULL);
DELETE FROM pocketwatch_settlement;
INSERT INTO pocketwatch_settlement (route, id, consumer, token, handling_generation, handling_until, begun_at, settled_at, postponed, retries, again_queue)
VALUES ('released', 'twice', 'second', '17b056c9-47fb-4cfa-bac9-63f0dddbc20e', 1, 1795713511062, 1795713511061, NULL, 0, 0, NULL);
DELETE FROM pocketwatch_progress;
INSERT INTO pocketwatch_progress (route, consumer, settled_at, due_up_to)
VALUES ('released', 'first', 1795713511054, 1795713508029);
DELETE FROM pocketwatch_rollup;
INSERT INTO pocketwatch_rollup (period_at, route, scheduled, settled, cancelled, failed, late_1, late_2, late_5, late_10, late_20, late_50, late_100, late_200, late_500, late_1000, late_2000, late_5000, late_10000, late_30000, late_60000, late_300000, late_900000, late_3600000, late_21600000, late_86400000, late_more)
VALUES (1795713300000, 'released', 10, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0);
DELETE FROM pocketwatch_rollup_end;
INSERT INTO pocketwatch_rollup_end (only_row, ends_at)
VALUES (1, 1795713540000);
DELETE FROM pocketwatch_schedule;
INSERT INTO pocketwatch_schedule (name, owner, version, definition, payload, next_at, counts_from, last_at, last_route, last_id, fired, missed, skipped, problem, paused_at, paused_until, note, orphaned, changed_by, created_at, updated_at)
VALUES ('nightly', 'billing', 3, '{"note": "it''s für ✓"}', '{"body": "it''s für ✓"}', 1795713511067, NULL, NULL, 'released', 'settled', 2, 1, 0, NULL, NULL, NULL, NULL, FALSE, 'desk', 1795713511067, 1795713511067);
DELETE FROM pocketwatch_heartbeat;
INSERT INTO pocketwatch_heartbeat (owner, beat_at, horizon, loaded, last_run, lease_millis)
VALUES ('loader', 1795713511068, 4102444800000, 7, NULL, 1);
DELETE FROM pocketwatch_schema;
INSERT INTO pocketwatch_schema (version)
VALUES (1);
