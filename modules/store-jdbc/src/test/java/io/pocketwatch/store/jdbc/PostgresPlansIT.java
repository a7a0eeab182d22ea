// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.pocketwatch.store.Claim.Lease;
import io.pocketwatch.store.LoadingStore.ClaimRequest;
import io.pocketwatch.store.LoadingStore.Retention;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.OverviewStore.MessageSummary;
import io.pocketwatch.store.OverviewStore.SearchPlace;
import io.pocketwatch.store.StoredMessage.MessageState;
import io.pocketwatch.testkit.store.TestDatabase;
import io.pocketwatch.testkit.store.TestDatabases;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A million pending rows on PostgreSQL: pages and counts are planned on indexes. */
@Tag("wide")
class PostgresPlansIT {
  private static final int ROWS = 1_000_000;
  private static final int SETTLED = 200_000;
  private static final Instant FIRST = Instant.ofEpochMilli(4_102_444_800_000L);
  private static final String ALL_VISIBLE =
      "SELECT relallvisible > 0.99 * relpages FROM pg_class WHERE relname = 'pocketwatch_message'";

  private static TestDatabase database;
  private static HikariDataSource pool;

  @BeforeAll
  static void fill() throws SQLException {
    database = TestDatabases.postgresql();
    pool = JdbcStoreIT.pool(database.url());
    JdbcSchema.create(pool);
    execute(
        """
        INSERT INTO pocketwatch_message (route, id, exchange, routing_key, properties, body,
          deliver_at, first_deliver_at, next_at, tracking, state, created_at, updated_at)
        SELECT 'route-' || n %% 4, 'm' || n, '', 'q', '\\x0000', '\\x7b7d', 4102444800000 + n * 20,
          4102444800000 + n * 20, 4102444800000 + n * 20, 'FULL', 'PENDING', n, 1 FROM generate_series(1, %s) n
        """
            .formatted(ROWS));
    execute("UPDATE pocketwatch_message SET state = 'PARKED' WHERE id IN ('m77', 'm777777')");
    execute(
        """
        INSERT INTO pocketwatch_message (route, id, exchange, routing_key, properties, body,
          deliver_at, first_deliver_at, next_at, tracking, state, created_at,
          updated_at, finished_at, consumer, holder, begun_at)
        SELECT 'route-' || n %% 4, 's' || n, '', 'q', '\\x0000', '\\x7b7d', n * 20, n * 20, n * 20, 'FULL',
          'SETTLED', 1000000 + n, n * 20, n * 20, 'q', 't', n * 20
        FROM generate_series(1, %s) n
        """
            .formatted(SETTLED));
    // One that meets an automatic ANALYZE leaves pages for which an index alone does not do.
    Awaitility.await()
        .atMost(Duration.ofMinutes(1))
        .until(
            () -> {
              execute("VACUUM ANALYZE pocketwatch_message");
              return "t".equals(answer(ALL_VISIBLE));
            });
  }

  @AfterAll
  static void drop() throws SQLException {
    pool.close();
    database.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "state IN ('PENDING') AND route = 'route-1'",
        "state IN ('PENDING') AND route = 'route-1' AND deliver_at >= 4102450000000",
        "state IN ('PARKED')",
        "state IN ('SETTLED')",
        "state IN ('SETTLED') AND deliver_at >= 5000",
      })
  void a_page_is_read_from_an_index(String where) throws SQLException {
    for (String after : List.of("", " AND (deliver_at, route, id) > (4102455000000, 'r', 'm')")) {
      assertThat(
              plan(
                  "SELECT id FROM pocketwatch_message WHERE "
                      + where
                      + after
                      + " ORDER BY deliver_at, route, id LIMIT 100"))
          .contains("Index")
          .doesNotContain("Seq Scan", "Bitmap");
    }
  }

  @Test
  void what_is_counted_by_state_comes_from_indexes_alone() throws SQLException {
    assertThat(
            plan(
                "SELECT route, COUNT(*) FROM pocketwatch_message WHERE state = 'PENDING'"
                    + " GROUP BY route"))
        .containsPattern("Index Only Scan using pocketwatch_message_(pending|next)");
    assertThat(
            plan(
                "SELECT COUNT(*) FROM pocketwatch_message WHERE created_at >= 5 AND created_at <"
                    + " 9"))
        .contains("pocketwatch_message_created");
  }

  /** What a look at the page costs, besides what the server keeps in memory. */
  @Test
  void whatever_the_console_asks_is_planned_on_indexes() {
    ExplainedStatements explained = new ExplainedStatements();
    JdbcDelayStore store = JdbcDelayStore.builder(explained.through(pool)).build();
    explained.plans().clear();
    Instant now = FIRST.plus(Duration.ofHours(1));
    store.countsByState();
    store.dueCounts(now, now.plus(Duration.ofHours(3)), Duration.ofMinutes(1));
    store.routesDue(now, null);
    store.routesDue(now, Set.of("route-1"));
    store.count(MessageQuery.all().route("route-1").states(MessageState.PENDING).due(null, FIRST));
    store.list(MessageQuery.all().states(MessageState.PENDING).due(null, now).limit(1));
    store.summaries(MessageQuery.all());
    store.summaries(MessageQuery.all().backwards());
    store.summaries(MessageQuery.all().businessKey("order-1"));
    store.search("m77777", null, null, 100);
    store.search("order", null, new SearchPlace(null, ""), 100);
    for (MessageState[] states :
        new MessageState[][] {
          {MessageState.PENDING, MessageState.HELD},
          {MessageState.PARKED, MessageState.FAILED},
          {MessageState.SETTLED},
          {MessageState.CANCELLED}
        }) {
      store.summaries(MessageQuery.all().states(states));
      store.summaries(MessageQuery.all().states(states).route("route-1"));
    }
    store.find(new MessageKey("route-1", "m1"));
    store.reasons(100);
    store.activity(Instant.ofEpochSecond(1_000), Instant.ofEpochSecond(1_010));

    assertThat(explained.plans())
        .hasSizeGreaterThan(20)
        .allSatisfy(
            plan ->
                assertThat(plan)
                    .contains("Index")
                    .doesNotContain("Seq Scan on pocketwatch_message"));
  }

  /** Two steps in the index for each route, however much is pending. */
  @Test
  void what_is_due_is_found_by_one_statement_that_steps_from_route_to_route() {
    ExplainedStatements explained = new ExplainedStatements();
    JdbcDelayStore store = JdbcDelayStore.builder(explained.through(pool)).build();
    explained.plans().clear();
    assertThat(store.routesDue(FIRST.plusSeconds(1), null)).hasSize(4);
    assertThat(store.routesDue(FIRST.plusSeconds(1), Set.of("route-1", "none")))
        .containsExactly("route-1");
    store.claim(
        new ClaimRequest(
            "route-1",
            FIRST.minusSeconds(1),
            500,
            1 << 20,
            new Lease("l", Duration.ofSeconds(15))));

    assertThat(explained.plans())
        .hasSize(3)
        .allSatisfy(
            plan ->
                assertThat(plan)
                    .contains("using pocketwatch_message_next")
                    .doesNotContain("Seq Scan on pocketwatch_message", "Bitmap"));
  }

  /** One statement, which reads what is overdue of each route, and no row of the table for it. */
  @Test
  void what_is_overdue_is_counted_from_indexes_alone() {
    ExplainedStatements explained = new ExplainedStatements();
    JdbcDelayStore store = JdbcDelayStore.builder(explained.through(pool)).build();
    explained.plans().clear();
    assertThat(store.overdueCounts()).isEmpty();

    assertThat(explained.plans())
        .hasSize(2) // with that of the clock
        .last()
        .asString()
        .contains("Index Only Scan using pocketwatch_message_pending")
        .containsPattern("Index (Only )?Scan using pocketwatch_message_state")
        .doesNotContain("Seq Scan on pocketwatch_message", "Bitmap");
  }

  /** Each of these reads what is held and past its instant, and no other row. */
  @Test
  void what_recovery_asks_is_planned_on_indexes() {
    ExplainedStatements explained = new ExplainedStatements();
    JdbcDelayStore store = JdbcDelayStore.builder(explained.through(pool)).build();
    explained.plans().clear();
    store.overdue(FIRST);
    store.returnOverdue("route-1", FIRST, FIRST, 500);

    assertThat(explained.plans())
        .filteredOn(plan -> plan.contains("pocketwatch_message") && plan.contains("deliver_at <"))
        .hasSize(2)
        .allSatisfy(
            plan ->
                assertThat(plan)
                    .containsPattern("Index Cond: .*state.*'HELD'.*deliver_at <")
                    .doesNotContain("Seq Scan on pocketwatch_message"));
  }

  /** Each minute's rows, and no others. */
  @Test
  void what_is_rolled_up_is_planned_on_indexes() throws SQLException {
    ExplainedStatements explained = new ExplainedStatements();
    JdbcDelayStore store = JdbcDelayStore.builder(explained.through(pool)).build();
    explained.plans().clear();
    // Among the instants at which these rows were made and ended.
    execute("UPDATE pocketwatch_rollup_end SET ends_at = 960000");
    store.rollUp(Instant.ofEpochSecond(1_100));

    assertThat(explained.plans())
        .filteredOn(plan -> plan.contains("pocketwatch_message"))
        .hasSize(3)
        .allSatisfy(
            plan ->
                assertThat(plan)
                    .containsPattern("Index Cond: .*(created|finished)_at >= ")
                    .doesNotContain("Seq Scan on pocketwatch_message"));
  }

  /** A batch goes on where the one before ended, and each of its rows is deleted by key. */
  @Test
  void what_is_deleted_after_its_retention_is_planned_on_indexes() {
    ExplainedStatements explained = new ExplainedStatements();
    JdbcDelayStore store = JdbcDelayStore.builder(explained.through(pool)).build();
    Retention aDay = new Retention(Duration.ofDays(1), Duration.ofMinutes(2));
    assertThat(store.deleteFinished(aDay, 10)).isEqualTo(10);
    explained.plans().clear();
    assertThat(store.deleteFinished(aDay, 10)).isEqualTo(10);

    assertThat(explained.plans())
        .filteredOn(plan -> plan.contains("pocketwatch_message"))
        .hasSize(3)
        .allSatisfy(
            plan ->
                assertThat(plan)
                    .contains("Index Cond")
                    .doesNotContain("Seq Scan on pocketwatch_message"))
        .first()
        .asString()
        .contains("using pocketwatch_message_finished")
        .containsPattern("finished_at >= '?[1-9]");
  }

  /** The occurrences of a schedule, among the messages of its route. */
  @Test
  void ids_that_begin_alike_are_looked_up_by_key() {
    ExplainedStatements explained = new ExplainedStatements();
    JdbcDelayStore store = JdbcDelayStore.builder(explained.through(pool)).build();
    explained.plans().clear();
    assertThat(store.withIdsFrom("route-1", "m7777", 100)).isNotEmpty();

    assertThat(explained.plans())
        .singleElement()
        .asString()
        .contains("pocketwatch_message_pk")
        .containsPattern("Index Cond: .*id.* >= ");
  }

  @Test
  void pages_to_the_end() {
    JdbcDelayStore store = JdbcDelayStore.builder(pool).build();
    MessageQuery query =
        MessageQuery.all().states(MessageState.PENDING, MessageState.PARKED).limit(10_000);
    int found = 0;
    List<MessageSummary> page = store.summaries(query);
    while (!page.isEmpty()) {
      found += page.size();
      page = store.summaries(query.after(page.get(page.size() - 1).stored()));
    }
    assertThat(found).isEqualTo(ROWS);
  }

  private static String plan(String query) throws SQLException {
    return answer("EXPLAIN " + query);
  }

  private static String answer(String query) throws SQLException {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      List<String> lines = new ArrayList<>();
      while (rows.next()) {
        lines.add(rows.getString(1));
      }
      return String.join("\n", lines);
    }
  }

  private static void execute(String text) throws SQLException {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(text);
    }
  }
}
