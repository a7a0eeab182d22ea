// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.handoff;

import io.pocketwatch.PublishOutcome;
import io.pocketwatch.config.StorePolicy.Tracking;
import io.pocketwatch.internal.batch.GroupCommit;
import io.pocketwatch.store.Claim;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.HandOffResult;
import io.pocketwatch.store.HandOffResult.Problem;
import io.pocketwatch.store.LoadingStore.HeldMark;
import io.pocketwatch.store.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes down in batches how claims ended: the broker has confirmed it, or it is given back. */
final class HeldMarker implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HeldMarker.class);
  private static final String WHAT_THEN =
      "What became of {} messages could not be written; they are loaded again when their leases end";
  private static final int WAITING = 200_000;
  private static final int LARGEST_BATCH = 2_000;

  /** Those marked later go in batches of so long. */
  private static final long STEP = Duration.ofMillis(500).toNanos();

  private final DelayStore store;
  private final Duration lease;
  private final GroupCommit<Ending> batches;
  private final GroupCommit<Held> later;

  HeldMarker(DelayStore store, Duration lease) {
    this.store = store;
    this.lease = lease;
    this.batches =
        new GroupCommit<>(
            "pocketwatch-mark", 2, WAITING, Ending::bodyLength, LARGEST_BATCH, this::write);
    this.later =
        new GroupCommit<>(
            "pocketwatch-mark-later",
            1,
            WAITING,
            Ending::bodyLength,
            LARGEST_BATCH,
            each -> each.since() - System.nanoTime(),
            held -> write(List.copyOf(held)));
  }

  /** The future says whether that could be written: if not, it is sent again. */
  void held(HeldMark mark, CompletableFuture<HandOffResult> result) {
    Held held = new Held(mark, result, System.nanoTime());
    if (!batches.add(held, lease)) {
      held.written(false);
    }
  }

  /**
   * Marks it later, for what is settled by then needs no mark; the future ends now. Should this
   * process die before, it is sent again when its lease ends, and the guard skips that copy.
   *
   * @param from the {@link System#nanoTime} from which it is marked; at once when this is closed
   */
  void heldUnlessSettled(HeldMark mark, CompletableFuture<HandOffResult> result, long from) {
    Held held = new Held(mark, result, (Math.floorDiv(from, STEP) + 1) * STEP);
    held.written(false);
    if (!later.add(held, Duration.ZERO)) {
      held(mark, result);
    }
  }

  /**
   * It is not known to be on the broker: anyone may take it at once.
   *
   * @param mayBeHeld whether it is not known either that it is not there
   */
  void givenBack(Claim claim, boolean mayBeHeld) {
    batches.add(new GivenBack(claim, mayBeHeld, System.nanoTime()), Duration.ZERO);
  }

  private void write(List<Ending> batch) {
    List<GivenBack> givenBack = new ArrayList<>();
    List<Held> untracked = new ArrayList<>();
    List<Held> tracked = new ArrayList<>();
    for (Ending each : batch) {
      if (each instanceof Held held) {
        boolean keep = held.claim().message().message().tracking() != Tracking.NONE;
        (keep ? tracked : untracked).add(held);
      } else if (each instanceof GivenBack back) {
        givenBack.add(back);
      }
    }
    untilWritten(givenBack, this::giveBack);
    untilWritten(untracked, all -> store.forget(claims(all)));
    untilWritten(tracked, all -> store.markHeld(all.stream().map(Held::mark).toList()));
  }

  private List<Boolean> giveBack(List<GivenBack> all) {
    List<GivenBack> uncertain = all.stream().filter(GivenBack::mayBeHeld).toList();
    if (!uncertain.isEmpty()) {
      store.mayBeHeld(claims(uncertain));
    }
    store.giveBack(claims(all));
    return all.stream().map(each -> true).toList();
  }

  /** Tries until the leases are over: a row that is not marked is sent again. */
  private <T extends Ending> void untilWritten(
      List<T> endings, Function<List<T>, List<Boolean>> statement) {
    while (!endings.isEmpty()) {
      try {
        List<Boolean> written = statement.apply(endings);
        for (int i = 0; i < endings.size(); i++) {
          endings.get(i).written(written.get(i));
        }
        return;
      } catch (StoreException e) {
        if (System.nanoTime() - endings.get(0).since() > lease.toNanos() || !pause()) {
          LOG.warn(WHAT_THEN, endings.size(), e);
          endings.forEach(each -> each.written(false));
          return;
        }
      } catch (RuntimeException | Error e) { // whatever it is, no future may stay open
        LOG.error(WHAT_THEN, endings.size(), e);
        endings.forEach(each -> each.written(false));
        return;
      }
    }
  }

  private static List<Claim> claims(List<? extends Ending> endings) {
    return endings.stream().map(Ending::claim).toList();
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
    later.close();
    batches.close();
  }

  private sealed interface Ending {
    Claim claim();

    /** The {@link System#nanoTime} of it, or from which it is to be written. */
    long since();

    default int bodyLength() {
      return claim().message().message().body().length;
    }

    void written(boolean applied);
  }

  private record Held(HeldMark mark, CompletableFuture<HandOffResult> result, long since)
      implements Ending {
    @Override
    public Claim claim() {
      return mark.claim();
    }

    @Override
    public void written(boolean applied) {
      result.complete(
          new HandOffResult(claim(), PublishOutcome.CONFIRMED, "", Problem.NONE, applied));
    }
  }

  private record GivenBack(Claim claim, boolean mayBeHeld, long since) implements Ending {
    @Override
    public void written(boolean applied) {} // nobody waits for it: else its lease ends
  }
}
