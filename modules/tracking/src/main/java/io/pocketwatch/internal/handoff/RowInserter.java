// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.handoff;

import io.pocketwatch.DelayStrategy;
import io.pocketwatch.InvalidMessageException;
import io.pocketwatch.PocketwatchException;
import io.pocketwatch.PublishOutcome;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.PublishReceipt.Cause;
import io.pocketwatch.config.PublisherOptions;
import io.pocketwatch.handoff.HandOff.Prepared;
import io.pocketwatch.internal.base.CallbackThread;
import io.pocketwatch.internal.base.DurationText;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.internal.base.InFlightLimit;
import io.pocketwatch.internal.base.Scheduler;
import io.pocketwatch.internal.batch.Batches;
import io.pocketwatch.internal.batch.Line;
import io.pocketwatch.internal.plan.Submission;
import io.pocketwatch.store.Claim.Lease;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.IdConflictException;
import io.pocketwatch.store.ScheduledMessage;
import io.pocketwatch.store.SchedulingStore.InsertOutcome;
import io.pocketwatch.store.StoreException.RowLockedException;
import io.pocketwatch.store.StoreException.StoreUnchangedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Inserts the row of a message. The message passes the insert limit, is inserted in a batch with
 * others, and answered when that is committed. Within the horizon it is then handed off in the
 * background.
 */
public final class RowInserter {
  private static final Logger LOG = LoggerFactory.getLogger(RowInserter.class);
  private static final int LARGEST_BATCH = 1_000;
  private static final int WRITERS = 2;
  private static final long LOOK_EVERY_MS = 500;

  /**
   * The wait of each batch for room, so that inserts go no faster than the broker takes messages.
   * It is short, since a broker that takes nothing must not keep messages from being stored.
   */
  private static final Duration PATIENCE_FOR_ROOM = Duration.ofSeconds(1);

  private final DelayStore store;
  private final OwnBroker broker;
  private final PublisherOptions options;
  private final DefaultHandOff handOffs;
  private final CallbackThread callbacks;
  private final InsertRateLimits limits;
  private final InFlightLimit places;
  private final Batches<Insert> inserts;

  /** The unanswered inserts, by their futures. */
  private final Map<CompletableFuture<PublishReceipt>, Insert> open = new ConcurrentHashMap<>();

  private final AtomicBoolean looking = new AtomicBoolean();
  private final Scheduler time;
  private final ScheduledExecutorService timer;

  public RowInserter(
      DelayStore store,
      OwnBroker broker,
      InsertRateLimits limits,
      DefaultHandOff handOffs,
      CallbackThread callbacks,
      Scheduler time) {
    this.store = store;
    this.broker = broker;
    this.options = handOffs.routes().publisher();
    this.limits = limits;
    // More than wait and are being written: those whose callbacks have not been run.
    this.places = new InFlightLimit(2 * options.maxInFlight() + WRITERS * LARGEST_BATCH, callbacks);
    this.handOffs = handOffs;
    this.callbacks = callbacks;
    this.time = time;
    this.timer = time.timer("pocketwatch-insert-timer", 1);
    this.inserts =
        new Batches<>(
            time,
            "pocketwatch-insert",
            Line.inOrder(),
            new Batches.Limits<>( // each has a place, which is weighed
                options.maxInFlight(), each -> 0, LARGEST_BATCH, WRITERS, Batches.APART),
            this::insert);
  }

  /**
   * Stores a message. The future ends within twice the confirm timeout, whatever the store does.
   *
   * @param reason why it gets a row
   */
  public CompletableFuture<PublishReceipt> publish(Submission submission, String reason) {
    CompletableFuture<PublishReceipt> future = new CompletableFuture<>();
    long deadline = time.nanoTime() + options.confirmTimeout().toNanos();
    try {
      Prepared prepared = handOffs.prepare(submission);
      Insert insert = new Insert(submission, reason, prepared, future);
      if (!limits.allow(submission.route())) {
        future.complete(
            receipt(
                insert,
                PublishOutcome.REJECTED,
                Cause.INSERT_LIMIT,
                "over the route's insert-limit",
                false));
        return future;
      }
      if (!places.enter(insert.bodyLength(), options.confirmTimeout())) {
        future.complete(receipt(insert, PublishOutcome.REJECTED, Cause.NO_ROOM, noRoom(), false));
        return future;
      }
      open.put(future, insert);
      expireLater();
      Duration left = Duration.ofNanos(deadline - time.nanoTime());
      if (!inserts.add(insert, callbacks.patience(left))) {
        Cause cause = inserts.closed() ? Cause.PUBLISHER_CLOSED : Cause.NO_ROOM;
        future.complete(receipt(insert, PublishOutcome.REJECTED, cause, noRoom(), false));
        leave(insert, () -> {});
      }
    } catch (PocketwatchException e) {
      future.completeExceptionally(e);
    }
    return future;
  }

  private String noRoom() {
    return callbacks.isCurrentThread()
        ? "the store has not taken earlier messages yet, nothing was stored"
        : "the store did not take earlier messages in time, nothing was stored";
  }

  private void expireLater() {
    if (!looking.get() && looking.compareAndSet(false, true)) {
      try {
        ScheduledFuture<?> unused =
            timer.schedule(this::expireSome, LOOK_EVERY_MS, TimeUnit.MILLISECONDS);
      } catch (RejectedExecutionException e) {
        LOG.debug("Closed: what is open ends with that", e);
      }
    }
  }

  private void expireSome() {
    try {
      expire();
    } catch (RuntimeException | Error e) { // futures would stay open
      LOG.warn("Looking again for what the store has not answered failed", e);
    } finally {
      looking.set(false); // before it looks for what is open: that looks at this afterwards
      if (!open.isEmpty()) {
        expireLater();
      }
    }
  }

  /** Answers late inserts: to a lost machine a statement waits for as long as the driver does. */
  private void expire() {
    Duration patience = options.confirmTimeout().multipliedBy(2);
    String detail = "no answer from the store within " + DurationText.format(patience);
    for (Insert each : open.values()) {
      if (time.nanoTime() - each.prepared.nanoTime() >= patience.toNanos()) {
        end(each, PublishOutcome.UNCERTAIN, Cause.STORE, detail, false);
      }
    }
  }

  private void insert(List<Insert> batch) {
    List<Runnable> last = new ArrayList<>();
    batch.stream()
        .collect(Collectors.groupingBy(each -> Optional.ofNullable(each.prepared.lease())))
        .forEach(
            (lease, those) ->
                insert(those, handOffs.ifRoom(lease.orElse(null), those.size()), last));
    last.forEach(Runnable::run);
  }

  /**
   * @param last takes the inserts that may wait for a lock: each runs alone, after the others
   * @return whether the store has answered
   */
  private boolean insert(List<Insert> batch, @Nullable Lease lease, List<Runnable> last) {
    List<ScheduledMessage> rows = batch.stream().map(each -> each.prepared.row()).toList();
    List<InsertOutcome> outcomes;
    try {
      broker.require();
      outcomes = store.insert(rows, lease);
    } catch (IllegalArgumentException e) { // one row is impossible, and nothing was stored
      if (batch.size() > 1) {
        batch.forEach(each -> insert(List.of(each), lease, last));
      } else {
        impossible(batch.get(0), e);
      }
      return false;
    } catch (RowLockedException e) {
      if (batch.size() > 1) { // halved, those that nobody locks are soon through
        halve(
            batch,
            half -> {
              if (half.size() > 1) {
                insert(half, lease, last);
              } else {
                last.add(() -> insert(half, lease, last));
              }
            });
      } else {
        rejected(batch, e);
      }
      return true;
    } catch (StoreUnchangedException e) {
      if (batch.size() > 1 && isInTime(batch.get(0))) {
        refused(batch, lease, last, e);
      } else {
        rejected(batch, e);
      }
      return false;
    } catch (RuntimeException | Error e) { // whatever it is, no future may stay open
      String detail = "the store did not say whether it has it: " + ErrorWords.of(e);
      batch.forEach(each -> end(each, PublishOutcome.UNCERTAIN, Cause.STORE, detail, false));
      return false;
    }
    long roomUntil = time.nanoTime() + PATIENCE_FOR_ROOM.toNanos();
    for (int i = 0; i < rows.size(); i++) {
      Insert each = batch.get(i);
      switch (outcomes.get(i)) {
        case INSERTED -> {
          end(each, PublishOutcome.CONFIRMED, Cause.NONE, "", false);
          if (lease != null) {
            Duration patience = Duration.ofNanos(Math.max(0, roomUntil - time.nanoTime()));
            handOffs.committed(each.prepared, patience);
          }
        }
        case DUPLICATE -> end(each, PublishOutcome.CONFIRMED, Cause.NONE, "", true);
        case CONFLICT -> conflict(each);
      }
    }
    return true;
  }

  /** Halves a refused batch: a row that the store cannot take must not keep out the others. */
  private void refused(
      List<Insert> batch, @Nullable Lease lease, List<Runnable> last, StoreUnchangedException why) {
    int end = batch.size() - 1;
    boolean answers =
        insert(batch.subList(0, 1), lease, last) | insert(batch.subList(end, end + 1), lease, last);
    List<Insert> others = batch.subList(1, end);
    if (answers) {
      halve(others, half -> insert(half, lease, last));
    } else {
      rejected(others, why);
    }
  }

  /** Whether there is time for another try, before the insert is answered as uncertain. */
  private boolean isInTime(Insert insert) {
    return time.nanoTime() - insert.prepared.nanoTime() < options.confirmTimeout().toNanos();
  }

  private static void halve(List<Insert> batch, Consumer<List<Insert>> insert) {
    int middle = batch.size() / 2;
    Stream.of(batch.subList(0, middle), batch.subList(middle, batch.size()))
        .filter(half -> !half.isEmpty())
        .forEach(insert);
  }

  private void rejected(List<Insert> batch, StoreUnchangedException why) {
    String detail = "nothing was stored: " + ErrorWords.of(why);
    batch.forEach(each -> end(each, PublishOutcome.REJECTED, Cause.STORE, detail, false));
  }

  private void impossible(Insert insert, IllegalArgumentException problem) {
    String why = ErrorWords.of(problem);
    fail(insert, new InvalidMessageException(insert.submission.id(), why));
  }

  private void conflict(Insert insert) {
    ScheduledMessage asked = insert.prepared.row();
    String stored;
    try {
      stored =
          store
              .summary(asked.key())
              .map(row -> "due " + row.stored().deliverAt())
              .orElse("(gone now)");
    } catch (RuntimeException e) {
      LOG.debug("Cannot tell what {} is", asked.key(), e);
      stored = "(the store does not answer)";
    }
    fail(insert, new IdConflictException(asked.key(), asked.deliverAt(), stored));
  }

  private void fail(Insert insert, PocketwatchException problem) {
    leave(insert, () -> insert.future.completeExceptionally(problem));
  }

  private void end(
      Insert insert, PublishOutcome outcome, Cause cause, String detail, boolean duplicate) {
    leave(insert, () -> insert.future.complete(receipt(insert, outcome, cause, detail, duplicate)));
  }

  /** Ends an insert once: the store may answer after it was given up. */
  private void leave(Insert insert, Runnable end) {
    if (open.remove(insert.future) != null) { // answered, though its callbacks may have to wait
      places.leave(insert.bodyLength(), end);
    }
  }

  private static PublishReceipt receipt(
      Insert insert, PublishOutcome outcome, Cause cause, String detail, boolean duplicate) {
    Submission submission = insert.submission;
    return new PublishReceipt(
        submission.id(),
        submission.route().name(),
        outcome,
        cause,
        detail,
        DelayStrategy.STORE,
        insert.reason,
        submission.deliverAt(),
        submission.spread(),
        duplicate);
  }

  /** Stores accepted messages, for at most so long. */
  public void close(Duration patience) {
    inserts.close(patience);
    timer.shutdownNow();
    open.values()
        .forEach(
            each ->
                end(
                    each,
                    PublishOutcome.UNCERTAIN,
                    Cause.PUBLISHER_CLOSED,
                    "this publisher was closed",
                    false));
  }

  private record Insert(
      Submission submission,
      String reason,
      Prepared prepared,
      CompletableFuture<PublishReceipt> future) {
    int bodyLength() {
      return prepared.row().body().length;
    }
  }
}
