// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.loader;

import io.pocketwatch.config.StorePolicy.Tracking;
import io.pocketwatch.store.Claim;
import io.pocketwatch.store.HandOffResult;
import io.pocketwatch.store.StoreEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes the verdicts of a route's batch to the store, counts them and tells the listener. */
final class StoreResultHandler implements ResultHandler {
  private static final Logger LOG = LoggerFactory.getLogger(StoreResultHandler.class);

  private final LoaderContext work;
  private final LoadCounters tally;
  private final String route;
  private final Set<String> heldUp;
  private final long begun = System.nanoTime();

  /**
   * @param heldUp routes this run leaves alone from now on
   */
  StoreResultHandler(LoaderContext work, LoadCounters tally, String route, Set<String> heldUp) {
    this.work = work;
    this.tally = tally;
    this.route = route;
    this.heldUp = heldUp;
  }

  @Override
  public void confirmed(List<HandOffResult> results) {
    int marked = (int) results.stream().filter(HandOffResult::marked).count();
    tally.outrun(results.size() - marked);
    if (marked > 0) {
      tally.loaded(route, marked);
      Duration duration = Duration.ofNanos(System.nanoTime() - begun);
      work.listener.onEvent(new StoreEvent.Loaded(route, marked, duration));
    }
  }

  /** The guard skips a second copy of the others. */
  @Override
  public void uncertain(List<Claim> claims) {
    List<Claim> unchecked =
        claims.stream()
            .filter(claim -> claim.message().message().tracking() != Tracking.FULL)
            .toList();
    if (!unchecked.isEmpty()) {
      work.store.mayBeHeld(unchecked);
    }
  }

  @Override
  public void park(Claim claim, String reason) {
    if (work.store.park(claim, reason)) {
      LOG.warn("Parked {}: {}", claim.key(), reason);
      tally.parked();
      work.listener.onEvent(new StoreEvent.Parked(claim.key(), reason));
    }
  }

  @Override
  public void unproved(Claim claim, String reason) {
    waitWhileWanted(claim, reason);
  }

  @Override
  public void refused(Claim claim, String reason) {
    if (waitWhileWanted(claim, reason)) {
      work.listener.onEvent(new StoreEvent.TargetMissing(claim.key(), reason));
    }
  }

  @Override
  public void unforeseen(Claim claim, String reason) {
    if (claim.message().attempts() == 0) {
      waitAgain(claim, reason);
    } else {
      park(claim, reason);
    }
  }

  /** At its instant at the latest: what is due needs no hold queue. */
  @Override
  public void notHeld(Claim claim, String reason) {
    Duration pause = RetryPauses.pause(work.options, claim.message().attempts());
    Duration left = Duration.between(work.handOff.now(), claim.message().deliverAt());
    boolean shorter = !left.isNegative() && left.compareTo(pause) < 0;
    waitAgain(claim, reason, shorter ? left : pause);
  }

  @Override
  public void targetMissing(Claim claim, String reason) {
    if (waitOrPark(claim, reason)) {
      work.listener.onEvent(new StoreEvent.TargetMissing(claim.key(), reason));
    }
  }

  private boolean waitWhileWanted(Claim claim, String reason) {
    return claim.message().message().tracking() == Tracking.FULL
        ? waitAgain(claim, reason)
        : waitOrPark(claim, reason);
  }

  /** For another try, until there were enough; true if it waits. */
  private boolean waitOrPark(Claim claim, String reason) {
    int attempts = claim.message().attempts();
    Instant deliverAt = claim.message().deliverAt();
    if (RetryPauses.over(work.options, attempts, deliverAt, work.handOff.now())) {
      park(claim, reason);
      return false;
    }
    return waitAgain(claim, reason);
  }

  private boolean waitAgain(Claim claim, String reason) {
    return waitAgain(claim, reason, RetryPauses.pause(work.options, claim.message().attempts()));
  }

  private boolean waitAgain(Claim claim, String reason, Duration pause) {
    LOG.debug("{} is tried again in {}: {}", claim.key(), pause, reason);
    boolean waits = work.store.postpone(claim, pause, reason);
    if (waits) {
      tally.waiting();
    }
    return waits;
  }

  @Override
  public void giveBack(List<Claim> claims, String reason) {
    heldUp.add(route);
    tally.givenBack(claims.size(), reason);
    work.store.giveBack(claims);
    LOG.debug("Gave back {} messages of route {}: {}", claims.size(), route, reason);
    work.listener.onEvent(new StoreEvent.HeldUp(route, claims.size(), reason));
  }

  @Override
  public void away(List<Claim> claims, String reason) {
    tally.error(reason);
    giveBack(claims, reason);
  }
}
