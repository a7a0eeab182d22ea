// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.serve;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.HoldOptions.TopologyMode;
import io.pocketwatch.internal.base.Channels;
import io.pocketwatch.internal.topology.Names;
import io.pocketwatch.server.broker.NamedBroker;
import io.pocketwatch.server.broker.PassiveDeclares;
import io.pocketwatch.server.config.CallbackSettings;
import io.pocketwatch.server.deadletter.DeadLetterQueue;
import io.pocketwatch.server.view.Notice;
import io.pocketwatch.server.view.Notice.Code;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts dead letters from time to time: messages that came due for a missing target, and callbacks
 * that were given up and have no row. Its gauges are {@code pocketwatch.unroutable.now} and {@code
 * pocketwatch.callbacks.parked.now}.
 */
final class DeadLetterWatch implements Runnable, MeterBinder, AutoCloseable {
  /** So that a broker that hangs is noticed within ten seconds. */
  static final Duration EVERY = Duration.ofSeconds(5);

  /** Counts are rarer, since each queue takes a request of its own. */
  private static final long NANOS_BETWEEN_COUNTS = Duration.ofSeconds(14).toNanos();

  private static final Logger LOG = LoggerFactory.getLogger("serve");
  private static final int CLOSE_MILLIS = 2_000;

  private final NamedBroker broker;
  private final List<DeadLetterQueue> queues;
  private final Supplier<DelayRoutes> routes;
  private final SilenceTimer timer = new SilenceTimer();
  private long countedAt = System.nanoTime() - NANOS_BETWEEN_COUNTS;
  private volatile Look look = Look.NONE;
  private volatile @Nullable Connection connection;
  private volatile boolean closed;

  /**
   * For any threads.
   *
   * @param routes the present routes; their name prefix never changes, nor do the callbacks
   */
  DeadLetterWatch(
      NamedBroker broker, Supplier<DelayRoutes> routes, List<CallbackSettings> callbacks) {
    Names names = new Names(routes.get().hold().namePrefix());
    this.broker = broker;
    this.routes = routes;
    this.queues = new ArrayList<>();
    queues.add(DeadLetterQueue.unroutable(names));
    queues.addAll(DeadLetterQueue.parked(names, callbacks));
  }

  @Override
  public synchronized void run() {
    // With "assume" the queue may be missing, and the broker would log each request for it.
    boolean all = routes.get().hold().topology() != TopologyMode.ASSUME;
    List<DeadLetterQueue> asked =
        all ? queues : queues.stream().filter(each -> each.route() != null).toList();
    if (closed) {
      return;
    }
    timer.asked();
    try {
      Connection current = connected();
      if (asked.isEmpty() || System.nanoTime() - countedAt < NANOS_BETWEEN_COUNTS) {
        Channels.open(current).abort(); // shows that the broker answers
      } else {
        look = ask(new PassiveDeclares(current), asked);
        countedAt = System.nanoTime();
      }
      timer.answered();
    } catch (IOException | TimeoutException | ShutdownSignalException e) { // health says so anyway
      LOG.debug("The counts keep their values", e);
      disconnect();
    }
  }

  private static Look ask(PassiveDeclares broker, List<DeadLetterQueue> asked) throws IOException {
    Map<DeadLetterQueue, Long> counts = new LinkedHashMap<>();
    List<Notice> unknown = new ArrayList<>();
    for (DeadLetterQueue queue : asked) {
      PassiveDeclares.Answer answer = broker.ask(queue.name());
      counts.put(queue, answer.messages());
      if (!answer.refusal().isEmpty() && !answer.isAbsent()) {
        unknown.add(
            Notice.of(Code.QUEUE_UNCOUNTED, "queue", queue.name()).and("reason", answer.refusal()));
      }
    }
    return new Look(counts, unknown);
  }

  private Connection connected() throws IOException, TimeoutException {
    Connection current = connection;
    if (current == null || !current.isOpen()) {
      current = broker.connect("pocketwatch dead letters");
      connection = current;
      if (closed) { // closed meanwhile, before it existed
        current.abort(CLOSE_MILLIS);
      }
    }
    return current;
  }

  private void disconnect() {
    Connection current = connection;
    if (current != null) {
      current.abort(CLOSE_MILLIS);
      connection = null;
    }
  }

  Look look() {
    return look;
  }

  /** For how long the broker has not answered. */
  Duration silent() {
    return timer.silent();
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    for (DeadLetterQueue queue : queues) {
      if (queue.route() == null) {
        Gauge.builder("pocketwatch.unroutable.now", () -> count(queue))
            .description("Messages that came due for a target that was gone, and wait in a queue")
            .tag("queue", queue.name())
            .register(registry);
      } else {
        Gauge.builder("pocketwatch.callbacks.parked.now", () -> count(queue))
            .description("Callbacks that were given up and have no row, and wait in a queue")
            .tag("route", queue.route())
            .tag("queue", queue.name())
            .register(registry);
      }
    }
  }

  private long count(DeadLetterQueue queue) {
    return look.counts().getOrDefault(queue, 0L);
  }

  @Override
  public void close() {
    closed = true;
    disconnect();
  }

  /**
   * The last counts.
   *
   * @param counts 0 also for a missing queue
   * @param unknown a notice for each queue that could not be counted
   */
  record Look(Map<DeadLetterQueue, Long> counts, List<Notice> unknown) {
    static final Look NONE = new Look(Map.of(), List.of());

    Look {
      counts = Map.copyOf(counts);
      unknown = List.copyOf(unknown);
    }

    List<Notice> warnings() {
      List<Notice> warnings = new ArrayList<>();
      counts.entrySet().stream()
          .filter(each -> each.getValue() > 0)
          .sorted(Comparator.comparing(each -> each.getKey().name()))
          .forEach(each -> warnings.add(each.getKey().warning(each.getValue())));
      warnings.addAll(unknown);
      return warnings;
    }

    /** The number of callbacks without a row, by route. */
    Map<String, Long> parked() {
      Map<String, Long> parked = new LinkedHashMap<>();
      counts.forEach(
          (queue, count) -> {
            if (queue.route() != null) {
              parked.put(queue.route(), count);
            }
          });
      return parked;
    }
  }
}
