// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.amqp;

import com.rabbitmq.client.ShutdownSignalException;
import io.pocketwatch.BrokerUnreachableException;
import io.pocketwatch.PocketwatchException;
import io.pocketwatch.PublishOutcome;
import io.pocketwatch.PublishReceipt.Cause;
import io.pocketwatch.config.PublisherOptions;
import io.pocketwatch.internal.base.DurationText;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.internal.base.Scheduler;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a connection for publishing: opens, prepares and watches it, and opens the next one when it
 * is lost. Without a connection messages are rejected, not kept.
 */
public final class PublishLink implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PublishLink.class);
  private static final long FIRST_BACK_OFF_MS = 100;

  /** Stored messages that fall due while the broker starts are late by up to this. */
  private static final long LONGEST_BACK_OFF_MS = 2_000;

  private static final long CHECK_EVERY_MS = 100;

  /** The random part of names of short-lived queues and exchanges, which differ at each try. */
  private static final Pattern NAMES = Pattern.compile("[0-9a-f]{8}-[0-9a-f-]{27}");

  private final Connections connections;
  private final PublisherOptions options;
  private final Preparation preparation;
  private final String silence;
  private final Scheduler scheduler;
  private final ScheduledExecutorService timer;
  private volatile @Nullable PublishSession session;
  private volatile String whyDown = "not connected yet";
  private volatile long upSince;
  private volatile boolean everConnected;
  private volatile boolean closed;
  private final AtomicBoolean needed = new AtomicBoolean();

  /** Whether {@link #check} is scheduled, as it is while a message is sent or unanswered. */
  private final AtomicBoolean checking = new AtomicBoolean();

  /** The number of messages being sent. */
  private final AtomicInteger sending = new AtomicInteger();

  /** Completed after the first try to connect, with or without success. */
  private final CompletableFuture<Void> tried = new CompletableFuture<>();

  public PublishLink(
      Connections connections,
      PublisherOptions options,
      Preparation preparation,
      Scheduler scheduler) {
    this.scheduler = scheduler;
    this.timer = scheduler.timer("pocketwatch-link", 2);
    this.connections = connections;
    this.options = options;
    this.preparation = preparation;
    this.silence =
        "no answer from the broker within " + DurationText.format(options.confirmTimeout());
  }

  /**
   * Opens the first connection on the calling thread, so that building a publisher can fail. If
   * this throws, the link goes on trying in the background until it is closed.
   *
   * @param later whether to go on trying in the background instead of throwing
   * @return whether there is a connection now; false if the link was started before
   */
  public boolean start(boolean later) {
    if (!needed.compareAndSet(false, true)) {
      return false;
    }
    try {
      return connectFirst(later);
    } catch (RuntimeException | Error e) { // topology, or no thread: start is not called again
      whyDown = closed ? whyDown : ErrorWords.of(e);
      reconnectAfter(LONGEST_BACK_OFF_MS);
      throw e;
    } finally {
      tried.complete(null);
    }
  }

  /** Whether a connection was needed, so that opening one was tried. */
  public boolean needed() {
    return needed.get();
  }

  /**
   * Asks for a connection: tries to open the first one, unless that was tried.
   *
   * @return completed after the try; there may be no connection even then
   */
  public CompletableFuture<Void> need() {
    if (needed.get()) {
      return tried;
    }
    try {
      timer.execute(this::startInBackground);
    } catch (RejectedExecutionException e) {
      tried.complete(null); // the publisher is closed
    }
    return tried;
  }

  private void startInBackground() {
    try {
      if (start(true)) {
        LOG.info("Connected to RabbitMQ at {}", connections.describe());
      }
    } catch (RuntimeException | Error e) {
      LOG.error("Connected to RabbitMQ, but cannot publish, trying again: {}", ErrorWords.of(e));
    }
  }

  private boolean connectFirst(boolean later) {
    boolean connected = true;
    try {
      connect();
    } catch (IOException | TimeoutException | ShutdownSignalException e) { // gone while connecting
      boolean there = e instanceof SilentBrokerException;
      String problem =
          (there ? "connected to RabbitMQ at %s, but %s" : "cannot connect to RabbitMQ at %s: %s")
              .formatted(connections.describe(), ErrorWords.of(e));
      if (!later) {
        throw new BrokerUnreachableException(problem, e);
      }
      LOG.warn("{}; trying again until it answers", problem);
      whyDown = ErrorWords.of(e);
      reconnectAfter(FIRST_BACK_OFF_MS);
      connected = false;
    }
    return connected;
  }

  /** Sends the message, or ends it; never throws. */
  public void publish(UnconfirmedMessage message) {
    PublishSession current = session;
    if (current == null) {
      message.end(
          PublishOutcome.REJECTED,
          closed ? Cause.PUBLISHER_CLOSED : Cause.NOT_CONNECTED,
          noConnection());
      return;
    }
    sending.incrementAndGet();
    try {
      checkLater();
      current.publish(message);
    } catch (Error e) { // no thread to look for the answer
      message.end(
          PublishOutcome.REJECTED, Cause.NOT_CONNECTED, "nothing was sent: " + ErrorWords.of(e));
    } finally {
      sending.decrementAndGet();
    }
  }

  /** Whether the broker was prepared at least once, so that messages held there come out. */
  public boolean everConnected() {
    return everConnected;
  }

  public String noConnection() {
    return "no connection, nothing was sent: " + whyDown;
  }

  public String whyDown() {
    return whyDown;
  }

  public boolean connected() {
    PublishSession current = session;
    return current != null && current.isOpen();
  }

  /** Why the broker has blocked publishers; null if it has not. */
  public @Nullable String blocked() {
    PublishSession current = session;
    return current == null ? null : current.blocked();
  }

  /** How long the present connection has lasted; zero if there is none. */
  public Duration uptime() {
    return connected() ? Duration.ofNanos(scheduler.nanoTime() - upSince) : Duration.ZERO;
  }

  private void connect() throws IOException, TimeoutException {
    PublishSession fresh = connections.openForPublishing(options, scheduler);
    try {
      fresh.openChannels();
      preparation.prepare(fresh);
    } catch (IOException | TimeoutException | RuntimeException | Error e) {
      fresh.close(); // also if no thread is left: else each try would keep a connection
      throw e;
    }
    upSince = scheduler.nanoTime();
    session = fresh;
    everConnected = true;
    fresh.whenLost(cause -> lost(fresh, cause));
    if (closed) {
      fresh.close();
    }
  }

  private void lost(PublishSession lost, ShutdownSignalException cause) {
    String why = ErrorWords.of(cause);
    lost.endUnanswered("lost before the broker answered: " + why);
    if (session != lost) {
      return;
    }
    session = null;
    if (!closed) {
      whyDown = "the connection was lost, reconnecting: " + why;
      LOG.warn(
          "Lost the connection to RabbitMQ at {}, reconnecting: {}", connections.describe(), why);
      reconnectAfter(FIRST_BACK_OFF_MS);
    }
  }

  private void reconnectAfter(long millis) {
    try {
      timer.schedule(() -> reconnect(millis), millis, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      LOG.debug("Closed while reconnecting", e);
    }
  }

  private void reconnect(long waited) {
    if (closed) {
      return;
    }
    try {
      connect();
      LOG.info("Connected to RabbitMQ at {} again", connections.describe());
    } catch (IOException
        | TimeoutException
        | RuntimeException
        | Error e) { // also if no thread is left
      String before = NAMES.matcher(whyDown).replaceAll("");
      whyDown = ErrorWords.of(e);
      boolean news = !NAMES.matcher(whyDown).replaceAll("").equals(before);
      if (news && e instanceof PocketwatchException) { // topology: a human must act
        LOG.error("Connected to RabbitMQ, but cannot publish, trying again: {}", whyDown);
      } else if (news) { // "refused" may become "wrong password", which only this log shows
        LOG.warn("Still no connection to RabbitMQ, trying again: {}", whyDown);
      }
      long next = Math.min(waited * 2, LONGEST_BACK_OFF_MS);
      reconnectAfter(next / 2 + scheduler.random(next / 2 + 1));
    }
  }

  private void checkLater() {
    if (!checking.get() && checking.compareAndSet(false, true)) {
      try {
        timer.schedule(this::check, CHECK_EVERY_MS, TimeUnit.MILLISECONDS);
      } catch (RejectedExecutionException e) {
        LOG.debug("Closed: what has no answer ends with its connection", e);
      } catch (Error e) {
        checking.set(false);
        throw e;
      }
    }
  }

  private void check() {
    checking.set(false); // before the check: messages sent from now on schedule the next one
    PublishSession current = session;
    boolean open = sending.get() > 0;
    try {
      if (current != null) {
        open |= current.expire(scheduler.nanoTime(), options.confirmTimeout().toNanos(), silence);
      }
    } catch (RuntimeException | Error e) { // rethrown, it would end the checks for good
      LOG.error("Looking for messages without an answer failed", e);
      open = true;
    }
    if (open) {
      checkLater();
    }
  }

  @Override
  public void close() {
    closed = true;
    whyDown = "the publisher is closed";
    PublishSession current = session;
    if (current != null) {
      current.close();
    }
    timer.shutdownNow();
    tried.complete(null); // no further try will complete it
  }

  /** Prepares a connection before messages are published on it. */
  @FunctionalInterface
  public interface Preparation {
    void prepare(PublishSession session) throws IOException, TimeoutException;
  }
}
