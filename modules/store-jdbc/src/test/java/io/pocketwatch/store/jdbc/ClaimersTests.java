// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.store.Claim;
import io.pocketwatch.store.Claim.Lease;
import io.pocketwatch.store.Conclusion;
import io.pocketwatch.store.LoadingStore.ClaimRequest;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.SettlingStore.Ended;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Several loaders at once: none is special, none goes hungry. */
interface ClaimersTests extends JdbcStoreContract {
  int ROWS = 20_000;

  @ParameterizedTest
  @ValueSource(ints = {2, 4})
  default void claimersShareTheRows(int claimers) throws Exception {
    String route = newRoute();
    Instant now = store().now();
    List<Integer> order = new ArrayList<>(IntStream.range(0, ROWS).boxed().toList());
    Collections.shuffle(order, new java.util.Random(7));
    for (int from = 0; from < ROWS; from += 2000) {
      List<ScheduledMessage> batch =
          order.subList(from, from + 2000).stream()
              .map(i -> message(route, "m" + i, now.minusMillis(i)))
              .toList();
      store().insert(batch, null);
    }
    analyse();
    Map<String, String> claimedBy = new ConcurrentHashMap<>();
    CountDownLatch begin = new CountDownLatch(claimers);
    ExecutorService threads = Executors.newFixedThreadPool(claimers);
    try {
      List<Future<Integer>> counts = new ArrayList<>();
      for (int i = 0; i < claimers; i++) {
        Lease lease = new Lease("claimer-" + i, LONG);
        Callable<Integer> work = () -> claimAll(route, now, lease, begin, claimedBy);
        counts.add(threads.submit(work));
      }
      int total = 0;
      for (Future<Integer> count : counts) {
        int claimed = count.get(100, TimeUnit.SECONDS);
        assertThat(claimed).as("one claimer's share").isGreaterThanOrEqualTo(ROWS / 10);
        total += claimed;
      }
      assertThat(total).isEqualTo(ROWS);
      assertThat(claimedBy).hasSize(ROWS);
    } finally {
      threads.shutdownNow();
    }
  }

  /** As autovacuum does within a minute; until then PostgreSQL 14 sorts, and claimers wait. */
  private void analyse() throws SQLException {
    try (Connection connection = dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      if (connection.getMetaData().getDatabaseProductName().equals("PostgreSQL")) {
        statement.execute("ANALYZE pocketwatch_message");
      }
    }
  }

  private int claimAll(
      String route, Instant now, Lease lease, CountDownLatch begin, Map<String, String> claimedBy)
      throws InterruptedException {
    begin.countDown();
    begin.await();
    int count = 0;
    // H2 locks no candidates: a claimer that lost all of them to another one asks again.
    for (int empty = 0; empty < 50; ) {
      List<Claim> claims = store().claim(new ClaimRequest(route, now, 500, Long.MAX_VALUE, lease));
      for (Claim claim : claims) {
        assertThat(claimedBy.put(claim.key().id(), lease.owner())).as("claimed before").isNull();
      }
      List<Conclusion> ends = claims.stream().map(claim -> Conclusion.sent(claim, now)).toList();
      conclude(ends);
      count += claims.size();
      empty = claims.isEmpty() ? empty + 1 : 0;
    }
    return count;
  }

  /** Another claimer may have a row locked that it saw as to be claimed, until it has looked. */
  private void conclude(List<Conclusion> ends) {
    List<Conclusion> left = ends;
    while (!left.isEmpty()) {
      List<Ended> ended = store().conclude(left);
      assertThat(ended).hasSize(left.size()).doesNotContain(Ended.OVERTAKEN);
      List<Conclusion> asked = left;
      left =
          IntStream.range(0, asked.size())
              .filter(i -> ended.get(i) == Ended.LOCKED)
              .mapToObj(asked::get)
              .toList();
    }
  }
}
