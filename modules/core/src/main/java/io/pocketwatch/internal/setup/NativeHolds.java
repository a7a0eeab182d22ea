// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.setup;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownListener;
import com.rabbitmq.client.ShutdownSignalException;
import io.pocketwatch.NativeHold;
import io.pocketwatch.PocketwatchException;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.internal.base.Threads;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Knows of each connection that messages are published on whether it holds them by their delivery
 * time. It probes one once, before anything is published so, and the publisher's again when a hold
 * queue has refused a message. Thread-safe.
 */
final class NativeHolds {
  private static final Logger LOG = LoggerFactory.getLogger(NativeHolds.class);

  private final Probe probe;
  private final Fallback fallback;
  private final Consumer<NativeHold> changed;
  private final Map<Connection, Other> others = new ConcurrentHashMap<>();
  private volatile @Nullable Own own;
  private @Nullable Boolean said;

  /**
   * @param fallback declares what has to serve instead
   * @param changed told of what a later probe of the publisher's connection has shown
   */
  NativeHolds(Probe probe, Fallback fallback, Consumer<NativeHold> changed) {
    this.probe = probe;
    this.fallback = fallback;
    this.changed = changed;
  }

  /**
   * What the publisher's new connection is like; the fallback is there when this returns, if it is
   * needed.
   *
   * @param allow told whether messages may be published so on it
   */
  NativeHold connected(Connection connection, Consumer<Boolean> allow)
      throws IOException, TimeoutException {
    Own fresh = new Own(connection, allow, new AtomicBoolean(true));
    own = fresh;
    NativeHold found = look(connection);
    say(found);
    allow.accept(found.isUsable());
    fresh.probing.set(false);
    return found;
  }

  /** Whether somebody else's connection does. Who asks first sends the probe, and waits for it. */
  boolean holds(Connection connection) {
    return others.computeIfAbsent(connection, Other::new).found().isUsable();
  }

  /** What a connection is like that may not be probed. */
  NativeHold notProbed(String why) {
    NativeHold none = NativeHold.notUsable(why, null);
    say(none);
    return none;
  }

  /**
   * A hold queue has refused a message of the publisher's, by a policy or without a leader. Has the
   * connection probed at once, in the background, unless it is being probed.
   */
  void refused() {
    Own asked = own;
    if (asked == null || !asked.probing.compareAndSet(false, true)) {
      return;
    }
    try {
      Threads.named("pocketwatch-native").newThread(() -> lookAgain(asked)).start();
    } catch (RuntimeException | Error e) { // the caller is the connection's thread
      asked.probing.set(false);
      LOG.warn("No thread to probe DELIVERY_TIME again", e);
    }
  }

  private void lookAgain(Own asked) {
    try {
      NativeHold found = look(asked.connection);
      if (asked == own) {
        say(found);
        changed.accept(
            found); // before it is forbidden, or messages would go on to be planned for it
        asked.allow.accept(found.isUsable());
      }
    } catch (IOException | TimeoutException | PocketwatchException | ShutdownSignalException e) {
      LOG.debug("Whether messages are held by their delivery time is as it was", e);
    } finally {
      asked.probing.set(false);
    }
  }

  private NativeHold look(Connection connection) throws IOException, TimeoutException {
    NativeHold found = probe.run(connection);
    if (!connection.isOpen()) {
      throw new IOException("the connection was lost while it was probed");
    }
    if (!found.isUsable()) {
      fallback.declare();
    }
    return found;
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
      LOG.warn("DELIVERY_TIME is not used, the wheel serves: {}", found.description());
    }
  }

  /** The publisher's. */
  private record Own(Connection connection, Consumer<Boolean> allow, AtomicBoolean probing) {}

  /** Somebody else's, until it is lost: one that recovers by itself may reach another node. */
  private final class Other implements ShutdownListener {
    private final Connection connection;
    private @Nullable NativeHold found;

    Other(Connection connection) {
      this.connection = connection;
    }

    synchronized NativeHold found() {
      NativeHold known = found;
      if (known != null) {
        return known; // by whoever was here before
      }
      connection.addShutdownListener(this);
      try {
        known = look(connection);
      } catch (IOException
          | TimeoutException
          | PocketwatchException
          | ShutdownSignalException e) { // gone already
        known = NativeHold.notUsable("it could not be probed: " + ErrorWords.of(e), null);
      }
      LOG.debug("DELIVERY_TIME on {}: {}, {}", connection, known.state(), known.description());
      found = known;
      return known;
    }

    @Override
    public void shutdownCompleted(ShutdownSignalException cause) {
      others.remove(connection, this);
      connection.removeShutdownListener(this);
    }
  }

  /** Shows what one connection is like. */
  @FunctionalInterface
  interface Probe {
    NativeHold run(Connection connection) throws IOException, TimeoutException;
  }

  /** What has to be there before messages are held in another way. */
  @FunctionalInterface
  interface Fallback {
    void declare() throws IOException, TimeoutException;
  }
}
