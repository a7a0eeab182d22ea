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
 * Knows for each publishing connection whether it holds messages by their delivery time. It probes
 * a connection once, before such messages are published on it, and the publisher's again after a
 * hold queue has refused a message. Thread-safe.
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
   * @param fallback declares the hold that is used instead
   * @param changed takes the result of a later probe of the publisher's connection
   */
  NativeHolds(Probe probe, Fallback fallback, Consumer<NativeHold> changed) {
    this.probe = probe;
    this.fallback = fallback;
    this.changed = changed;
  }

  /**
   * Probes the publisher's new connection. When this returns, the fallback is declared if it is
   * needed.
   *
   * @param allow takes whether such messages may be published on it
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

  /** Whether a framework's connection does. The first call sends the probe, and waits for it. */
  boolean holds(Connection connection) {
    return others.computeIfAbsent(connection, Other::new).found().isUsable();
  }

  /** The result for a connection that may not be probed. */
  NativeHold notProbed(String why) {
    NativeHold none = NativeHold.notUsable(why, null);
    say(none);
    return none;
  }

  /**
   * Notes that a hold queue has refused a message of the publisher's, by a policy or without a
   * leader. Probes the connection in the background, unless that is going on.
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

  /** The publisher's connection. */
  private record Own(Connection connection, Consumer<Boolean> allow, AtomicBoolean probing) {}

  /** A framework's connection, until it is lost: after a recovery it may reach another node. */
  private final class Other implements ShutdownListener {
    private final Connection connection;
    private @Nullable NativeHold found;

    Other(Connection connection) {
      this.connection = connection;
    }

    synchronized NativeHold found() {
      NativeHold known = found;
      if (known != null) {
        return known; // another thread has probed it
      }
      connection.addShutdownListener(this);
      try {
        known = look(connection);
      } catch (IOException
          | TimeoutException
          | PocketwatchException
          | ShutdownSignalException e) { // the connection is lost already
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

  /** Probes one connection. */
  @FunctionalInterface
  interface Probe {
    NativeHold run(Connection connection) throws IOException, TimeoutException;
  }

  /** Declares the hold that is used instead. */
  @FunctionalInterface
  interface Fallback {
    void declare() throws IOException, TimeoutException;
  }
}
