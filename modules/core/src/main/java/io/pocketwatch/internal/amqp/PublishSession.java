// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.amqp;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.PublishOutcome;
import io.pocketwatch.PublishReceipt.Cause;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.internal.base.Scheduler;
import io.pocketwatch.internal.topology.BrokerCapabilities;
import java.io.IOException;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One connection for publishing, with its channels, from its opening to its loss. */
public final class PublishSession {
  private static final Logger LOG = LoggerFactory.getLogger(PublishSession.class);

  private final Connection connection;
  private final @Nullable Socket socket;

  /** The last channel is for messages that may close it. */
  private final AtomicReferenceArray<@Nullable ConfirmChannel> channels;

  private final Object[] opening;
  private final Scheduler scheduler;
  private volatile @Nullable String blocked;
  private volatile boolean holdsByTime;

  /**
   * @param socket the connection's socket, or null if the client uses NIO, where no write blocks
   */
  PublishSession(
      Connection connection, @Nullable Socket socket, int channels, Scheduler scheduler) {
    this.scheduler = scheduler;
    this.connection = connection;
    this.socket = socket;
    this.channels = new AtomicReferenceArray<>(channels + 1);
    this.opening = Stream.generate(Object::new).limit(channels + 1).toArray();
    connection.addBlockedListener(this::blocked, this::unblocked);
  }

  private void blocked(String why) {
    blocked = why;
    LOG.warn("The broker has blocked publishers; what is not stored is rejected: {}", why);
  }

  private void unblocked() {
    blocked = null;
    LOG.info("The broker takes messages again");
  }

  public Connection connection() {
    return connection;
  }

  /** Opens the channels now, so that no publishing thread has to wait for that. */
  void openChannels() throws IOException {
    for (int i = 0; i < channels.length() - 1; i++) {
      channel(i);
    }
  }

  /** Why the broker has blocked publishers; null if it has not. */
  public @Nullable String blocked() {
    return blocked;
  }

  /** {@link BrokerCapabilities#version()} */
  public String brokerVersion() {
    return String.valueOf(connection.getServerProperties().get("version"));
  }

  public BrokerCapabilities facts(
      String userName, boolean delayedExchange, boolean localRandomExchange) {
    return new BrokerCapabilities(
        brokerVersion(), delayedExchange, localRandomExchange, connection.getFrameMax(), userName);
  }

  /** Sets whether a probe on this very connection has shown that it holds by delivery time. */
  public void holdByTime(boolean holdsByTime) {
    this.holdsByTime = holdsByTime;
  }

  /**
   * Sends the message, or ends it; never throws. Each thread keeps to one channel, except for
   * messages that may close it.
   */
  public void publish(UnconfirmedMessage message) {
    if (message.plan().strategy() == DelayStrategy.DELIVERY_TIME && !holdsByTime) {
      message.end(
          PublishOutcome.REJECTED,
          Cause.NOT_PREPARED,
          "nothing was sent: planned for a connection that holds messages by their delivery time,"
              + " and this one does not");
      return;
    }
    String why = blocked;
    if (why != null) {
      message.end(
          PublishOutcome.REJECTED, Cause.BLOCKED, "the broker has blocked publishers: " + why);
      return;
    }
    ConfirmChannel channel;
    try {
      int last = channels.length() - 1;
      channel =
          message.plan().submission().ownChannel()
              ? channel(last)
              : channel((int) (Thread.currentThread().getId() % last));
    } catch (IOException | RuntimeException | Error e) { // also if no thread is left
      message.end(
          PublishOutcome.REJECTED,
          Cause.NOT_CONNECTED,
          "no channel, nothing was sent: " + ErrorWords.of(e));
      return;
    }
    channel.publish(message);
  }

  /** The open channel of that index; replaces one that the broker has closed. */
  private ConfirmChannel channel(int index) throws IOException {
    ConfirmChannel channel = channels.get(index);
    if (channel != null && channel.isOpen()) {
      return channel;
    }
    synchronized (opening[index]) {
      channel = channels.get(index);
      if (channel == null || !channel.isOpen()) {
        channel = ConfirmChannel.open(connection, scheduler);
        channels.set(index, channel);
      }
      return channel;
    }
  }

  /**
   * Ends messages that have waited too long, and the whole connection if a write is stuck.
   * Otherwise a broker that has stopped reading would block the writing thread for ever.
   *
   * @return whether any message still waits for its answer
   */
  boolean expire(long now, long timeoutNanos, String silence) {
    boolean waits = false;
    for (int i = 0; i < channels.length(); i++) {
      ConfirmChannel channel = channels.get(i);
      if (channel != null) {
        channel.expire(now, silence);
        if (channel.stuck(now, timeoutNanos)) {
          tearDown();
          return true;
        }
        waits |= channel.hasUnanswered();
      }
    }
    return waits;
  }

  /**
   * Closes the socket itself. {@link Connection#abort()} would first send a close, and for that
   * wait behind the stuck write.
   */
  private void tearDown() {
    if (socket == null) {
      connection.abort(1_000);
      return;
    }
    try {
      socket.setSoLinger(true, 0); // TLS, too, would first write a close
      socket.close();
    } catch (IOException e) {
      LOG.debug("Closing the socket of a stuck connection", e);
    }
  }

  /**
   * Ends messages that a lost connection left. The client (5.37) does not notify a channel that the
   * broker was just closing, if its answer to that cannot be written.
   */
  void endUnanswered(String why) {
    for (int i = 0; i < channels.length(); i++) {
      ConfirmChannel channel = channels.get(i);
      if (channel != null) {
        channel.endUnanswered(why);
      }
    }
  }

  public boolean isOpen() {
    return connection.isOpen();
  }

  /** Runs the action on the loss of the connection; at once if it is lost already. */
  void whenLost(Consumer<ShutdownSignalException> action) {
    connection.addShutdownListener(action::accept);
  }

  void close() {
    connection.abort(5_000);
  }
}
