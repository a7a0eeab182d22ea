// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.ChangeOutcome;
import io.pocketwatch.config.DelayRoute.Tracking;
import io.pocketwatch.store.Claim;
import io.pocketwatch.store.Claim.Lease;
import io.pocketwatch.store.Conclusion;
import io.pocketwatch.store.LoadingStore.ClaimRequest;
import io.pocketwatch.store.LoadingStore.Retention;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.SchedulingStore.InsertOutcome;
import io.pocketwatch.store.SettlingStore.Beginning;
import io.pocketwatch.store.SettlingStore.Begun;
import io.pocketwatch.store.SettlingStore.Begun.Verdict;
import io.pocketwatch.store.SettlingStore.Ended;
import io.pocketwatch.store.SettlingStore.Ending;
import io.pocketwatch.store.SettlingStore.Handling;
import io.pocketwatch.store.SettlingStore.Postponement;
import io.pocketwatch.store.StoredMessage;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * One order of events that a row sees, with its senders, the broker's copies and their consumers.
 * {@link RowModel} says what the store must answer; what must hold of any store is said here.
 *
 * <p>Time passes by whole hours: the row's instants are moved back in the database. An order takes
 * seconds, so how fast the machine is makes no difference.
 */
final class RowOrder {
  /** One line of an order. */
  record Event(RowStep step, int which) {
    @Override
    public String toString() {
      return step.words + " (" + which + ")";
    }
  }

  private static final String QUEUE = "q";

  /** Where a reject leads, and what a second binding leads to. */
  private static final String RETRY_QUEUE = "q2";

  private static final String TIMES =
      Stream.of(
              "deliver_at",
              "first_deliver_at",
              "next_at",
              "lease_until",
              "begun_at",
              "held_until",
              "finished_at")
          .map(column -> column + " = " + column + " - 3600000 * ?")
          .collect(Collectors.joining(", "));

  /** In a queue, or unacknowledged. */
  private record Copy(String queue, int generation, int due, int number) {}

  /** Who has claimed it once. */
  private static final class Sender {
    final Claim claim;
    final RowModel.Claimed expected;
    boolean published;
    boolean over;
    Conclusion.@Nullable Kind said;

    Sender(Claim claim, RowModel.Claimed expected) {
      this.claim = claim;
      this.expected = expected;
    }
  }

  /** A copy that has arrived, and its token. */
  private static final class Handler {
    final Handling handling;
    final Beginning asked;
    final Copy copy;

    /** Else it is back in its queue. */
    boolean hasCopy = true;

    /** Whether the consumer knows that it handles. */
    boolean told;

    boolean over;

    /** As it was promised by the store; in the past if nothing was. */
    int leaseUntil = Integer.MIN_VALUE;

    Ending.@Nullable Kind said;

    Handler(Beginning asked, Copy copy) {
      this.asked = asked;
      this.handling = asked.handling();
      this.copy = copy;
    }
  }

  private final JdbcDelayStore store;
  private final DataSource dataSource;
  private final List<Event> events;
  private final int seed;
  private final MessageKey key;
  private final Instant base;
  private final RowModel model = new RowModel();
  private final List<Sender> senders = new ArrayList<>();
  private final List<Copy> queued = new ArrayList<>();
  private final List<Handler> handlers = new ArrayList<>();
  private final List<String> told = new ArrayList<>();
  private int numbers;
  private int firstDue;
  private boolean inserted;
  private boolean copyLost;
  private boolean asked;

  // What must hold, whatever the model says
  private int notBefore;
  private boolean cancelled;
  private @Nullable String settledBy;

  RowOrder(JdbcDelayStore store, DataSource dataSource, long seed, List<Event> events) {
    this.store = store;
    this.dataSource = dataSource;
    this.events = events;
    this.seed = (int) seed;
    this.key = new MessageKey("walk", "m" + seed);
    this.base = store.now();
  }

  /**
   * Lets it all happen.
   *
   * @return what was told of it
   */
  List<String> run() {
    try {
      insert(seed, seed % 2 == 0 ? "publisher" : null);
      for (Event each : events) {
        happen(each);
      }
      calm();
      return told;
    } finally {
      sql("DELETE FROM pocketwatch_message WHERE route = ? AND id = ?", key.route(), key.id());
    }
  }

  private void happen(Event event) {
    try {
      event.step.action.accept(this, event.which);
      check();
    } catch (AssertionError e) {
      throw new AssertionError("at " + event + ": " + e.getMessage(), e);
    }
  }

  /** The store, which may have changed the row by then. */
  private JdbcDelayStore asked() {
    asked = true;
    return store;
  }

  private void check() {
    if (!asked) {
      return; // there was nothing for that to happen to
    }
    asked = false;
    Optional<StoredMessage> found = store.find(key);
    assertThat(found.isPresent()).as("there is a row").isEqualTo(model.state != null);
    if (found.isEmpty()) {
      return;
    }
    StoredMessage row = found.get();
    assertThat(line(row)).isEqualTo(line());
    if (row.state() == MessageState.HELD && !copyLost) {
      assertThat(copiesOf(row.generation())).as("copies of what waits in its queue").isPositive();
    }
  }

  private long copiesOf(int generation) {
    return Stream.concat(
            queued.stream(),
            handlers.stream().filter(each -> !each.over && each.hasCopy).map(each -> each.copy))
        .filter(copy -> copy.generation == generation)
        .count();
  }

  private String line(StoredMessage row) {
    return "%s, generation %d, due %d, next %d to %s, attempts %d, held until %s, %s"
        .formatted(
            row.state(),
            row.generation(),
            hour(row.deliverAt()),
            hour(row.nextAt()),
            row.nextQueue(),
            row.attempts(),
            row.heldUntil() == null ? null : hour(row.heldUntil()),
            row.reason());
  }

  private String line() {
    return "%s, generation %d, due %d, next %d to %s, attempts %d, held until %s, %s"
        .formatted(
            model.state,
            model.generation,
            model.due,
            model.next,
            model.nextQueue,
            model.attempts,
            model.heldUntil,
            model.reason);
  }

  private Instant instant(int hour) {
    return base.plus(Duration.ofHours(hour - model.clock));
  }

  private int hour(Instant instant) {
    return model.clock
        + (int) Math.floorDiv(Duration.between(base, instant).toMillis(), 3_600_000L);
  }

  /** Of what is due in this hour. */
  private Instant horizon(int hours) {
    return base.plus(Duration.ofHours(hours)).plus(Duration.ofMinutes(30));
  }

  private void sql(String statement, Object... parameters) {
    try (Connection connection = dataSource.getConnection()) {
      Jdbc.update(connection, statement, parameters);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static <T> @Nullable T one(List<T> all, int which) {
    return all.isEmpty() ? null : all.get(which % all.size());
  }

  // Who sends it

  void insert(int which, @Nullable String publisher) {
    int due = inserted ? firstDue : which % 3;
    int length = which / 3 % 3;
    Lease lease = publisher == null ? null : new Lease(publisher, Duration.ofHours(length));
    ScheduledMessage message =
        new ScheduledMessage(
            key, null, "x", "r", new byte[0], new byte[0], instant(due), Tracking.FULL);
    if (inserted && model.state == null) {
      return; // its id is unknown from then on
    }
    assertThat(asked().insert(List.of(message), lease))
        .containsExactly(inserted ? InsertOutcome.DUPLICATE : InsertOutcome.INSERTED);
    if (inserted) {
      return;
    }
    inserted = true;
    firstDue = due;
    notBefore = due;
    model.insert(due, publisher, length);
    if (publisher != null) {
      StoredMessage row = StoredMessage.inserted(message, base);
      senders.add(
          new Sender(new Claim(row, publisher, 1, false), new RowModel.Claimed(1, 1, null, false)));
    }
  }

  void load(int which) {
    int before = senders.size();
    claim(which);
    if (senders.size() > before) {
      Sender sender = senders.get(before);
      publish(sender);
      conclude(sender, Conclusion.Kind.SENT, which);
    }
  }

  void claim(int which) {
    int ahead = which % 4 == 0 ? 1 : 0;
    if (which % 3 == 0) { // which takes longer than to claim
      Set<String> among = which % 2 == 0 ? Set.of(key.route()) : null;
      assertThat(isDue(ahead, among) || among != null && claimable(ahead) && isDue(ahead, null))
          .as("there is something to claim")
          .isEqualTo(claimable(ahead));
    }
    Lease lease = lease(which);
    ClaimRequest request = new ClaimRequest(key.route(), horizon(ahead), 10, 1 << 20, lease);
    List<Claim> claims = asked().claim(request);
    if (claims.isEmpty() && claimable(ahead)) { // it came to lie below where the store looks
      told.add("found by a look in full");
      assertThat(isDue(ahead, null)).as("seen by a look in full").isTrue();
      claims = store.claim(request);
    }
    claimed(claims, lease, ahead);
  }

  private boolean claimable(int ahead) {
    return model.claimable(model.clock + ahead);
  }

  /** A loader looks in full each minute, and so finds what other looks do not. */
  private boolean isDue(int ahead, @Nullable Set<String> among) {
    return asked().routesDue(horizon(ahead), among).contains(key.route());
  }

  void claimOne(int which) {
    Lease lease = lease(which);
    claimed(asked().claim(key, horizon(0), lease).stream().toList(), lease, 0);
  }

  private static Lease lease(int which) {
    return new Lease(which % 2 == 0 ? "A" : "B", Duration.ofHours(which / 2 % 3));
  }

  private void claimed(List<Claim> claims, Lease lease, int ahead) {
    RowModel.Claimed expected =
        model.claim(lease.owner(), model.clock + ahead, (int) lease.length().toHours());
    assertThat(
            claims.stream()
                .map(
                    claim ->
                        new RowModel.Claimed(
                            claim.message().generation(),
                            claim.fence(),
                            claim.message().nextQueue(),
                            claim.abandoned())))
        .as("claimed")
        .isEqualTo(Stream.ofNullable(expected).toList());
    if (expected != null) {
      assertThat(leases()).as("leases of consumers when a loader claims").isEmpty();
      senders.add(new Sender(claims.get(0), expected));
    }
  }

  /** Those that run. */
  private List<String> leases() {
    return handlers.stream()
        .filter(each -> each.leaseUntil > model.clock)
        .map(each -> each.handling.token())
        .toList();
  }

  void publish(int which) {
    Sender sender = one(senders.stream().filter(each -> !each.over).toList(), which);
    if (sender != null) {
      publish(sender);
    }
  }

  private void publish(Sender sender) {
    sender.published = true;
    String queue = sender.claim.message().nextQueue();
    queued.add(
        new Copy(
            queue == null ? QUEUE : queue, sender.expected.generation(), dueOf(sender), numbers++));
  }

  /** As the claim says it; time may have passed since. */
  private int dueOf(Sender sender) {
    return sender.expected.generation() == model.generation
        ? model.due
        : Integer.MIN_VALUE; // it is outdated, and nobody asks when it was due
  }

  void conclude(int which, Conclusion.Kind kind) {
    Sender sender = one(senders.stream().filter(each -> !each.over).toList(), which);
    if (sender != null && (sender.published || kind != Conclusion.Kind.SENT)) {
      conclude(sender, kind, which);
    }
  }

  /** By one whose fence is old, or whose answer was lost. */
  void concludeAgain(int which) {
    Sender sender = one(senders.stream().filter(each -> each.said != null).toList(), which);
    if (sender != null) {
      conclude(sender, Objects.requireNonNull(sender.said), which);
    }
  }

  private void conclude(Sender sender, Conclusion.Kind kind, int which) {
    int held = Math.max(model.clock, model.due);
    int pause = which % 3;
    Claim claim = sender.claim;
    Conclusion conclusion =
        switch (kind) {
          case SENT -> Conclusion.sent(claim, instant(held));
          case GIVE_BACK -> Conclusion.giveBack(claim);
          case POSTPONE -> Conclusion.postpone(claim, Duration.ofHours(pause), "refused");
          case PARK -> Conclusion.park(claim, "refused");
          case DELETE -> Conclusion.delete(claim);
        };
    boolean unknown = sender.published && kind != Conclusion.Kind.SENT;
    Ended expected = model.conclude(claim.owner(), sender.expected, kind, held, pause, unknown);
    assertThat(asked().conclude(List.of(unknown ? conclusion.unknown() : conclusion)))
        .as("conclude")
        .containsExactly(expected);
    if (expected == Ended.APPLIED) {
      assertThat(leases()).as("leases of consumers when a loader concludes").isEmpty();
    }
    sender.over = true;
    sender.said = kind;
    told.add("concluded " + kind + " " + expected);
  }

  // Who handles it

  void begin(int which, boolean slowClock, boolean answered) {
    Copy copy = one(queued, which);
    if (copy != null) {
      begin(copy, slowClock, answered, which / 7 % 3);
    }
  }

  private Verdict begin(Copy copy, boolean slowClock, boolean answered, int lease) {
    Handling handling = new Handling(key, copy.queue, "t" + numbers++);
    boolean early = slowClock || copy.due > model.clock;
    Handler handler = new Handler(new Beginning(handling, copy.generation, early), copy);
    queued.remove(copy);
    handlers.add(handler);
    return ask(handler, answered, lease);
  }

  void beginAgain(int which) {
    Handler handler =
        one(handlers.stream().filter(each -> !each.over && each.said == null).toList(), which);
    if (handler != null) {
      Verdict verdict = ask(handler, true, which / 7 % 3);
      copyLost |= verdict == Verdict.HANDLE && copiesOf(handler.copy.generation) == 0; // see ROW.md
    }
  }

  private Verdict ask(Handler handler, boolean answered, int lease) {
    Begun expected = model.begin(handler.asked, lease);
    Begun begun = asked().begin(List.of(handler.asked), Duration.ofHours(lease)).get(0);
    assertThat(begun).as("begin").isEqualTo(expected);
    told.add("begun " + begun.verdict());
    if (begun.verdict() == Verdict.HANDLE) {
      handler.leaseUntil = Integer.MIN_VALUE;
      assertThat(leases()).as("leases of others").isEmpty();
      assertThat(cancelled).as("handled after it was cancelled").isFalse();
      assertThat(settledBy).as("handled after it was settled").isNull();
      assertThat(model.clock).as("handled early").isGreaterThanOrEqualTo(notBefore);
      handler.leaseUntil = model.clock + lease;
    }
    if (!answered) {
      return begun.verdict();
    }
    switch (begun.verdict()) {
      case HANDLE -> handler.told = true;
      case SETTLED, CANCELLED, OUTDATED, BUSY, UNKNOWN -> handler.over = true;
      case OTHER_CONSUMER, LOCKED -> comesAgain(handler);
      case EARLY -> throw new AssertionError("a row sends its copies in time");
    }
    return begun.verdict();
  }

  private void comesAgain(Handler handler) {
    handler.over = true;
    if (handler.hasCopy) {
      queued.add(handler.copy);
    }
  }

  void beginFuture(int which) {
    if (model.state != null) {
      Beginning copy =
          new Beginning(
              new Handling(key, QUEUE, "t" + numbers++), model.generation + 1, which % 2 == 0);
      assertThat(asked().begin(List.of(copy), Duration.ofHours(1)))
          .containsExactly(model.begin(copy, 1));
    }
  }

  private @Nullable Handler handler(int which) {
    return one(handlers.stream().filter(each -> each.told && !each.over).toList(), which);
  }

  void extend(int which) {
    Handler handler = which % 3 == 0 ? one(handlers, which) : handler(which);
    if (handler != null) {
      int lease = which % 2 + 1;
      boolean expected = model.extend(handler.handling.token(), lease);
      assertThat(asked().extend(List.of(handler.handling), Duration.ofHours(lease)))
          .as("extend")
          .containsExactly(expected);
      if (expected) {
        handler.leaseUntil = model.clock + lease;
      }
    }
  }

  /** It changes nothing, and the contract of joined transactions has it. */
  private static final EnumSet<Ending.Kind> ASKED = EnumSet.of(Ending.Kind.SETTLED_IN);

  static Ending.Kind kind(int which) {
    Ending.Kind[] said = EnumSet.complementOf(ASKED).toArray(Ending.Kind[]::new);
    return said[which % said.length];
  }

  void end(int which, Ending.Kind kind, boolean answered) {
    Handler handler = handler(which);
    if (handler != null) {
      Ending.Kind said = handler.said == null ? kind : handler.said;
      Ended end = end(handler, said, which);
      if (answered) {
        ended(handler, said, end);
      }
    }
  }

  private Ended end(Handler handler, Ending.Kind kind, int which) {
    int until = model.clock + which % 3;
    boolean retry = which % 2 == 0;
    Handling handling = handler.handling;
    Ending ending =
        switch (kind) {
          case SETTLE -> Ending.settle(handling);
          case FAIL -> Ending.fail(handling, "no stock");
          case PARK -> Ending.park(handling, "no stock");
          case REQUEUE -> Ending.requeue(handling, null);
          case SETTLED_IN -> Ending.settledIn(handling);
          case POSTPONE ->
              Ending.postpone(
                  handling,
                  new Postponement(instant(until), handling.consumer(), retry),
                  "no stock");
        };
    Ended expected = model.end(handling.token(), kind, until, handling.consumer(), retry);
    assertThat(asked().end(List.of(ending))).as("end " + kind).containsExactly(expected);
    told.add("ended " + kind + " " + expected);
    handler.said = kind;
    if (expected == Ended.APPLIED) {
      handler.leaseUntil = Integer.MIN_VALUE;
      assertThat(leases()).as("leases of others").isEmpty();
      if (kind == Ending.Kind.SETTLE) {
        settled(handling.token());
      } else if (kind == Ending.Kind.POSTPONE) {
        notBefore = until;
      }
    }
    return expected;
  }

  private void settled(String token) {
    assertThat(settledBy).as("settled before by").isIn(null, token);
    assertThat(cancelled).as("settled after it was cancelled").isFalse();
    settledBy = token;
  }

  /** As the guard answers the broker. */
  private void ended(Handler handler, Ending.Kind kind, Ended end) {
    handler.over = true;
    boolean applied = end == Ended.APPLIED;
    if (!handler.hasCopy || kind == Ending.Kind.SETTLE) {
      return;
    }
    if (kind == Ending.Kind.REQUEUE || !applied) {
      queued.add(handler.copy);
    } else if (kind == Ending.Kind.FAIL) {
      Copy copy = handler.copy;
      queued.add(new Copy(RETRY_QUEUE, copy.generation, copy.due, copy.number));
    }
  }

  void settleJoined(int which) {
    Handler handler = which % 5 == 0 ? one(handlers, which) : handler(which);
    if (handler == null) {
      return;
    }
    boolean again =
        model.state == MessageState.SETTLED
            || handler.said != null && handler.said != Ending.Kind.SETTLE;
    String token = handler.handling.token();
    Ended expected =
        again ? Ended.OVERTAKEN : model.end(token, Ending.Kind.SETTLE, 0, QUEUE, false);
    boolean settled;
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      settled = asked().settleIn(connection, handler.handling);
      connection.commit();
      connection.setAutoCommit(true);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    assertThat(settled).as("settled in a transaction").isEqualTo(expected == Ended.APPLIED);
    if (settled) {
      handler.leaseUntil = Integer.MIN_VALUE;
      assertThat(settledBy).as("settled before").isNull();
      settled(token);
      handler.over = true;
    } else if (!handler.over) {
      comesAgain(handler);
    }
  }

  void endAgain(int which) {
    Handler handler = one(handlers.stream().filter(each -> each.said != null).toList(), which);
    if (handler != null) {
      end(handler, which % 3 == 0 ? kind(which) : Objects.requireNonNull(handler.said), which);
    }
  }

  void endWrong(int which) {
    Ending ending = Ending.requeue(new Handling(key, QUEUE, "t" + numbers++), null);
    assertThat(asked().end(List.of(ending))).containsExactly(Ended.OVERTAKEN);
  }

  /** What it was handed counts as begun; the broker sends its copy again. */
  void loseConnection(int which) {
    Handler handler =
        one(handlers.stream().filter(each -> !each.over && each.hasCopy).toList(), which);
    if (handler != null) {
      handler.hasCopy = false;
      queued.add(handler.copy);
    }
  }

  void die(int which) {
    Handler handler = one(handlers.stream().filter(each -> !each.over).toList(), which);
    if (handler != null) {
      comesAgain(handler);
    }
  }

  // Whoever else

  void cancel() {
    if (changed(asked().cancel(key), model.cancel())) {
      cancelled = true;
    }
  }

  void reschedule(int which) {
    int to = model.clock + which % 4 - 1;
    if (changed(asked().reschedule(key, instant(to)), model.reschedule(to))) {
      notBefore = to;
    }
  }

  void retry() {
    if (changed(asked().retry(key), model.retry())) {
      notBefore = model.due;
    }
  }

  private boolean changed(ChangeOutcome outcome, ChangeOutcome expected) {
    assertThat(outcome).as("changed").isEqualTo(expected);
    told.add("changed " + outcome);
    if (outcome == ChangeOutcome.DONE) {
      assertThat(leases()).as("leases when it is changed").isEmpty();
    }
    return outcome == ChangeOutcome.DONE;
  }

  void returnOverdue() {
    assertThat(asked().returnOverdue(key.route(), horizon(0), horizon(0), 10))
        .as("returned")
        .isEqualTo(model.returnOverdue() ? 1 : 0);
  }

  void deleteFinished(int which) {
    int keep = which % 3;
    assertThat(asked().deleteFinished(new Retention(Duration.ofHours(keep), Duration.ZERO), 10))
        .as("deleted")
        .isEqualTo(model.deleteFinished(keep) ? 1 : 0);
  }

  void fanOut(int which) {
    Copy copy = one(queued, which);
    if (copy != null) {
      queued.add(new Copy(RETRY_QUEUE, copy.generation, copy.due, numbers++));
    }
  }

  void loseCopy(int which) {
    Copy copy = one(queued, which);
    if (copy != null) {
      queued.remove(copy);
      copyLost = true;
    }
  }

  void pass(int hours) {
    model.clock += hours;
    Object[] parameters = new Object[9];
    Arrays.fill(parameters, hours);
    parameters[7] = key.route();
    parameters[8] = key.id();
    asked();
    sql("UPDATE pocketwatch_message SET " + TIMES + " WHERE route = ? AND id = ?", parameters);
  }

  // How it ends

  /** All who had it are gone; a loader, and consumers without faults, see to it that it ends. */
  private void calm() {
    for (Handler each : handlers) {
      if (!each.over) {
        comesAgain(each);
      }
    }
    List<Copy> others = new ArrayList<>(); // which wait for a person
    for (int i = 0; i < 8 && !(hasEnded() && others.containsAll(queued)); i++) {
      others.clear();
      happen(new Event(RowStep.LOAD, 2));
      if (copyLost) {
        happen(new Event(RowStep.RETURN, 0));
      }
      for (Copy copy : List.copyOf(queued)) {
        if (begin(copy, false, true, 1) == Verdict.OTHER_CONSUMER) {
          others.add(copy);
        }
        check();
        Handler handler = handlers.get(handlers.size() - 1);
        if (!handler.over) {
          ended(handler, Ending.Kind.SETTLE, end(handler, Ending.Kind.SETTLE, 0));
          check();
        }
      }
      pass(1);
    }
    assertThat(hasEnded()).as("it has ended: " + line()).isTrue();
    assertThat(others).as("with another consumer, of what is left in queues").containsAll(queued);
  }

  private boolean hasEnded() {
    return model.state == null || model.state.finished();
  }
}
