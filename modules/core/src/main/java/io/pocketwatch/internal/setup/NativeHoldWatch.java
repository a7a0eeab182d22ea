// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.setup;

import io.pocketwatch.NativeHold;
import io.pocketwatch.PocketwatchException;
import io.pocketwatch.internal.amqp.PublishSession;
import io.pocketwatch.internal.base.Threads;
import java.io.IOException;
import java.time.Duration;
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
 * Knows whether the present connection holds messages by their delivery time. It probes each new
 * connection before anything is published on it, and again every minute. A queue may move to
 * another leader, with another clock, and a cluster may be upgraded under a connection that stays.
 */
final class NativeHoldWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NativeHoldWatch.class);
  private static final Duration AGAIN = Duration.ofMinutes(1);
  private static final Duration SOON = Duration.ofMillis(2_500);
  private static final int MISSES = 6;

  /**
   * So often in a row must a probe be slow on a connection on which one has passed. A probe waits
   * behind all that falls due, and neither that node nor the queues become older.
   */
  private static final int SLOW_LOOKS = 3;

  private final NativeHoldProbe probe;
  private final Fallback fallback;
  private final Consumer<NativeHold> changed;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(Threads.named("pocketwatch-native"));
  private volatile @Nullable PublishSession current;
  private @Nullable Boolean said;
  private int misses;
  private int slowLooks;

  /** The one that was probed last, and what that has shown if it was good. */
  private @Nullable PublishSession probed;

  private @Nullable NativeHold usable;

  /**
   * @param fallback declares what has to serve instead
   * @param changed told of what a later probe of the same connection has shown
   */
  NativeHoldWatch(NativeHoldProbe probe, Fallback fallback, Consumer<NativeHold> changed) {
    this.probe = probe;
    this.fallback = fallback;
    this.changed = changed;
  }

  /** What a new connection is like; the fallback is there when this returns, if it is needed. */
  NativeHold connected(PublishSession session) throws IOException, TimeoutException {
    current = session;
    NativeHold found = look(session);
    session.holdByTime(found.isUsable());
    later(session);
    return found;
  }

  /** What a connection is like that may not be probed. */
  synchronized NativeHold notProbed(String why) {
    NativeHold none = NativeHold.notUsable(why, null);
    say(none);
    return none;
  }

  private synchronized NativeHold look(PublishSession session)
      throws IOException, TimeoutException {
    NativeHold found = probe.run(session);
    if (!session.isOpen()) {
      throw new IOException("the connection was lost while it was probed");
    }
    boolean slow = found.state() == NativeHold.State.SLOW;
    slowLooks = slow ? slowLooks + 1 : 0;
    NativeHold before = usable;
    if (slow && session == probed && before != null && slowLooks < SLOW_LOOKS) {
      LOG.debug("A probe is slow, perhaps for all that falls due: {}", found.words());
      return before;
    }
    probed = session;
    usable = found.isUsable() ? found : null;
    misses = found.isUsable() ? 0 : Math.min(misses + 1, MISSES);
    if (!found.isUsable()) {
      fallback.declare();
    }
    say(found);
    return found;
  }

  private void say(NativeHold found) {
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

  /** Sooner after a miss: the broker may only have been slow. */
  private synchronized Duration pause() {
    Duration soon = SOON.multipliedBy(1L << misses);
    return misses == 0 || soon.compareTo(AGAIN) > 0 ? AGAIN : soon;
  }

  private void later(PublishSession session) {
    try {
      var unused =
          timer.schedule(() -> lookAgain(session), pause().toMillis(), TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      LOG.debug("Closed", e);
    }
  }

  private void lookAgain(PublishSession session) {
    if (session != current || !session.isOpen()) {
      return; // the next connection is probed by itself
    }
    try {
      NativeHold found = look(session);
      if (session == current) {
        if (found.isUsable()) { // before anything is planned so, else after
          session.holdByTime(true);
        }
        changed.accept(found);
        session.holdByTime(found.isUsable());
      }
    } catch (IOException | TimeoutException | PocketwatchException e) {
      LOG.debug("Whether messages are held by their delivery time is as it was", e);
    } catch (RuntimeException e) { // thrown on, it would end the looks for good
      LOG.warn("Looking whether messages are held by their delivery time failed", e);
    }
    later(session);
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }

  /** What has to be there before messages are held in another way. */
  @FunctionalInterface
  interface Fallback {
    void declare() throws IOException, TimeoutException;
  }
}
