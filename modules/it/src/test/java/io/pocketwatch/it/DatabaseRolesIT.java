// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.store.Claim;
import io.pocketwatch.store.Conclusion;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.LoadingStore.LoaderHeartbeat;
import io.pocketwatch.store.LoadingStore.Retention;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.OverviewStore.ChangeNote;
import io.pocketwatch.store.ScheduleStore.Fired;
import io.pocketwatch.store.ScheduleStore.ScheduleChange;
import io.pocketwatch.store.ScheduleStore.StoredSchedule;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.SettlingStore.Ended;
import io.pocketwatch.store.StoreException;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.store.jdbc.JdbcDelayStore;
import io.pocketwatch.store.jdbc.JdbcSchema;
import io.pocketwatch.testkit.store.Handlings;
import io.pocketwatch.testkit.store.ScheduleStoreContract;
import io.pocketwatch.testkit.store.StoreContract;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * The privileges that {@code modules/docs/operate/secure.md} gives each role, no more and no less.
 */
@Tag("wide")
class DatabaseRolesIT implements StoreContract {
  private static final Path PAGE = Path.of("../../modules/docs/operate/secure.md");
  private static final Pattern ROW = Pattern.compile("(?m)^\\| `pocketwatch_(\\w+)` \\|(.*)\\|$");
  private static final Instant LATER = Instant.now().plusSeconds(3_600);

  private static TestDatabase database;
  private static DelayStore owner;

  /** In the order of the columns. */
  enum Role {
    PUBLISHER {
      @Override
      void work(DatabaseRolesIT test, DelayStore store) {
        test.publish(store);
      }
    },
    LOADER {
      @Override
      void work(DatabaseRolesIT test, DelayStore store) {
        test.load(store);
      }
    },
    CONSUMER {
      @Override
      void work(DatabaseRolesIT test, DelayStore store) {
        test.consume(store);
      }
    },
    READER {
      @Override
      void work(DatabaseRolesIT test, DelayStore store) {
        test.read(store);
      }
    },
    SCHEDULER {
      @Override
      void work(DatabaseRolesIT test, DelayStore store) {
        test.schedule(store);
      }
    };

    /** All that programs of the kind ask of the store. */
    abstract void work(DatabaseRolesIT test, DelayStore store);

    /** Unique: roles belong to the server, which other tests use as well. */
    String user() {
      return database.url().replaceFirst(".*/pocketwatch_test_(\\w+).*", "pw_$1_") + ordinal();
    }

    PGSimpleDataSource data() {
      PGSimpleDataSource data = new PGSimpleDataSource();
      data.setUrl(database.url());
      data.setUser(user());
      data.setPassword("role");
      return data;
    }

    DelayStore store() {
      return JdbcDelayStore.builder(data()).build();
    }
  }

  @BeforeAll
  static void create() throws Exception {
    database = TestDatabases.postgresql();
    PGSimpleDataSource data = new PGSimpleDataSource();
    data.setUrl(database.url());
    JdbcSchema.create(data);
    owner = JdbcDelayStore.builder(data).build();
    for (Role role : Role.values()) {
      execute("CREATE ROLE " + role.user() + " LOGIN PASSWORD 'role'");
      for (Map.Entry<String, List<String>> table : privileges(role).entrySet()) {
        execute(
            "GRANT %s ON pocketwatch_%s TO %s"
                .formatted(String.join(", ", table.getValue()), table.getKey(), role.user()));
      }
    }
  }

  @AfterAll
  static void drop() throws Exception {
    if (database != null) {
      for (Role role : Role.values()) {
        execute("DROP OWNED BY " + role.user());
        execute("DROP ROLE " + role.user());
      }
      database.close();
    }
  }

  @Override
  public DelayStore store() {
    return owner;
  }

  @ParameterizedTest
  @EnumSource
  void a_role_can_do_its_work(Role role) {
    role.work(this, role.store());
  }

  @ParameterizedTest
  @EnumSource
  void a_role_has_nothing_it_could_do_without(Role role) throws Exception {
    for (Map.Entry<String, List<String>> table : privileges(role).entrySet()) {
      for (String privilege : table.getValue()) {
        String what = privilege + " ON pocketwatch_" + table.getKey();
        execute("REVOKE " + what + " FROM " + role.user());
        assertThatThrownBy(() -> role.work(this, role.store()))
            .as("%s without %s", role, what)
            .isInstanceOf(StoreException.class)
            .rootCause()
            .hasMessageContaining("permission denied");
        execute("GRANT " + what + " TO " + role.user());
      }
    }
  }

  @Test
  void nobody_but_the_owner_changes_tables() {
    for (Role role : Role.values()) {
      for (String change :
          List.of(
              "DROP TABLE pocketwatch_message",
              "TRUNCATE pocketwatch_message",
              "UPDATE pocketwatch_schema SET version = 2",
              "CREATE FUNCTION f() RETURNS TRIGGER LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';"
                  + " CREATE TRIGGER t BEFORE INSERT ON pocketwatch_message EXECUTE FUNCTION"
                  + " f()")) {
        assertThatThrownBy(() -> execute(role, change))
            .as("%s: %s", role, change)
            .isInstanceOf(SQLException.class)
            .hasMessageMatching("(?s)ERROR: (must be owner|permission denied).*");
      }
    }
  }

  private void publish(DelayStore store) {
    String route = newRoute();
    MessageKey first = new MessageKey(route, "first");
    store.insert(List.of(message(route, "first", LATER)), LOADER);
    store.insert(List.of(message(route, "second", LATER)), null);
    assertThat(store.find(first)).isPresent();
    assertThat(store.list(MessageQuery.all())).isNotEmpty();
    assertThat(store.count(MessageQuery.all())).isPositive();
    assertThat(store.reschedule(new MessageKey(route, "second"), LATER.plusSeconds(1)))
        .hasToString("DONE");
    MessageKey begun = held(route, "begun");
    Handlings.of(owner).abandon(begun(begun, "consumer"));
    assertThat(store.cancel(begun)).hasToString("DONE");
    store.note(new ChangeNote("somebody", "cancelled", route, "begun", 1, 0));
    inserted(message(route, "due", owner.now().minusSeconds(1)));
    Claim due = claimOne(route, LOADER);
    assertThat(actingAs(store).giveBack(List.of(due))).isEqualTo(1);
    assertThat(holdBy(store, claimOne(route, LOADER))).isTrue();
    store.retry(due.key());
    forget(store);
    sendAgain(store);
  }

  private void load(DelayStore store) {
    String route = newRoute();
    MessageKey due = due(route, "due");
    assertThat(store.routesDue(owner.now(), null)).contains(route);
    Claim claim = claimBy(store, route);
    assertThat(actingAs(store).postpone(claim, Duration.ZERO, "later")).isTrue();
    assertThat(actingAs(store).giveBack(List.of(claimBy(store, route)))).isEqualTo(1);
    assertThat(holdBy(store, claimBy(store, route))).isTrue();
    assertThat(store.overdue(owner.now())).isNotEmpty();
    assertThat(store.returnOverdue(route, owner.now(), owner.now(), 10)).isEqualTo(1);
    assertThat(actingAs(store).park(claimBy(store, route), "enough")).isTrue();
    assertThat(store.retry(due)).hasToString("DONE");
    forget(store);
    sendAgain(store);
    MessageKey done = held(newRoute(), "done");
    Handlings.of(owner).settle(begun(done, "consumer"));
    Retention atOnce = new Retention(Duration.ZERO, Duration.ZERO);
    assertThat(store.deleteFinished(atOnce, 1_000)).isPositive();
    assertThat(owner.find(done)).isEmpty();
    rollUp(store);
    String name = newRoute();
    store.heartbeat(new LoaderHeartbeat(name, owner.now(), owner.now(), 1, null, null));
    store.heartbeat(
        new LoaderHeartbeat(name, owner.now(), owner.now(), 2, owner.now(), Duration.ZERO));
    assertThat(store.heartbeats()).isNotEmpty();
    // Its page of health and metrics.
    assertThat(store.count(MessageQuery.all())).isPositive();
  }

  /** Of this minute and the one before, as if they were not counted yet. */
  private static void rollUp(DelayStore store) {
    long minute = owner.now().toEpochMilli() / 60_000 * 60_000;
    try {
      execute("UPDATE pocketwatch_rollup_end SET ends_at = " + (minute - 60_000));
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    store.rollUp(owner.now().plusSeconds(120));
    store.rollUp(owner.now().plusSeconds(120));
  }

  private void consume(DelayStore store) {
    String route = newRoute();
    MessageKey settled = held(route, "settled");
    var first = Handlings.of(store).begin(settled, 1, "consumer", LONG).handling();
    assertThat(Handlings.of(store).extend(first, LONG)).isTrue();
    assertThat(Handlings.of(store).settle(first)).isTrue();
    var further = Handlings.of(store).begin(settled, 1, "further", LONG).handling();
    assertThat(Handlings.of(store).settle(further)).isTrue();
    MessageKey failed = held(route, "failed");
    var second = Handlings.of(store).begin(failed, 1, "consumer", LONG).handling();
    assertThat(Handlings.of(store).abandon(second)).isTrue();
    assertThat(
            Handlings.of(store)
                .fail(Handlings.of(store).begin(failed, 1, "consumer", LONG).handling(), "no"))
        .isTrue();
    assertThat(state(failed)).isEqualTo(MessageState.FAILED);
  }

  private void read(DelayStore store) {
    assertThat(store.find(due(newRoute(), "due"))).isPresent();
    assertThat(store.list(MessageQuery.all())).isNotEmpty();
    assertThat(store.count(MessageQuery.all())).isPositive();
    assertThat(store.heartbeats()).isNotNull();
    held(newRoute(), "held");
    assertThat(store.overdue(owner.now())).isNotEmpty();
    Instant now = owner.now();
    assertThat(store.rollups(Instant.EPOCH, now, Duration.ofDays(1), Set.of())).isNotNull();
    assertThat(store.schedules()).isNotNull();
    assertThat(store.notes(null, 1)).isNotNull();
    assertThat(store.progress("orders")).isNotNull();
    assertThat(store.search("order", null, null, 1)).isNotNull();
    assertThat(store.withIdsFrom("report", "report@", 10)).isEmpty();
  }

  private void schedule(DelayStore store) {
    String name = newRoute();
    Instant now = owner.now();
    StoredSchedule added = ScheduleStoreContract.newSchedule(name, now, now);
    ScheduledMessage message = message(name, name + "@1", LATER);
    store.change(name, found -> ScheduleChange.none(added));
    Fired fired =
        store.fireDue(
            Duration.ZERO,
            1_000,
            found -> {
              StoredSchedule due = Objects.requireNonNull(found.schedule());
              return due.name().equals(name)
                  ? new ScheduleChange(paused(due, now), List.of(message))
                  : ScheduleChange.none(due);
            });
    if (!fired.failed().isEmpty()) {
      throw fired.failed().values().iterator().next();
    }
    assertThat(owner.find(message.key())).isPresent();
    assertThat(store.withIdsFrom(name, name, 10)).hasSize(1);
    store.change(name, found -> List.of(message.key()), found -> ScheduleChange.none(null));
    assertThat(owner.find(message.key())).isEmpty();
    assertThat(store.schedules()).extracting(StoredSchedule::name).doesNotContain(name);
  }

  private static StoredSchedule paused(StoredSchedule of, Instant at) {
    return new StoredSchedule(
        of.name(),
        of.owner(),
        2,
        "{}",
        null,
        null,
        null,
        at,
        null,
        1,
        0,
        0,
        null,
        at,
        null,
        "paused",
        false,
        null,
        of.createdAt(),
        at);
  }

  private void forget(DelayStore store) {
    String route = newRoute();
    inserted(message(route, "untracked", owner.now().minusSeconds(1), Tracking.NONE));
    assertThat(store.conclude(List.of(Conclusion.delete(claimOne(route, LOADER)))))
        .containsExactly(Ended.APPLIED);
  }

  /** To its consumer's queue, which has put it off. */
  private void sendAgain(DelayStore store) {
    String route = newRoute();
    MessageKey key = held(route, "again");
    assertThat(Handlings.of(owner).postpone(begun(key, "q"), owner.now(), "later")).isTrue();
    assertThat(holdBy(store, claimBy(store, route))).isTrue();
  }

  private Claim claimBy(DelayStore store, String route) {
    return actingAs(store).claimOne(route, LOADER);
  }

  private boolean holdBy(DelayStore store, Claim claim) {
    return actingAs(store).hold(claim);
  }

  private static StoreContract actingAs(DelayStore store) {
    return () -> store;
  }

  private static Map<String, List<String>> privileges(Role role) throws Exception {
    Map<String, List<String>> all = new java.util.TreeMap<>();
    Matcher rows = ROW.matcher(Files.readString(PAGE));
    while (rows.find()) {
      String cell = rows.group(2).split("\\|")[role.ordinal()].strip();
      if (!cell.equals("–")) {
        all.put(rows.group(1), Arrays.asList(cell.split(", ")));
      }
    }
    assertThat(all).as("the table in modules/docs/operate/secure.md").containsKey("schema");
    return all;
  }

  private static void execute(String sql) throws SQLException {
    PGSimpleDataSource data = new PGSimpleDataSource();
    data.setUrl(database.url());
    execute(data, sql);
  }

  private static void execute(Role role, String sql) throws SQLException {
    execute(role.data(), sql);
  }

  private static void execute(PGSimpleDataSource data, String sql) throws SQLException {
    try (Connection connection = data.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
