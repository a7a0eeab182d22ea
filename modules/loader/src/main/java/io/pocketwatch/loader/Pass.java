// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.loader;

import io.pocketwatch.route.DelayRoute;
import io.pocketwatch.route.StorePolicy;
import io.pocketwatch.store.Claim;
import io.pocketwatch.store.ClaimRequest;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.MessageState;
import io.pocketwatch.store.StoreException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One walk through everything claimable: the routes in turn, a share of a batch each, until none
 * has any left. While one batch is being confirmed the next is claimed; a few at most are under
 * way, so memory does not grow with the table.
 */
final class Pass {
  static final int BATCHES_UNDER_WAY = 3;
  private static final Logger LOG = LoggerFactory.getLogger(Pass.class);
  private static final long MAX_BYTES = 16L << 20;

  private final Workplace work;
  private final Rate rate;
  private final Evidence evidence;
  private final Executor workers;
  private final Instant horizon;
  private final Tally tally;
  private final Progress progress;
  private final Semaphore places = new Semaphore(BATCHES_UNDER_WAY);
  private final ReadWriteLock company = new ReentrantReadWriteLock(true);
  private final Set<String> heldUp = ConcurrentHashMap.newKeySet();

  Pass(
      Workplace work,
      Rate rate,
      Evidence evidence,
      Executor workers,
      Instant horizon,
      Progress progress) {
    this.work = work;
    this.rate = rate;
    this.evidence = evidence;
    this.workers = workers;
    this.horizon = horizon;
    this.progress = progress;
    this.tally = new Tally(progress);
  }

  LoadReport run() {
    try {
      if (work.publisher.connected()) {
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

  /** Routes of which the broker took nothing, as far as this walk has seen. */
  Set<String> heldUp() {
    return Set.copyOf(heldUp);
  }

  private void walk() {
    List<String> routes = new ArrayList<>(work.store.routesDue(horizon));
    if (progress != Tally.NOBODY) {
      routes.forEach(this::count);
    }
    long looked = System.nanoTime();
    while (!routes.isEmpty() && goesOn()) {
      if (System.nanoTime() - looked > work.options.sweep().toNanos()) {
        // One that had nothing left, or was refused, must not wait until the last one is done.
        heldUp.clear();
        routes = new ArrayList<>(work.store.routesDue(horizon));
        looked = System.nanoTime();
      }
      Shares shares = Shares.of(work.options.batch(), work.options.rate(), routes, this::weight);
      routes.removeIf(
          route ->
              goesOn() && (heldUp.contains(route) || !turn(route, shares.rows(weight(route)))));
    }
    if (work.stopping()) {
      tally.error("this loader was closed");
    }
  }

  private boolean goesOn() {
    return !work.stopping() && !tally.failed();
  }

  /** False if the route has nothing left. */
  private boolean turn(String route, int share) {
    places.acquireUninterruptibly();
    boolean handedOn = false;
    int allowed = 0;
    try {
      allowed = rate.take(share, () -> !goesOn());
      if (allowed == 0) {
        return false;
      }
      List<Claim> claims =
          work.store.claim(
              new ClaimRequest(route, horizonOf(route), allowed, MAX_BYTES, work.lease));
      allowed -= claims.size();
      if (claims.isEmpty()) {
        return false;
      }
      BatchSender sender = new BatchSender(work, company);
      workers.execute(() -> load(route, claims, sender));
      handedOn = true;
      return true;
    } finally {
      rate.giveBack(allowed);
      if (!handedOn) {
        places.release();
      }
    }
  }

  private void load(String route, List<Claim> claims, BatchSender sender) {
    try {
      new BatchLoad(sender, new StoreVerdicts(work, tally, route, heldUp), evidence).load(claims);
    } catch (RuntimeException e) { // what is claimed becomes free when its lease ends
      failed(e);
    } finally {
      places.release();
    }
  }

  private void failed(RuntimeException e) {
    LOG.debug("Loading stopped", e);
    tally.error(String.valueOf(e.getMessage()));
  }

  private void count(String route) {
    MessageQuery pending = MessageQuery.all().route(route).states(MessageState.PENDING);
    tally.due(route, work.store.count(pending.due(null, horizonOf(route).plusMillis(1))));
  }

  /** A route with {@code handoff-before} keeps its rows until shortly before they are due. */
  private Instant horizonOf(String route) {
    Duration before = policy(route).handoffBefore();
    if (before == null) {
      return horizon;
    }
    Instant own = work.handOver.now().plus(before).plus(work.options.sweep());
    return own.isBefore(horizon) ? own : horizon;
  }

  private int weight(String route) {
    return policy(route).weight();
  }

  /** Rows of a route that is configured no more are loaded all the same. */
  private StorePolicy policy(String route) {
    DelayRoute configured = work.routes.named(route);
    return configured == null ? StorePolicy.defaults() : configured.store();
  }
}
