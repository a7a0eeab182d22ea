// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal;

import io.pocketwatch.PublishOutcome;
import io.pocketwatch.route.Tracking;
import io.pocketwatch.store.Claim;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.HandOverResult;
import io.pocketwatch.store.HandOverResult.Problem;
import io.pocketwatch.store.HeldMark;
import io.pocketwatch.store.StoreException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Marks in batches what the broker has confirmed. */
final class HeldMarks implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HeldMarks.class);
  private static final String WHAT_THEN =
      "What became of {} messages could not be written; they are loaded again when their leases end";
  private static final int WAITING = 200_000;
  private static final int LARGEST_BATCH = 2_000;

  private final DelayStore store;
  private final Duration lease;
  private final Batches<Mark> batches;

  HeldMarks(DelayStore store, Duration lease) {
    this.store = store;
    this.lease = lease;
    this.batches = new Batches<>("pocketwatch-mark", 2, WAITING, LARGEST_BATCH, this::write);
  }

  void add(
      Claim claim,
      Instant heldUntil,
      @Nullable String epoch,
      CompletableFuture<HandOverResult> result) {
    HeldMark held = new HeldMark(claim, heldUntil, epoch);
    Mark mark = new Mark(claim, held, false, result, System.nanoTime());
    if (!batches.add(mark, lease)) {
      mark.end(false);
    }
  }

  /** It was not handed over: anyone may take it at once. */
  void unsent(Claim claim) {
    giveBack(claim, true);
  }

  /**
   * It is not known to be on the broker: anyone may take it at once.
   *
   * @param unsent whether it is known not to be
   */
  void giveBack(Claim claim, boolean unsent) {
    batches.add(
        new Mark(claim, null, unsent, new CompletableFuture<>(), System.nanoTime()), Duration.ZERO);
  }

  private void write(List<Mark> batch) {
    List<Mark> left = new ArrayList<>();
    List<Mark> untracked = new ArrayList<>();
    List<Mark> tracked = new ArrayList<>();
    for (Mark mark : batch) {
      boolean keep = mark.claim.message().message().tracking() != Tracking.NONE;
      (mark.held == null ? left : keep ? tracked : untracked).add(mark);
    }
    write(
        left,
        marks -> {
          List<Mark> uncertain = marks.stream().filter(mark -> !mark.unsent).toList();
          if (!uncertain.isEmpty()) {
            store.mayBeHeld(claims(uncertain));
          }
          store.giveBack(claims(marks));
          return marks.stream().map(mark -> true).toList();
        });
    write(untracked, marks -> store.forget(claims(marks)));
    write(tracked, marks -> store.markHeld(marks.stream().map(Mark::heldMark).toList()));
  }

  /** Tries until the leases are over: a row that is not marked is sent again. */
  private void write(List<Mark> marks, Statement statement) {
    while (!marks.isEmpty()) {
      try {
        List<Boolean> applied = statement.run(marks);
        for (int i = 0; i < marks.size(); i++) {
          marks.get(i).end(applied.get(i));
        }
        return;
      } catch (StoreException e) {
        if (System.nanoTime() - marks.get(0).since > lease.toNanos() || !pause()) {
          LOG.warn(WHAT_THEN, marks.size(), e);
          marks.forEach(mark -> mark.end(false));
          return;
        }
      } catch (RuntimeException | Error e) { // whatever it is, no future may stay open
        LOG.error(WHAT_THEN, marks.size(), e);
        marks.forEach(mark -> mark.end(false));
        return;
      }
    }
  }

  private static List<Claim> claims(List<Mark> marks) {
    return marks.stream().map(Mark::claim).toList();
  }

  private static boolean pause() {
    try {
      Thread.sleep(500);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  @Override
  public void close() {
    batches.close();
  }

  @FunctionalInterface
  private interface Statement {
    List<Boolean> run(List<Mark> marks);
  }

  private record Mark(
      Claim claim,
      @Nullable HeldMark held,
      boolean unsent,
      CompletableFuture<HandOverResult> result,
      long since) {

    HeldMark heldMark() {
      return Objects.requireNonNull(held);
    }

    void end(boolean applied) {
      result.complete(
          new HandOverResult(claim, PublishOutcome.CONFIRMED, "", Problem.NONE, applied));
    }
  }
}
