// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import io.pocketwatch.BrokerIdentity;
import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.config.DelayLimits;
import io.pocketwatch.store.Claim;
import io.pocketwatch.store.Claim.Lease;
import io.pocketwatch.store.Conclusion;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.LoadingStore.ClaimRequest;
import io.pocketwatch.store.LoadingStore.ConsumerProgress;
import io.pocketwatch.store.LoadingStore.LoaderHeartbeat;
import io.pocketwatch.store.LoadingStore.Overdue;
import io.pocketwatch.store.LoadingStore.Retention;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.OverviewStore.Activity;
import io.pocketwatch.store.OverviewStore.DueCount;
import io.pocketwatch.store.OverviewStore.LostChanges;
import io.pocketwatch.store.OverviewStore.MessageSummary;
import io.pocketwatch.store.OverviewStore.OverdueCount;
import io.pocketwatch.store.OverviewStore.ReasonCount;
import io.pocketwatch.store.OverviewStore.Rollups;
import io.pocketwatch.store.ScheduleStore.Fired;
import io.pocketwatch.store.ScheduleStore.FoundSchedule;
import io.pocketwatch.store.ScheduleStore.MessageMark;
import io.pocketwatch.store.ScheduleStore.ScheduleChange;
import io.pocketwatch.store.ScheduleStore.ScheduleChanged;
import io.pocketwatch.store.ScheduleStore.ScheduleTotals;
import io.pocketwatch.store.ScheduleStore.StoredSchedule;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.SchedulingStore.InsertOutcome;
import io.pocketwatch.store.SchedulingStore.ManyChanged;
import io.pocketwatch.store.SchedulingStore.MessageChange;
import io.pocketwatch.store.SettlingStore.Beginning;
import io.pocketwatch.store.SettlingStore.Begun;
import io.pocketwatch.store.SettlingStore.Ended;
import io.pocketwatch.store.SettlingStore.Ending;
import io.pocketwatch.store.SettlingStore.Handling;
import io.pocketwatch.store.StoreException;
import io.pocketwatch.store.StoreException.PartlyChangedException;
import io.pocketwatch.store.StoreException.RowLockedException;
import io.pocketwatch.store.StoreException.StoreUnchangedException;
import io.pocketwatch.store.StoredMessage;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A store in PostgreSQL (13 and later), MySQL (8), MariaDB (10.6) or H2 (2). Thread-safe; its
 * throughput grows with the connections, so give it a pool. Methods without a {@link Connection}
 * run in transactions of their own at READ COMMITTED, and again after a deadlock. The data source
 * must not join the caller's transactions. A connection that has joined one is neither committed
 * nor rolled back, and the call fails.
 *
 * <p>Routes are up to 100 characters, ids, business keys and owners 200, consumers 255; none ends
 * with a blank or holds a NUL. Beyond that: {@link IllegalArgumentException}.
 */
public final class JdbcDelayStore implements DelayStore {
  /** Short: an id that an open transaction has inserted must not let the rest of its batch wait. */
  private static final Duration LOCK_WAIT_OF_MANY = Duration.ofMillis(200);

  /** Longer than another change of many holds its locks. */
  private static final Duration LOCK_WAIT_OF_CHANGES = Duration.ofSeconds(2);

  private static final Duration LOCK_WAIT_OF_ONE = Duration.ofSeconds(10);

  private final DataSource dataSource;
  private final Sql sql;
  private final String description;
  private final LostCommits lostCommits;
  private final Transactions transactions;
  private final Inserts inserts;
  private final Queries queries;
  private final Search search;
  private final Changes changes;
  private final LowerBounds bounds = new LowerBounds(System::nanoTime);
  private final Claims claims;
  private final Handlings handlings;
  private final Progress progress;
  private final OverdueRows overdueRows;
  private final FinishedRows finished;
  private final Heartbeats heartbeats;
  private final BrokerRow broker;
  private final Overviews overviews;
  private final RollupRows rollups;
  private final TimelineQuery lives;
  private final ChangeNotes notes;
  private final ScheduleRows schedules;

  JdbcDelayStore(
      DataSource dataSource,
      Sql sql,
      String description,
      boolean autoCommits,
      Duration statementTimeout) {
    Bulk bulk = sql.dialect().bulk(sql);
    this.dataSource = dataSource;
    this.sql = sql;
    this.description = description;
    this.lostCommits = new LostCommits(sql, System::nanoTime);
    this.transactions =
        new Transactions(dataSource, sql.dialect(), autoCommits, statementTimeout, lostCommits);
    this.inserts = new Inserts(sql, bulk);
    this.queries = new Queries(sql);
    this.search = new Search(sql);
    LockedRows rows = new LockedRows(sql, bulk);
    this.progress = new Progress(sql);
    this.changes = new Changes(sql, bulk, rows);
    this.claims = new Claims(sql, bulk, bounds);
    this.handlings = new Handlings(sql, bulk, rows, progress);
    this.overdueRows = new OverdueRows(sql, bulk, progress);
    this.finished = new FinishedRows(sql, bulk, progress);
    this.heartbeats = new Heartbeats(sql);
    this.broker = new BrokerRow(sql);
    this.overviews = new Overviews(sql);
    this.rollups = new RollupRows(sql);
    this.lives = new TimelineQuery(sql);
    this.notes = new ChangeNotes(sql);
    this.schedules = new ScheduleRows(sql, bulk, inserts);
  }

  /**
   * A builder for a store over a data source, which the caller closes.
   *
   * @param dataSource a pool, of 2 connections at least
   */
  public static JdbcDelayStoreBuilder builder(DataSource dataSource) {
    return new JdbcDelayStoreBuilder(dataSource);
  }

  @Override
  public Instant now() {
    return transactions.run("tell the time", c -> Instant.ofEpochMilli(sql.millis(c)));
  }

  MovedTime movedTime() {
    return new MovedTime(sql, transactions, bounds);
  }

  @Override
  public String describe() {
    return description;
  }

  /** The data source of this store, for code that joins its transactions. */
  public DataSource dataSource() {
    return dataSource;
  }

  /** Does nothing: the data source is the caller's. */
  @Override
  public void close() {}

  @Override
  public List<InsertOutcome> insert(List<ScheduledMessage> batch, @Nullable Lease lease) {
    return transactions.write(
        "insert messages",
        batch.size() > 1 ? LOCK_WAIT_OF_MANY : LOCK_WAIT_OF_ONE,
        c -> inserts.insert(c, batch, lease));
  }

  /**
   * {@link #insert(List, Lease)} as a part of the caller's transaction: rows are there once it
   * commits. This neither commits, rolls back nor closes, and a present id does not abort the
   * transaction.
   *
   * <p>Call it at READ COMMITTED, or as the transaction's first statement. Otherwise the
   * transaction may not see that another one has inserted the same id, and may fail.
   *
   * @throws IllegalArgumentException if the connection is in auto-commit mode
   */
  public List<InsertOutcome> insert(
      Connection connection, List<ScheduledMessage> batch, @Nullable Lease lease) {
    return join("insert messages", connection, joined -> inserts.insert(joined, batch, lease));
  }

  /**
   * Deletes a row that this transaction has inserted.
   *
   * @return false if the row is gone or was changed
   */
  boolean undoInsert(Connection connection, MessageKey key) {
    return join("undo the insert of " + key, connection, joined -> inserts.undo(joined, key));
  }

  @Override
  public Optional<StoredMessage> find(MessageKey key) {
    return transactions.run("find " + key, c -> queries.find(c, key));
  }

  @Override
  public List<StoredMessage> list(MessageQuery query) {
    return transactions.run("list messages", c -> queries.list(c, query));
  }

  @Override
  public long count(MessageQuery query) {
    return transactions.run("count messages", c -> queries.count(c, query));
  }

  @Override
  public List<MessageSummary> summaries(MessageQuery query) {
    return transactions.run("list messages", c -> queries.summaries(c, query));
  }

  @Override
  public Found search(String part, @Nullable String route, @Nullable SearchPlace after, int limit) {
    return transactions.run("search", c -> search.look(c, part, route, after, limit));
  }

  @Override
  public Optional<MessageSummary> summary(MessageKey key) {
    return transactions.run("find " + key, c -> queries.summary(c, key));
  }

  @Override
  public Map<String, Map<MessageState, Long>> countsByState() {
    return transactions.run("count messages", overviews::countsByState);
  }

  @Override
  public List<DueCount> dueCounts(Instant from, Instant until, Duration step) {
    return transactions.run("count what comes due", c -> overviews.dueCounts(c, from, until, step));
  }

  @Override
  public List<OverdueCount> overdueCounts() {
    return transactions.run("count what is overdue", overviews::overdueCounts);
  }

  @Override
  public @Nullable String oldestSnapshot() {
    return transactions
        .run("look for the oldest transaction", overviews::oldestSnapshot)
        .orElse(null);
  }

  @Override
  public @Nullable LostChanges lostChanges() {
    return lostCommits.lost();
  }

  @Override
  public List<ReasonCount> reasons(int limit) {
    return transactions.run("count reasons", c -> overviews.reasons(c, limit));
  }

  @Override
  public List<ConsumerProgress> progress(String route) {
    return transactions.run("look for consumers", c -> progress.of(c, route));
  }

  @Override
  public Optional<Life> life(MessageKey key) {
    return transactions.run("tell the life of " + key, c -> lives.read(c, key));
  }

  @Override
  public void note(ChangeNote change) {
    transactions.run(
        "note a change",
        c -> {
          notes.write(c, change);
          return true;
        });
  }

  @Override
  public List<ChangeNote> notes(@Nullable Long before, int limit) {
    return transactions.run("list changes", c -> notes.read(c, before, limit));
  }

  @Override
  public Activity activity(Instant from, Instant until) {
    return transactions.run("tell what happened", c -> overviews.activity(c, from, until));
  }

  @Override
  public Rollups rollups(Instant from, Instant until, Duration step, Set<String> routes) {
    return transactions.run(
        "read what was counted", c -> rollups.read(c, from, until, step, routes));
  }

  @Override
  public ChangeOutcome cancel(MessageKey key, @Nullable String actor) {
    return change("cancel " + key, key, MessageChange.cancel(), actor);
  }

  @Override
  public ChangeOutcome reschedule(MessageKey key, Instant deliverAt, @Nullable String actor) {
    if (deliverAt.isAfter(DelayLimits.LATEST)) {
      throw new IllegalArgumentException(
          "%s cannot be due at %s; the latest allowed: %s"
              .formatted(key, deliverAt, DelayLimits.LATEST));
    }
    return change("reschedule " + key, key, MessageChange.rescheduleTo(deliverAt), actor);
  }

  @Override
  public ChangeOutcome retry(MessageKey key, @Nullable String actor) {
    return change("retry " + key, key, MessageChange.retry(), actor);
  }

  private ChangeOutcome change(
      String what, MessageKey key, MessageChange change, @Nullable String actor) {
    return transactions.write(what, c -> changes.one(c, key, change, actor));
  }

  @Override
  public ManyChanged changeMany(MessageQuery filter, MessageChange change, @Nullable String actor) {
    String what = "change messages";
    Changes.Many many = transactions.write(what, c -> changes.many(c, filter, change, actor));
    while (!many.locked().isEmpty()) {
      Changes.Many before = many;
      try {
        many =
            transactions.write(
                what, LOCK_WAIT_OF_CHANGES, c -> changes.locked(c, before, true, filter, actor));
      } catch (RowLockedException e) {
        many = withoutTheLocked(before, filter, actor);
      } catch (StoreException e) {
        throw new PartlyChangedException(before.busy().changed(), e);
      }
    }
    return many.changed();
  }

  private Changes.Many withoutTheLocked(
      Changes.Many before, MessageQuery filter, @Nullable String actor) {
    try {
      return transactions
          .write("change messages", c -> changes.locked(c, before, false, filter, actor))
          .busy();
    } catch (StoreException e) {
      throw new PartlyChangedException(before.busy().changed(), e);
    }
  }

  @Override
  public List<Claim> claim(ClaimRequest request) {
    return transactions.run("claim messages", c -> claims.claim(c, request));
  }

  @Override
  public Optional<Claim> claim(MessageKey key, Instant horizon, Lease lease) {
    return transactions.run("claim " + key, c -> claims.claim(c, key, horizon, lease));
  }

  @Override
  public List<String> routesDue(Instant horizon, @Nullable Set<String> among) {
    return transactions.run(
        "name the routes that are due", c -> claims.routesDue(c, horizon, among));
  }

  @Override
  public List<Ended> conclude(List<Conclusion> conclusions) {
    return transactions.write("end claims", c -> claims.conclude(c, conclusions));
  }

  @Override
  public List<Overdue> overdue(Instant dueBefore) {
    return transactions.run("tell what is overdue", c -> overdueRows.overdue(c, dueBefore));
  }

  @Override
  public int returnOverdue(String route, Instant dueBefore, Instant heldBefore, int limit) {
    return transactions.run(
        "return overdue messages of " + route,
        c -> overdueRows.returnOverdue(c, route, dueBefore, heldBefore, limit));
  }

  @Override
  public int deleteFinished(Retention retention, int limit) {
    return transactions.run("delete finished messages", c -> finished.delete(c, retention, limit));
  }

  @Override
  public Instant rollUp(Instant until) {
    return transactions.run("count what happened", c -> rollups.count(c, until));
  }

  @Override
  public void heartbeat(LoaderHeartbeat heartbeat) {
    transactions.write(
        "take a heartbeat",
        c -> {
          heartbeats.write(c, heartbeat);
          return true;
        });
  }

  @Override
  public List<LoaderHeartbeat> heartbeats() {
    return transactions.run("tell heartbeats", heartbeats::read);
  }

  @Override
  public Optional<BrokerIdentity> broker() {
    return transactions.run("tell its broker", broker::read);
  }

  @Override
  public BrokerIdentity noteBroker(BrokerIdentity there) {
    Optional<BrokerIdentity> noted = broker();
    if (noted.isPresent()) {
      return noted.get();
    }
    try {
      return transactions.run("note its broker", c -> broker.insert(c, there));
    } catch (StoreUnchangedException e) {
      return broker().orElseThrow(() -> e); // another process has noted one
    }
  }

  @Override
  public void adoptBroker(BrokerIdentity there) {
    transactions.run("note its broker", c -> broker.replace(c, there));
  }

  @Override
  public List<Begun> begin(List<Beginning> copies, Duration lease) {
    return transactions.run("begin handlings", c -> handlings.begin(c, copies, lease));
  }

  @Override
  public List<Ended> end(List<Ending> endings) {
    return transactions.write("end handlings", c -> handlings.end(c, endings));
  }

  @Override
  public List<Boolean> extend(List<Handling> begun, Duration lease) {
    return transactions.run("renew handlings", c -> handlings.extend(c, begun, lease));
  }

  @Override
  public List<StoredSchedule> schedules() {
    return transactions.run("list schedules", schedules::all);
  }

  @Override
  public Optional<StoredSchedule> schedule(String name) {
    return transactions.run("find schedule " + name, c -> schedules.find(c, name));
  }

  @Override
  public ScheduleTotals scheduleTotals() {
    return transactions.run("count schedules", schedules::totals);
  }

  @Override
  public ScheduleChanged change(
      String name,
      Function<FoundSchedule, List<MessageKey>> withdraw,
      Function<FoundSchedule, ScheduleChange> change) {
    return transactions.write(
        "change schedule " + name,
        LOCK_WAIT_OF_ONE,
        c -> schedules.change(c, name, withdraw, change));
  }

  @Override
  public Fired fireDue(Duration ahead, int limit, Function<FoundSchedule, ScheduleChange> change) {
    List<ScheduleChanged> changed = new ArrayList<>();
    Map<String, RuntimeException> failed = new LinkedHashMap<>();
    for (String name :
        transactions.run("find the schedules that are due", c -> schedules.due(c, ahead, limit))) {
      try {
        transactions
            .write(
                "fire schedule " + name,
                LOCK_WAIT_OF_MANY,
                c -> schedules.fire(c, name, ahead, change))
            .map(JdbcDelayStore::withoutPayload)
            .ifPresent(changed::add);
      } catch (StoreException e) {
        failed.put(name, e);
        now(); // else each schedule would find out that the database is away
      } catch (RuntimeException e) {
        failed.put(name, e);
      }
    }
    return new Fired(changed, failed);
  }

  /** Without the payload, so that of a thousand that fire only one is in memory at a time. */
  private static ScheduleChanged withoutPayload(ScheduleChanged done) {
    StoredSchedule schedule = done.change().schedule();
    return new ScheduleChanged(
        ScheduleChange.none(schedule == null ? null : schedule.withoutPayload()), done.inserted());
  }

  @Override
  public List<MessageMark> withIdsFrom(String route, String idPrefix, int limit) {
    return transactions.run("list messages", c -> schedules.withIdsFrom(c, route, idPrefix, limit));
  }

  /**
   * Settles in the transaction of a {@link Connection}; for handlers see {@link
   * io.pocketwatch.guard.GuardedDelivery#settleIn}.
   *
   * @throws IllegalArgumentException if it is no connection, or in auto-commit mode
   */
  @Override
  public boolean settleIn(Object transaction, Handling handling) {
    if (!(transaction instanceof Connection connection)) {
      throw new IllegalArgumentException(
          "this store settles in a java.sql.Connection, not in a "
              + transaction.getClass().getName());
    }
    return join(
        "settle " + handling.key(), connection, joined -> handlings.settle(joined, handling));
  }

  private static <T> T join(String what, Connection connection, Transactions.Work<T> work) {
    try {
      if (connection.getAutoCommit()) {
        throw new IllegalArgumentException(
            "the connection is in auto-commit mode: there is no transaction to join");
      }
      return work.run(connection);
    } catch (SQLException e) {
      throw new StoreException("the database could not " + what + ": " + Jdbc.words(e), e);
    }
  }
}
