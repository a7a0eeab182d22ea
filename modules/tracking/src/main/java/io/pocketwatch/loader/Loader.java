// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.loader;

import io.pocketwatch.PocketwatchListener;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.internal.base.Scheduler;
import io.pocketwatch.internal.handoff.OwnBroker;
import io.pocketwatch.internal.rows.Horizon;
import io.pocketwatch.store.LoadingStore.LoaderHeartbeat;
import io.pocketwatch.store.StoreEvent;
import io.pocketwatch.store.StoreException.WrongBrokerException;
import io.pocketwatch.tracking.TrackedPublisher;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends stored messages to the broker. Messages that are tracked to the end it sends when they are
 * due, and polls for them every second. The others it hands off when the horizon moves, and in
 * sweeps between. It sends messages again that were sent but never arrived.
 *
 * <p>Thread-safe. Any number of loaders, in any number of processes, may work on one store. Each
 * row is claimed by one of them, the earliest first. There is no lower bound, so a backlog after an
 * outage is loaded like anything else.
 */
public final class Loader implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Loader.class);
  private static final Duration MARKING = Duration.ofSeconds(10);

  private final LoaderContext work;
  private final Horizon horizon;
  private final RateLimit rate;
  private final OwnBroker ownBroker;
  private final ExecutorService workers =
      Scheduler.SYSTEM.threads("pocketwatch-loader-batch", LoadPass.BATCHES_UNDER_WAY);
  private final ReentrantLock turn = new ReentrantLock();
  private final AtomicBoolean started = new AtomicBoolean();
  private final AtomicLong loaded = new AtomicLong();
  private final Recovery recovery;
  private final DuePoller due;
  private final LoaderRounds rounds;

  /** Routes of which the broker took no messages in the last run; the next run tries them again. */
  private volatile Set<String> refused = Set.of();

  private volatile @Nullable Instant lastRun;
  private volatile @Nullable Instant loadedUpTo;
  private volatile @Nullable String lastError;

  /**
   * Makes a loader, which loads nothing yet.
   *
   * @param publisher the publisher whose store and routes are loaded; the loader does not close it
   * @param listeners are notified on the loader's threads
   */
  public Loader(TrackedPublisher publisher, PocketwatchListener... listeners) {
    this.work = new LoaderContext(publisher, List.of(listeners));
    this.horizon = new Horizon(work.options);
    this.rate = new RateLimit(work.options.rate());
    this.ownBroker = work.publisher.unwrap(OwnBroker.class);
    this.recovery = new Recovery(work);
    this.due = new DuePoller(work, rate, System::nanoTime);
    this.rounds = new LoaderRounds(work, this, recovery, Scheduler.SYSTEM);
  }

  /**
   * Starts to load on daemon threads, and returns at once.
   *
   * @throws IllegalStateException if it was started or closed before
   */
  public void start() {
    if (work.stopping() || !started.compareAndSet(false, true)) {
      throw new IllegalStateException("this loader was started or closed before");
    }
    rounds.start();
  }

  /**
   * Loads everything claimable that is due up to the horizon, on this thread and a few others. Of
   * messages tracked to the end it loads only those due now. Waits for a run that is under way.
   *
   * @throws IllegalStateException if this loader is closed
   */
  public LoadReport runOnce() {
    return runUntil(work.handOff.horizon());
  }

  /**
   * Loads everything claimable that is due up to an instant, on the store's clock. Routes with a
   * {@code handoff-before} still keep messages due later than that, and messages tracked to the end
   * stay until they are due.
   *
   * @throws IllegalStateException if this loader is closed
   */
  public LoadReport runUntil(Instant until) {
    return runUntil(until, true);
  }

  /** A run of a started loader, which polls for due messages separately. */
  LoadReport round() {
    return runUntil(work.handOff.horizon(), false);
  }

  /** Claims messages that are due within two seconds, to be sent when they are due. */
  void lookForDue() {
    if (complaint().isEmpty()) {
      loaded.addAndGet(due.look());
    }
  }

  /** Finds the rows that {@link #lookForDue} may miss. */
  void lookInFull() {
    if (complaint().isEmpty()) {
      due.lookInFull();
    }
  }

  private LoadReport runUntil(Instant until, boolean withDue) {
    turn.lock();
    try {
      if (work.stopping()) {
        throw new IllegalStateException("this loader is closed");
      }
      Instant upTo = withinReach(until);
      LoadReport report = run(upTo, withDue);
      loaded.addAndGet(report.total());
      lastRun = work.handOff.now();
      lastError = report.reason();
      if (report.complete()) {
        loadedUpTo = upTo;
      }
      work.listener.onEvent(new StoreEvent.Swept(report.horizon(), report.complete()));
      return report;
    } finally {
      turn.unlock();
    }
  }

  /** Limits a run to what the wheel can hold: a message due later would be given up. */
  private Instant withinReach(Instant until) {
    Instant reached = work.handOff.now().plus(work.routes.hold().wheel().maxDelay());
    return until.isBefore(reached) ? until : reached;
  }

  /** Why nothing may be loaded, if so. */
  private Optional<String> complaint() {
    try {
      ownBroker.require();
      return Optional.empty();
    } catch (WrongBrokerException e) {
      return Optional.of(ErrorWords.of(e));
    }
  }

  private LoadReport run(Instant until, boolean withDue) {
    Optional<String> complaint = complaint();
    if (complaint.isPresent()) {
      if (!complaint.get().equals(lastError)) {
        LOG.error("Nothing is loaded: {}", complaint.get());
      }
      LoadCounters nothing = new LoadCounters();
      nothing.error(complaint.get());
      return nothing.report(until);
    }
    LoadPass pass = new LoadPass(work, rate, workers, until, withDue);
    LoadReport report = pass.run();
    refused = pass.heldUp();
    return report;
  }

  /** Whether a run could load something due up to that instant. */
  boolean mayFind(Instant until) {
    Set<String> routes = work.configured(false);
    return !routes.isEmpty()
        && work.publisher.status().connected()
        && complaint().isEmpty()
        && work.store.routesDue(until, routes).stream().anyMatch(route -> !refused.contains(route));
  }

  /** Writes a heartbeat, if this loader could load. */
  void beat() {
    recovery.watch();
    if (work.publisher.status().connected() && complaint().isEmpty()) {
      Instant now = work.handOff.now();
      Instant upTo = loadedUpTo;
      work.store.heartbeat(
          new LoaderHeartbeat(
              work.owner(),
              now,
              upTo == null ? now : upTo,
              loaded.get(),
              lastRun,
              work.options.lease()));
    }
  }

  Instant nextRun() {
    return horizon.nextRun(work.handOff.now());
  }

  /** The state of this loader. */
  public LoaderState state() {
    String error = lastError;
    return new LoaderState(
        work.owner(),
        started.get() && !work.stopping(),
        lastRun,
        nextRun(),
        loadedUpTo,
        loaded.get(),
        error == null ? recovery.lastError() : error,
        recovery.silentRoutes());
  }

  /**
   * Stops, and waits for the confirms of sent messages: at most twice the {@code confirm-timeout}
   * and some seconds. Messages that were only claimed are given back.
   */
  @Override
  public void close() {
    work.stop();
    Duration patience = work.routes.publisher().confirmTimeout().multipliedBy(2).plus(MARKING);
    long end = System.nanoTime() + patience.toNanos();
    rounds.close(patience);
    boolean idle = false;
    try {
      idle = turn.tryLock(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
      workers.shutdown();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      if (idle) {
        turn.unlock();
      } else {
        LOG.warn("A batch is still under way; what is not marked is loaded again by others");
      }
    }
  }
}
