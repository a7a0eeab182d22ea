// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.callback;

import com.rabbitmq.client.Connection;
import io.pocketwatch.PocketwatchListener;
import io.pocketwatch.config.HoldOptions.TopologyMode;
import io.pocketwatch.guard.ConsumerEvent.OtherConsumer;
import io.pocketwatch.guard.DeliveryGuard;
import io.pocketwatch.guard.GuardOptions;
import io.pocketwatch.internal.base.ErrorWords;
import io.pocketwatch.screen.Numbers;
import io.pocketwatch.server.api.Backend;
import io.pocketwatch.server.background.Background;
import io.pocketwatch.server.config.CallbackSettings;
import io.pocketwatch.server.view.CallbackView;
import io.pocketwatch.server.view.Notice;
import io.pocketwatch.server.view.Notice.Code;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Consumes the queues of all routes that call back, on a connection that is made anew when lost.
 */
public final class Callbacks implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger("serve");
  private static final Duration LOOK = Duration.ofSeconds(2);
  private static final int CLOSE_MILLIS = 5_000;

  /** How long a stop waits for present calls: a supervisor kills a server that takes longer. */
  private static final Duration STOP = Duration.ofSeconds(30);

  private final Backend backend;
  private final List<CallbackRoute> routes;
  private final DeliveryGuard guard;
  private final Background background = new Background("pocketwatch-callbacks", 1);
  private @Nullable Connection connection;
  private boolean closed;
  private volatile @Nullable Notice unconnected;

  private Callbacks(
      Backend backend,
      List<CallbackSettings> callbacks,
      Map<String, String> environment,
      PocketwatchListener listener) {
    this.backend = backend;
    GuardOptions options =
        GuardOptions.builder().namePrefix(backend.routes().hold().namePrefix()).build();
    this.guard = new DeliveryGuard(backend.store(), new CurrentHolding(backend), options, listener);
    this.routes =
        callbacks.stream().map(each -> new CallbackRoute(each, environment, guard)).toList();
  }

  /**
   * Begins to consume, or as soon as the broker lets it.
   *
   * @param environment variables that may name secrets
   * @param listener is notified of what becomes of messages
   * @throws io.pocketwatch.screen.CommandFailedException if a secret is missing
   */
  public static Callbacks start(
      Backend backend,
      List<CallbackSettings> callbacks,
      Map<String, String> environment,
      PocketwatchListener listener) {
    Callbacks started = new Callbacks(backend, callbacks, environment, listener);
    if (!callbacks.isEmpty()) {
      started.look(); // declares queues, so that others may send to them at once
      started.background.every(LOOK, started::look);
    }
    return started;
  }

  /** Describes the callbacks, for the log of the start. */
  public List<String> describe() {
    return routes.stream()
        .map(
            each ->
                "Callbacks of route %s: %s, %s at a time"
                    .formatted(
                        each.settings().route(),
                        each.settings().shownUrl(),
                        each.settings().concurrency()))
        .toList();
  }

  /** The calls of each route since the start, by name. */
  public List<CallbackView> views() {
    return routes.stream()
        .map(each -> each.counts().view())
        .sorted(Comparator.comparing(CallbackView::route))
        .toList();
  }

  /** Each reason why messages wait: no connection, or a queue that is not consumed. */
  public List<Notice> waiting() {
    List<Notice> lines = new ArrayList<>();
    Notice connecting = unconnected;
    if (connecting != null) {
      lines.add(connecting);
    }
    for (CallbackRoute each : routes) {
      String complaint = each.complaint();
      if (complaint != null) {
        lines.add(
            Notice.of(Code.CALLBACKS_WAIT, "route", each.settings().route())
                .and("reason", complaint));
      }
    }
    for (OtherConsumer each : guard.stopped()) {
      lines.add(
          Notice.of(Code.CALLBACKS_STOPPED, "consumer", each.consumer())
              .and("message", each.key().toString())
              .and("other", each.other()));
    }
    return lines;
  }

  private synchronized void look() {
    if (closed) {
      return;
    }
    Connection current = connected();
    boolean declare = backend.routes().hold().topology() == TopologyMode.DECLARE;
    for (CallbackRoute each : routes) {
      if (current != null && current.isOpen()) {
        each.look(current, declare);
      }
    }
  }

  private @Nullable Connection connected() {
    if (connection != null && connection.isOpen()) {
      return connection;
    }
    try {
      connection = backend.connect("pocketwatch callbacks");
      if (unconnected != null) {
        unconnected = null;
        LOG.info("Callbacks go on");
      }
      return connection;
    } catch (IOException | TimeoutException | RuntimeException e) {
      Notice waiting = Notice.of(Code.CALLBACKS_NO_BROKER, "reason", ErrorWords.of(e));
      if (unconnected == null) {
        LOG.warn(waiting.text());
      }
      unconnected = waiting;
      return null;
    }
  }

  /** Waits up to 30 s for present calls; the messages of unfinished ones are requeued. */
  @Override
  public void close() {
    background.close();
    synchronized (this) {
      closed = true; // a later connection would not be closed
    }
    AtomicInteger left = new AtomicInteger();
    List<Thread> ends = new ArrayList<>();
    for (CallbackRoute each : routes) { // each may wait for a call
      Thread end =
          new Thread(
              () -> {
                each.cancel(); // or the broker would go on delivering
                left.addAndGet(each.workers().close(STOP));
              },
              "pocketwatch-callback-end");
      end.start();
      ends.add(end);
    }
    for (Thread each : ends) {
      try {
        each.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    if (left.get() > 0) {
      LOG.warn(
          "{} had no end within {} s and will come again",
          Numbers.of(left.get(), "callback"),
          STOP.toSeconds());
    }
    guard.close();
    synchronized (this) {
      if (connection != null) {
        connection.abort(CLOSE_MILLIS);
      }
    }
  }
}
