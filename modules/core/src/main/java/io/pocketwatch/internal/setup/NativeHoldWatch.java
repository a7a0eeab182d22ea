// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.setup;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownListener;
import com.rabbitmq.client.ShutdownSignalException;
import io.pocketwatch.NativeHold;
import io.pocketwatch.PocketwatchException;
import io.pocketwatch.internal.amqp.BrokerError;
import io.pocketwatch.internal.amqp.PublishSession;
import io.pocketwatch.internal.base.Threads;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Knows of each connection that messages are published on whether it holds them by their delivery
 * time. It probes one before anything is published so, and again every minute. A queue may move to
 * another leader, with another clock, and a cluster may be upgraded under a connection that stays.
 */
final class NativeHoldWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NativeHoldWatch.class);
  private static final Duration AGAIN = Duration.ofMinutes(1);
  private static final Duration SOON = Duration.ofMillis(2_500);
  private static final int MISSES = 6;

  /**
   * So often in a row must a probe be slow on a connection on which one has passed: it waits behind
   * all that falls due, and neither that node nor the queues become older.
   */
  private static final int SLOW_LOOKS = 3;

  private final NativeHoldProbe probe;
  private final Fallback fallback;
  private final Consumer<NativeHold> changed;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(Threads.named("pocketwatch-native"));
  private final Map<Connection, Watched> others = new ConcurrentHashMap<>();
  private volatile @Nullable PublishSession current;
  private @Nullable Boolean said;

  /**
   * @param fallback declares what has to serve instead
   * @param changed told of what a later probe of the publisher's connection has shown
   */
  NativeHoldWatch(NativeHoldProbe probe, Fallback fallback, Consumer<NativeHold> changed) {
    this.probe = probe;
    this.fallback = fallback;
    this.changed = changed;
  }

  /** What a new connection is like; the fallback is there when this returns, if it is needed. */
  NativeHold connected(PublishSession session) throws IOException, TimeoutException {
    current = session;
    Watched watched = new Watched(session.connection(), found -> seen(session, found));
    NativeHold found = watched.look();
    say(found);
    session.holdByTime(found.isUsable());
    watched.later();
    return found;
  }

  /** Whether somebody else's connection does. Who asks first sends the probe, and waits for it. */
  boolean holds(Connection connection) {
    return others
        .computeIfAbsent(connection, fresh -> new Watched(fresh, found -> {}))
        .found()
        .isUsable();
  }

  /** What a connection is like that may not be probed. */
  NativeHold notProbed(String why) {
    NativeHold none = NativeHold.notUsable(why, null);
    say(none);
    return none;
  }

  private void seen(PublishSession session, NativeHold found) {
    if (session != current) {
      return;
    }
    say(found);
    if (found.isUsable()) { // before anything is planned so, else after
      session.holdByTime(true);
    }
    changed.accept(found);
    session.holdByTime(found.isUsable());
  }

  private synchronized void say(NativeHold found) {
    if (said != null && said == found.isUsable()) {
      return;
    }
    said = found.isUsable();
    Duration ahead = found.ahead();
    if (found.isUsable() && ahead != null) {
      LOG.info(
          "RabbitMQ holds messages by itself on this connection (DELIVERY_TIME); its clock is"
              + " within {} ms of ours",
          ahead.abs().toMillis());
    } else {
      LOG.warn("DELIVERY_TIME is not used, the wheel serves: {}", found.words());
    }
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }

  /** One connection, until it is lost: one that recovers by itself may reach another node. */
  private final class Watched implements ShutdownListener {
    private final Connection connection;
    private final Consumer<NativeHold> told;
    private volatile @Nullable NativeHold found;
    private volatile boolean over;
    private int misses;
    private int slowLooks;

    Watched(Connection connection, Consumer<NativeHold> told) {
      this.connection = connection;
      this.told = told;
    }

    NativeHold found() {
      NativeHold known = found;
      return known == null ? first() : known;
    }

    private synchronized NativeHold first() {
      NativeHold known = found;
      if (known != null) {
        return known; // by whoever was here before
      }
      try {
        known = look();
      } catch (IOException
          | TimeoutException
          | PocketwatchException
          | ShutdownSignalException e) { // gone already
        known = NativeHold.notUsable("it could not be probed: " + BrokerError.text(e), null);
        found = known;
      }
      LOG.debug("DELIVERY_TIME on {}: {}, {}", connection, known.state(), known.words());
      later();
      return known;
    }

    synchronized NativeHold look() throws IOException, TimeoutException {
      if (found == null) {
        connection.addShutdownListener(this);
      }
      NativeHold seen = probe.run(connection);
      if (over || !connection.isOpen()) {
        throw new IOException("the connection was lost while it was probed");
      }
      boolean slow = seen.state() == NativeHold.State.SLOW;
      slowLooks = slow ? slowLooks + 1 : 0;
      NativeHold before = found;
      if (slow && before != null && before.isUsable() && slowLooks < SLOW_LOOKS) {
        LOG.debug("Slow, perhaps for all that falls due: {}", seen.words());
        return before;
      }
      misses = seen.isUsable() ? 0 : Math.min(misses + 1, MISSES);
      if (!seen.isUsable()) {
        fallback.declare();
      }
      found = seen;
      return seen;
    }

    /** Sooner after a miss: the broker may only have been slow. */
    private synchronized Duration pause() {
      Duration soon = SOON.multipliedBy(1L << misses);
      return misses == 0 || soon.compareTo(AGAIN) > 0 ? AGAIN : soon;
    }

    void later() {
      try {
        var unused = timer.schedule(this::lookAgain, pause().toMillis(), TimeUnit.MILLISECONDS);
      } catch (RejectedExecutionException e) {
        LOG.debug("Closed", e);
      }
    }

    private void lookAgain() {
      if (over) {
        return; // the next connection is probed by itself
      }
      try {
        told.accept(look());
      } catch (IOException | TimeoutException | PocketwatchException | ShutdownSignalException e) {
        LOG.debug("Whether messages are held by their delivery time is as it was", e);
      } catch (RuntimeException e) { // thrown on, it would end the looks for good
        LOG.warn("Looking whether messages are held by their delivery time", e);
      }
      later();
    }

    @Override
    public void shutdownCompleted(ShutdownSignalException cause) {
      over = true;
      others.remove(connection, this);
      connection.removeShutdownListener(this);
    }
  }

  /** What has to be there before messages are held in another way. */
  @FunctionalInterface
  interface Fallback {
    void declare() throws IOException, TimeoutException;
  }
}
