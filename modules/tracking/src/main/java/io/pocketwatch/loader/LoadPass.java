// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.loader;

import io.pocketwatch.config.LoaderOptions;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.store.Claim;
import io.pocketwatch.store.LoadingStore.ClaimRequest;
import io.pocketwatch.store.StoreException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One walk through everything claimable: the routes in turn, a share of a batch each, until none
 * has any left. While one batch is being confirmed the next is claimed; a few at most are under
 * way, so memory does not grow with the table.
 */
final class LoadPass {
  static final int BATCHES_UNDER_WAY = 3;
  private static final Logger LOG = LoggerFactory.getLogger(LoadPass.class);

  /**
   * The bytes of a batch, so that all batches under way, with the drivers' copies, fit the heap.
   */
  private static final long MAX_BYTES = Math.min(16L << 20, Runtime.getRuntime().maxMemory() / 32);

  private final LoaderContext work;
  private final RateLimit rate;
  private final Executor workers;
  private final Instant horizon;
  private final boolean withDue;
  private final LoadCounters tally = new LoadCounters();
  private final Semaphore places = new Semaphore(BATCHES_UNDER_WAY);
  private final Set<String> heldUp = ConcurrentHashMap.newKeySet();

  /**
   * @param withDue whether to load also due messages that are tracked to the end, for which a
   *     started loader polls separately
   */
  LoadPass(LoaderContext work, RateLimit rate, Executor workers, Instant horizon, boolean withDue) {
    this.work = work;
    this.rate = rate;
    this.workers = workers;
    this.horizon = horizon;
    this.withDue = withDue;
  }

  LoadReport run() {
    try {
      if (work.publisher.status().connected()) {
        walk();
      } else {
        tally.error("no connection to the broker");
      }
    } catch (StoreException e) {
      failed(e);
    } finally {
      places.acquireUninterruptibly(BATCHES_UNDER_WAY);
    }
    return tally.report(horizon);
  }

  /** The routes of which the broker took no messages in this pass. */
  Set<String> heldUp() {
    return Set.copyOf(heldUp);
  }

  private void walk() {
    List<String> routes = routesDue();
    long looked = System.nanoTime();
    while (!routes.isEmpty() && mayContinue()) {
      if (System.nanoTime() - looked > work.options.sweep().toNanos()) {
        // A route that had nothing left, or was refused, must not wait for the last one to be done.
        heldUp.clear();
        routes = routesDue();
        looked = System.nanoTime();
      }
      int share = share(work.options, routes.size());
      routes.removeIf(route -> mayContinue() && (heldUp.contains(route) || !turn(route, share)));
    }
    if (work.stopping()) {
      tally.error("this loader was closed");
    }
  }

  private List<String> routesDue() {
    List<String> routes = new ArrayList<>(work.store.routesDue(horizon, null));
    routes.removeIf(route -> !withDue && work.sentWhenDue(route));
    return routes;
  }

  private boolean mayContinue() {
    return !work.stopping() && !tally.failed();
  }

  /** False if the route has nothing left. */
  private boolean turn(String route, int share) {
    places.acquireUninterruptibly();
    int taken = 1;
    boolean handedOn = false;
    int allowed = 0;
    try {
      allowed = rate.take(share, () -> !mayContinue());
      if (allowed == 0) {
        return false;
      }
      List<Claim> claims =
          work.store.claim(
              new ClaimRequest(route, horizonOf(route), allowed, MAX_BYTES, work.lease));
      work.tellAbandoned(claims);
      allowed -= claims.size();
      if (claims.isEmpty()) {
        return false;
      }
      if (bytes(claims) > MAX_BYTES) { // one large row: nothing else is under way beside it
        places.acquireUninterruptibly(BATCHES_UNDER_WAY - 1);
        taken = BATCHES_UNDER_WAY;
      }
      BatchSender sender = new BatchSender(work, tally, route, heldUp);
      int held = taken;
      workers.execute(() -> load(claims, sender, held));
      handedOn = true;
      return true;
    } finally {
      rate.giveBack(allowed);
      if (!handedOn) {
        places.release(taken);
      }
    }
  }

  private static long bytes(List<Claim> claims) {
    return claims.stream()
        .map(Claim::message)
        .mapToLong(each -> each.message().body().length + each.message().properties().length)
        .sum();
  }

  private void load(List<Claim> claims, BatchSender sender, int taken) {
    try {
      sender.send(claims);
    } catch (RuntimeException e) { // the claimed rows become free when their lease ends
      failed(e);
    } finally {
      places.release(taken);
    }
  }

  private void failed(RuntimeException e) {
    LOG.debug("Loading stopped", e);
    tally.error(ErrorWords.of(e));
  }

  /**
   * The instant up to which rows of a route belong on the broker: for tracking to the end now, and
   * with {@code handoff-before} that much later.
   */
  private Instant horizonOf(String route) {
    if (work.sentWhenDue(route)) {
      Instant now = work.handOff.now();
      return now.isBefore(horizon) ? now : horizon;
    }
    Duration before = work.policy(route).handoffBefore();
    if (before == null) {
      return horizon;
    }
    Instant own = work.handOff.now().plus(before).plus(work.options.sweep());
    return own.isBefore(horizon) ? own : horizon;
  }

  /**
   * How many rows a route may claim in its turn: a batch, or its part of a second of the rate.
   * Turns go round, so shares, not queues, decide who gets how much.
   */
  static int share(LoaderOptions options, int routes) {
    Integer rate = options.rate();
    int ofRate = rate == null ? options.batch() : rate / Math.max(1, routes);
    return Math.max(1, Math.min(options.batch(), ofRate));
  }
}
