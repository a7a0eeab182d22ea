// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.store.Claim;
import io.pocketwatch.store.Claim.Lease;
import io.pocketwatch.store.Conclusion;
import io.pocketwatch.store.LoadingStore.ClaimRequest;
import io.pocketwatch.store.LoadingStore.Retention;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.SchedulingStore.MessageChange;
import io.pocketwatch.store.SettlingStore.Beginning;
import io.pocketwatch.store.SettlingStore.Ending;
import io.pocketwatch.store.SettlingStore.Handling;
import io.pocketwatch.store.SettlingStore.Postponement;
import io.pocketwatch.store.StoredMessage;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** One row, brought where it is wanted, and the stations that it is then sent to. */
final class RowVisit {
  static final Duration HOUR = Duration.ofHours(1);
  static final Duration NOTHING = Duration.ZERO;

  /** Every station, by what the code calls it. */
  static final Map<String, Consumer<RowVisit>> STATIONS = stations();

  private static final String QUEUE = "q";
  private static final String LOADER = "A";
  private static final String TOKEN = "t1";

  private final JdbcDelayStore store;
  private final DataSource dataSource;
  private final MessageKey key;
  private final Instant due;

  RowVisit(JdbcDelayStore store, DataSource dataSource, String id) {
    this.store = store;
    this.dataSource = dataSource;
    this.key = new MessageKey("page-" + id, id); // a route of its own: nothing else is claimed
    this.due = store.now().minusSeconds(60);
  }

  private static Map<String, Consumer<RowVisit>> stations() {
    Map<String, Consumer<RowVisit>> all = new LinkedHashMap<>();
    all.put("insert", RowVisit::insert);
    all.put("insert lease", it -> it.insert(new Lease(LOADER, HOUR)));
    all.put("claim", it -> it.claim(HOUR));
    all.put("conclude SENT", RowVisit::sent);
    all.put("conclude GIVE_BACK", it -> it.conclude(Conclusion::giveBack));
    all.put("conclude POSTPONE", RowVisit::postponeClaim);
    all.put("conclude PARK", it -> it.conclude(claim -> Conclusion.park(claim, "refused")));
    all.put("conclude DELETE", it -> it.conclude(Conclusion::delete));
    all.put("begin", RowVisit::beginAnother);
    all.put("begin early", it -> it.begin("t2", true, HOUR));
    all.put("extend", it -> it.store.extend(List.of(it.handling()), HOUR.multipliedBy(2)));
    all.put("end SETTLE", RowVisit::settle);
    all.put("end SETTLED_IN", it -> it.end(Ending.settledIn(it.handling())));
    all.put("end FAIL", RowVisit::fail);
    all.put("end PARK", RowVisit::park);
    all.put("end POSTPONE", RowVisit::postpone);
    all.put("end REQUEUE", it -> it.end(Ending.requeue(it.handling(), null)));
    all.put("settleIn", RowVisit::settleIn);
    all.put(
        "returnOverdue", it -> it.store.returnOverdue(it.key.route(), it.later(), it.later(), 1));
    all.put("cancel", RowVisit::cancel);
    all.put("reschedule", it -> it.store.reschedule(it.key, it.due.minusSeconds(1)));
    all.put("retry", it -> it.store.retry(it.key));
    all.put("changeMany CANCEL", it -> it.changeMany(MessageChange.cancel()));
    all.put("changeMany RESCHEDULE", it -> it.changeMany(MessageChange.rescheduleTo(it.due)));
    all.put("changeMany RETRY", it -> it.changeMany(MessageChange.retry()));
    all.put("deleteFinished", RowVisit::deleteFinished);
    return all;
  }

  RowVisit insert() {
    return insert(null);
  }

  private RowVisit insert(@Nullable Lease lease) {
    store.insert(List.of(message()), lease);
    return this;
  }

  private ScheduledMessage message() {
    return new ScheduledMessage(key, null, "x", "r", new byte[0], new byte[0], due, Tracking.FULL);
  }

  /** Inserted, and by a loader. */
  RowVisit claimed(Duration lease) {
    insert().claim(lease);
    return this;
  }

  private void claim(Duration length) {
    store.claim(new ClaimRequest(key.route(), store.now(), 1, 1 << 20, new Lease(LOADER, length)));
  }

  /** As whoever has claimed it last would, or would have. */
  private void conclude(Function<Claim, Conclusion> how) {
    StoredMessage stored =
        store.find(key).orElseGet(() -> StoredMessage.inserted(message(), store.now()));
    Map<String, Object> row = row();
    long fence = row.isEmpty() ? 1 : RowWay.number(row, "fence");
    store.conclude(List.of(how.apply(new Claim(stored, LOADER, fence, false))));
  }

  void sent() {
    conclude(claim -> Conclusion.sent(claim, due));
  }

  void postponeClaim() {
    conclude(claim -> Conclusion.postpone(claim, HOUR, "refused"));
  }

  /** Inserted, and by a consumer. */
  RowVisit begun(Duration lease) {
    insert();
    begin(TOKEN, false, lease);
    return this;
  }

  void beginAnother() {
    begin("t2", false, HOUR);
  }

  private void begin(String token, boolean early, Duration lease) {
    store.begin(List.of(new Beginning(new Handling(key, QUEUE, token), 1, early)), lease);
  }

  private Handling handling() {
    return new Handling(key, QUEUE, TOKEN);
  }

  private void end(Ending ending) {
    store.end(List.of(ending));
  }

  void settle() {
    end(Ending.settle(handling()));
  }

  void fail() {
    end(Ending.fail(handling(), "no stock"));
  }

  void park() {
    end(Ending.park(handling(), "no stock"));
  }

  void postpone() {
    Postponement next = new Postponement(store.now().plus(HOUR), QUEUE, true);
    end(Ending.postpone(handling(), next, "no stock"));
  }

  private void settleIn() {
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      if (store.settleIn(connection, handling())) {
        connection.commit();
      } else {
        connection.rollback();
      }
      connection.setAutoCommit(true);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  void cancel() {
    store.cancel(key);
  }

  private void changeMany(MessageChange change) {
    store.changeMany(MessageQuery.all().route(key.route()).limit(10), change, null);
  }

  private void deleteFinished() {
    store.deleteFinished(new Retention(NOTHING, NOTHING), 10);
  }

  /** What has to be so of its time before that station. */
  void ready(String station) {
    if (station.equals("begin early")) { // and later than a pause would be
      sql("UPDATE pocketwatch_message SET deliver_at = ? WHERE id = ?", later().toEpochMilli());
    } else if (station.equals("deleteFinished")) { // no copy may come any more
      sql("UPDATE pocketwatch_message SET held_until = ? WHERE id = ?", due.toEpochMilli());
    }
  }

  private Instant later() {
    return store.now().plus(HOUR.multipliedBy(2));
  }

  private void sql(String statement, long value) {
    try (Connection connection = dataSource.getConnection()) {
      Jdbc.update(connection, statement, value, key.id());
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** All its columns, and the database's clock; empty if there is none. */
  Map<String, Object> row() {
    try (Connection connection = dataSource.getConnection()) {
      return Jdbc.first(
              connection,
              "SELECT m.*, "
                  + new H2Dialect().now()
                  + " AS now FROM pocketwatch_message m WHERE id = ?",
              RowVisit::columns,
              key.id())
          .orElse(Map.of());
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Map<String, Object> columns(ResultSet row) throws SQLException {
    Map<String, Object> columns = new LinkedHashMap<>();
    ResultSetMetaData data = row.getMetaData();
    for (int i = 1; i <= data.getColumnCount(); i++) {
      Object value = row.getObject(i);
      boolean simple = value instanceof Number || value instanceof Boolean;
      columns.put(
          data.getColumnLabel(i).toLowerCase(Locale.ROOT), simple ? value : row.getString(i));
    }
    return columns;
  }
}
