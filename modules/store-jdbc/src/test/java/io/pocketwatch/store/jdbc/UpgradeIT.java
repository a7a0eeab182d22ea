// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.store.Claim;
import io.pocketwatch.store.Claim.Lease;
import io.pocketwatch.store.Conclusion;
import io.pocketwatch.store.LoadingStore.ClaimRequest;
import io.pocketwatch.store.LoadingStore.LoaderHeartbeat;
import io.pocketwatch.store.LoadingStore.Retention;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.ScheduleStore.Fired;
import io.pocketwatch.store.ScheduleStore.ScheduleChange;
import io.pocketwatch.store.ScheduleStore.StoredSchedule;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.SchedulingStore.InsertOutcome;
import io.pocketwatch.store.SettlingStore.Beginning;
import io.pocketwatch.store.SettlingStore.Begun.Verdict;
import io.pocketwatch.store.SettlingStore.Ended;
import io.pocketwatch.store.SettlingStore.Ending;
import io.pocketwatch.store.SettlingStore.Handling;
import io.pocketwatch.store.StoredMessage;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.testkit.store.TestDatabase;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tables as a release left them, with a row in every state, serve this version. Before 0.1.0 is
 * out, {@code POCKETWATCH_WRITE_RELEASED=true} writes them anew from the code as it is; afterwards
 * that would hide what this test is for.
 */
class UpgradeIT {
  private static final String RELEASE = "0.1.0";
  private static final String ROUTE = "released";
  private static final Instant LATER = Instant.parse("2100-01-01T00:00:00Z");

  /** Has ended when the file is read: loaders and consumers of the release are gone. */
  private static final Duration SHORT = Duration.ofMillis(1);

  private static final Retention AT_ONCE = new Retention(Duration.ZERO, Duration.ZERO);

  @BeforeAll
  static void write() throws Exception {
    if (!Boolean.parseBoolean(System.getenv("POCKETWATCH_WRITE_RELEASED"))) {
      return;
    }
    for (ReleasedTables tables : ReleasedTables.values()) {
      try (TestDatabase database = tables.database();
          HikariDataSource pool = JdbcStoreIT.pool(database.url())) {
        JdbcSchema.create(pool);
        fill(JdbcDelayStore.builder(pool).build());
        tables.write(RELEASE, pool);
      }
    }
  }

  private static void fill(JdbcDelayStore store) {
    for (String id : List.of("held", "begun", "settled", "failed", "parked")) {
      held(store, id);
    }
    settle(store, "settled");
    end(store, Ending.fail(begin(store, "failed"), "the handler threw"));
    end(store, Ending.park(begin(store, "parked"), "no more tries"));
    insert(store, message("handed-off", past(store), Tracking.HANDOFF), null);
    hold(store, "handed-off");
    insert(store, message("cancelled", LATER, Tracking.FULL), null);
    assertThat(store.cancel(key("cancelled"), "desk")).isEqualTo(ChangeOutcome.DONE);
    insert(store, message("later", LATER, Tracking.FULL), null);
    insert(store, message("due", past(store), Tracking.FULL), null);
    insert(store, message("leased", past(store), Tracking.FULL), new Lease("loader", SHORT));
    begin(store, "begun");
    Instant now = store.now();
    StoredSchedule nightly =
        new StoredSchedule(
            "nightly",
            "billing",
            3,
            "{\"note\": \"it's für ✓\"}",
            "{\"body\": \"it's für ✓\"}",
            now,
            null,
            null,
            key("settled"),
            2,
            1,
            0,
            null,
            null,
            null,
            null,
            false,
            "desk",
            now,
            now);
    store.change("nightly", found -> new ScheduleChange(nightly, List.of()));
    store.heartbeat(new LoaderHeartbeat("loader", store.now(), LATER, 7, null, SHORT));
    store.rollUp(store.now().plusSeconds(60));
  }

  @ParameterizedTest
  @EnumSource
  void a_row_in_every_state_is_served(ReleasedTables tables) throws Exception {
    try (TestDatabase database = tables.database();
        HikariDataSource pool = JdbcStoreIT.pool(database.url())) {
      tables.load(RELEASE, pool);
      JdbcSchema.create(pool);
      JdbcDelayStore store = JdbcDelayStore.builder(pool).build();
      beatNow(pool, store.now());

      assertStates(store);
      assertLoaderGoesOn(store);
      assertConsumersGoOn(store);
      assertSchedulesGoOn(store);
      assertPeopleGoOn(store);

      assertThat(store.deleteFinished(AT_ONCE, 100)).as("what has ended").isGreaterThan(2);
    }
  }

  /** The loader of the release still runs: on any day the file is read, not only on its own. */
  private static void beatNow(HikariDataSource pool, Instant now) throws SQLException {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      String update = "UPDATE pocketwatch_heartbeat SET beat_at = " + now.toEpochMilli();
      assertThat(statement.executeUpdate(update)).isEqualTo(1);
    }
  }

  private static void assertStates(JdbcDelayStore store) {
    assertThat(store.heartbeats())
        .singleElement()
        .extracting(LoaderHeartbeat::loaded)
        .isEqualTo(7L);
    for (String id : List.of("due", "leased", "later", "begun")) {
      assertThat(found(store, id).state()).as(id).isEqualTo(MessageState.PENDING);
    }
    for (String id : List.of("held", "handed-off")) {
      assertThat(found(store, id).state()).as(id).isEqualTo(MessageState.HELD);
    }
    assertThat(found(store, "settled").state()).isEqualTo(MessageState.SETTLED);
    assertThat(found(store, "cancelled").state()).isEqualTo(MessageState.CANCELLED);
    assertThat(found(store, "failed").state()).isEqualTo(MessageState.FAILED);
    assertThat(found(store, "parked").reason()).isEqualTo("no more tries");
    ScheduledMessage message = found(store, "later").message();
    assertThat(message.body()).isEqualTo(new byte[] {'l', 'a', 't', 'e', 'r', 0, (byte) 0xff});
    assertThat(message.businessKey()).isEqualTo("order later");
  }

  private static void assertLoaderGoesOn(JdbcDelayStore store) {
    assertThat(claim(store))
        .extracting(each -> each.key().id())
        .containsExactlyInAnyOrder("due", "leased", "begun");
    assertThat(store.insert(List.of(message("later", LATER, Tracking.FULL)), null))
        .containsExactly(InsertOutcome.DUPLICATE);
  }

  private static void assertSchedulesGoOn(JdbcDelayStore store) {
    StoredSchedule nightly = store.schedule("nightly").orElseThrow();
    assertThat(nightly.definition()).isEqualTo("{\"note\": \"it's für ✓\"}");
    assertThat(nightly.payload()).isEqualTo("{\"body\": \"it's für ✓\"}");
    Fired fired = store.fireDue(Duration.ZERO, 10, found -> new ScheduleChange(null, List.of()));
    assertThat(fired.changed()).as("due, so it is asked for, and here deleted").hasSize(1);
    assertThat(store.schedules()).isEmpty();
  }

  private static void assertConsumersGoOn(JdbcDelayStore store) {
    settle(store, "held");
    settle(store, "begun");
    assertThat(asked(store, "settled")).isEqualTo(Verdict.SETTLED);
    assertThat(asked(store, "cancelled")).isEqualTo(Verdict.CANCELLED);
    for (String id : List.of("held", "begun")) {
      assertThat(found(store, id).state()).as(id).isEqualTo(MessageState.SETTLED);
    }
  }

  private static void assertPeopleGoOn(JdbcDelayStore store) {
    assertThat(store.reschedule(key("later"), LATER.plusSeconds(1))).isEqualTo(ChangeOutcome.DONE);
    for (String id : List.of("failed", "parked")) {
      assertThat(store.retry(key(id))).as(id).isEqualTo(ChangeOutcome.DONE);
      assertThat(found(store, id).state()).as(id).isEqualTo(MessageState.PENDING);
    }
    assertThat(store.cancel(key("later"))).isEqualTo(ChangeOutcome.DONE);
  }

  @ParameterizedTest
  @EnumSource
  void what_was_released_has_not_been_edited(ReleasedTables tables) throws Exception {
    assertThat(JdbcSchema.ddl(tables.product()))
        .as("V1 is what users of %s have: write V2, and raise SchemaCheck.VERSION", RELEASE)
        .startsWith(tables.ddl(RELEASE));
  }

  @ParameterizedTest
  @EnumSource
  void upgraded_tables_are_those_of_a_new_database(ReleasedTables tables) throws Exception {
    try (TestDatabase upgraded = tables.database();
        TestDatabase fresh = tables.database();
        HikariDataSource old = JdbcStoreIT.pool(upgraded.url());
        HikariDataSource made = JdbcStoreIT.pool(fresh.url())) {
      tables.load(RELEASE, old);
      JdbcSchema.create(old);
      JdbcSchema.create(made);

      assertThat(shape(old)).isEqualTo(shape(made)).hasSizeGreaterThan(50);
    }
  }

  private static List<String> shape(HikariDataSource pool) throws SQLException {
    List<String> shape = new ArrayList<>();
    try (Connection connection = pool.getConnection()) {
      for (String table : ReleasedTables.tables(connection)) {
        shape.addAll(ReleasedTables.columns(connection, table));
        shape.addAll(ReleasedTables.indexes(connection, table));
      }
    }
    return shape;
  }

  private static MessageKey key(String id) {
    return new MessageKey(ROUTE, id);
  }

  private static Instant past(JdbcDelayStore store) {
    return store.now().minusSeconds(3);
  }

  private static StoredMessage found(JdbcDelayStore store, String id) {
    return store.find(key(id)).orElseThrow();
  }

  private static ScheduledMessage message(String id, Instant deliverAt, Tracking tracking) {
    byte[] body = (id + "\0?").getBytes(StandardCharsets.US_ASCII);
    body[body.length - 1] = (byte) 0xff;
    return new ScheduledMessage(
        key(id), "order " + id, "orders", "it's due", new byte[2], body, deliverAt, tracking);
  }

  private static void insert(
      JdbcDelayStore store, ScheduledMessage message, @Nullable Lease lease) {
    assertThat(store.insert(List.of(message), lease)).containsExactly(InsertOutcome.INSERTED);
  }

  private static void held(JdbcDelayStore store, String id) {
    insert(store, message(id, past(store), Tracking.FULL), null);
    hold(store, id);
  }

  private static void hold(JdbcDelayStore store, String id) {
    List<Claim> claims = claim(store);
    assertThat(claims).extracting(each -> each.key().id()).containsExactly(id);
    Claim claim = claims.get(0);
    Conclusion sent = Conclusion.sent(claim, claim.message().deliverAt());
    assertThat(store.conclude(List.of(sent))).containsExactly(Ended.APPLIED);
  }

  private static List<Claim> claim(JdbcDelayStore store) {
    Lease lease = new Lease("loader", Duration.ofMinutes(10));
    return store.claim(new ClaimRequest(ROUTE, store.now(), 100, 1 << 20, lease));
  }

  private static Handling begin(JdbcDelayStore store, String id) {
    Handling handling = new Handling(key(id), "q", UUID.randomUUID().toString());
    assertThat(begun(store, handling)).as(id).isEqualTo(Verdict.HANDLE);
    return handling;
  }

  private static Verdict asked(JdbcDelayStore store, String id) {
    return begun(store, new Handling(key(id), "q", UUID.randomUUID().toString()));
  }

  private static Verdict begun(JdbcDelayStore store, Handling handling) {
    int generation = found(store, handling.key().id()).generation();
    return store.begin(List.of(new Beginning(handling, generation)), SHORT).get(0).verdict();
  }

  private static void settle(JdbcDelayStore store, String id) {
    end(store, Ending.settle(begin(store, id)));
  }

  private static void end(JdbcDelayStore store, Ending ending) {
    assertThat(store.end(List.of(ending))).containsExactly(Ended.APPLIED);
  }
}
