// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.handoff;

import io.pocketwatch.internal.base.Scheduler;
import io.pocketwatch.internal.batch.Batches;
import io.pocketwatch.internal.batch.Line;
import io.pocketwatch.internal.rows.StoreRule;
import io.pocketwatch.store.HandOffResult;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims that wait to be sent. Messages that the store holds until they are due wait for their
 * time, the others for their turn. A claim that cannot be sent in the first half of its lease is
 * given back. Thread-safe.
 */
final class NearDueQueue {
  private static final Logger LOG = LoggerFactory.getLogger(NearDueQueue.class);

  /** The room for claims of either kind. */
  static final int ROOM = 10_000;

  /** The largest batch sent when due; small, since its sender waits for places in flight. */
  private static final int SENT_WHEN_DUE = 100;

  private static final int SENT_AT_ONCE = 1_000;

  /** How often to look for claims that wait beyond their lease. */
  private static final long LOOK_EVERY = Duration.ofSeconds(15).toNanos();

  private final StoreRule rule;
  private final ClaimSender sender;
  private final ClaimEnds ends;
  private final Scheduler time;
  private final Batches<Claimed> whenDue;
  private final Batches<Claimed> atOnce;

  /** How many of a route a loader has claimed that nobody has answered. */
  private final Map<String, Integer> open = new ConcurrentHashMap<>();

  private volatile long lookedForOver;

  NearDueQueue(StoreRule rule, ClaimSender sender, ClaimEnds ends, Scheduler time) {
    this.rule = rule;
    this.sender = sender;
    this.ends = ends;
    this.time = time;
    this.lookedForOver = time.nanoTime();
    Line<Claimed> byTime =
        Line.byTimeInTurns(
            each -> nanos(each.nextAt()),
            () -> nanos(rule.now()), // of the store's clock, which is never ahead here
            each -> each.claim().key());
    this.whenDue =
        new Batches<>(time, "pocketwatch-near-due", byTime, limits(SENT_WHEN_DUE), this::send);
    this.atOnce =
        new Batches<>(
            time, "pocketwatch-hand-off", Line.inOrder(), limits(SENT_AT_ONCE), this::send);
  }

  private static Batches.Limits<Claimed> limits(int largest) {
    return new Batches.Limits<>(ROOM, Claimed::bodyLength, largest, 1, Batches.APART);
  }

  private static long nanos(Instant instant) {
    return TimeUnit.SECONDS.toNanos(instant.getEpochSecond()) + instant.getNano();
  }

  /** The room for further messages that are sent when due. */
  int room() {
    return whenDue.room();
  }

  /**
   * Adds a claim, or gives it back.
   *
   * @param patience how long to wait for room, if it is to be sent at once
   * @return whether there was room
   */
  boolean add(Claimed one, Duration patience) {
    if (one.looked()) {
      open.merge(one.claim().key().route(), 1, Integer::sum);
    }
    boolean added = one.sentWhenDue() ? whenDue.add(one, Duration.ZERO) : atOnce.add(one, patience);
    if (!added) {
      giveBack(one);
    }
    return added;
  }

  /** How many of a route a loader has claimed that nobody has answered. */
  int open(String route) {
    giveBackWhatIsOver();
    return open.getOrDefault(route, 0);
  }

  /**
   * When the store's clock is set back, waiting claims are due that much later. Until then they
   * would take the places of due ones, and count against their route.
   */
  private void giveBackWhatIsOver() {
    long now = time.nanoTime();
    if (now - lookedForOver < LOOK_EVERY) {
      return;
    }
    lookedForOver = now;
    whenDue.takeOut(each -> now - each.leaseOver(1) > 0).forEach(this::giveBack);
  }

  private void giveBack(Claimed each) {
    ended(each);
    ends.giveBack(each.claim());
  }

  /** Notes that a claim was answered, or is left to other processes. */
  private void ended(Claimed each) {
    if (each.looked()) {
      open.computeIfPresent(
          each.claim().key().route(), (route, count) -> count == 1 ? null : count - 1);
    }
  }

  private void send(List<Claimed> all) {
    for (Claimed each : all) {
      try {
        send(each);
      } catch (RuntimeException | Error e) { // its neighbours must go on, and its route
        LOG.error("{} is sent again when its lease ends", each.claim().key(), e);
        ended(each);
      }
    }
  }

  private void send(Claimed each) {
    boolean early = each.sentWhenDue() && rule.now().isBefore(each.nextAt());
    if (early && whenDue.add(each, Duration.ZERO)) {
      return; // the store's clock was measured anew
    }
    if (early || time.nanoTime() - each.leaseOver(2) > 0) {
      // This is being closed. Or after a long transaction, or a long wait here, a loader may have
      // it, or it was cancelled.
      giveBack(each);
      return;
    }
    CompletableFuture<HandOffResult> unused =
        sender
            .send(each.claim(), each.leaseOver(2))
            .whenComplete(
                (result, error) -> {
                  ended(each);
                  if (error != null) {
                    ends.giveUp(each.claim(), error);
                  } else {
                    ends.sent(each, result);
                  }
                });
  }

  /** Sends the waiting claims that may be sent, for at most so long, and gives back the rest. */
  void close(Duration patience) {
    whenDue.close(patience);
    atOnce.close(patience);
  }
}
