// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.pocketwatch.BrokerClock;
import io.pocketwatch.NativeHold;
import io.pocketwatch.PocketwatchListener;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.config.DelayRoute;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.store.DelayStore;
import io.pocketwatch.store.HandOffResult;
import io.pocketwatch.store.LoadingStore.LoaderHeartbeat;
import io.pocketwatch.store.MessageKey;
import io.pocketwatch.store.MessageQuery;
import io.pocketwatch.store.SettlingStore.Begun;
import io.pocketwatch.store.StoreException;
import io.pocketwatch.store.StoredMessage.MessageState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Counts and times what happens. Give it to publishers and guards, and pass on to it what loaders
 * tell; {@link StoreGauges} adds what can only be asked.
 *
 * <p>All names begin with {@code pocketwatch.}. Tags are configured names, never ids, so their
 * number is bounded.
 *
 * <ul>
 *   <li>Publishing counts {@code published} (route, strategy, outcome); what is stored counts
 *       {@code handed.over} (route, outcome).
 *   <li>Loading counts {@code loaded}, {@code parked}, {@code target.missing}, {@code returned}
 *       (route) and {@code epoch.lost}; {@code load.batch} is a timer.
 *   <li>{@code broker.clock.offset} is in seconds: positive if the broker's clock is ahead, 0 if it
 *       may be right, NaN until a probe has shown it.
 *   <li>{@code delivery.time.usable} is 1 where {@code DELIVERY_TIME} is used, 0 where the wheel
 *       serves instead, NaN where nobody asks for it.
 *   <li>{@code delivery.time.clock.offset} is in seconds, as the probe of the delivery time has
 *       shown it, else NaN.
 *   <li>Handling counts, by route and consumer, {@code settled}, {@code overtaken}, {@code failed},
 *       {@code deferred}, {@code skipped} (why), {@code held.again} (why), {@code unknown} and
 *       {@code store.unreachable}; {@code lateness} is a timer.
 *   <li>{@code consumer.stopped} is counted by consumer.
 * </ul>
 */
public final class PocketwatchMetrics implements PocketwatchListener {
  private static final String PREFIX = "pocketwatch.";

  private final MeterRegistry registry;
  private volatile double clockOffset = Double.NaN;
  private volatile NativeHold nativeHold = NativeHold.NOT_ASKED;

  public PocketwatchMetrics(MeterRegistry registry) {
    this.registry = registry;
    // So rare that a first one must be seen as a rise.
    count("epoch.lost", "Losses of the broker's disk", 0, Tags.empty());
    Gauge.builder(PREFIX + "broker.clock.offset", () -> clockOffset)
        .description("By how much at least the broker's clock is ahead of this machine's")
        .baseUnit("seconds")
        .register(registry);
    Gauge.builder(PREFIX + "delivery.time.usable", () -> usable(nativeHold))
        .description("Whether messages are held by their delivery time where that is asked for")
        .register(registry);
    Gauge.builder(PREFIX + "delivery.time.clock.offset", () -> offset(nativeHold))
        .description("By how much the clock that holds by delivery time is ahead of this machine's")
        .baseUnit("seconds")
        .register(registry);
  }

  private static double usable(NativeHold hold) {
    return hold.isUsable() ? 1 : hold.isMissed() ? 0 : Double.NaN;
  }

  private static double offset(NativeHold hold) {
    Duration ahead = hold.ahead();
    return ahead == null ? Double.NaN : ahead.toMillis() / 1_000.0;
  }

  @Override
  public void published(PublishReceipt receipt) {
    count(
        "published",
        "Publish calls that have ended",
        1,
        Tags.of("route", receipt.route())
            .and("strategy", receipt.strategy().name())
            .and("outcome", receipt.outcome().name()));
  }

  @Override
  public void handedOff(HandOffResult result) {
    String route = result.claim().key().route();
    count(
        "handed.over",
        "Stored messages sent to the broker",
        1,
        Tags.of("route", route).and("outcome", result.outcome().name()));
  }

  @Override
  public void loaded(String route, int messages, Duration took) {
    count("loaded", "Messages a loader has handed off", messages, Tags.of("route", route));
    timer("load.batch", "How long a batch of a loader took", Tags.of("route", route)).record(took);
  }

  @Override
  public void parked(MessageKey key, String reason) {
    count("parked", "Messages given up, with a reason", 1, Tags.of("route", key.route()));
  }

  @Override
  public void targetMissing(MessageKey key, String reason) {
    count(
        "target.missing",
        "Stored messages that wait for a missing target",
        1,
        Tags.of("route", key.route()));
  }

  @Override
  public void recovered(String route, int messages) {
    count(
        "returned",
        "Stored messages the broker no longer has, to be loaded again",
        messages,
        Tags.of("route", route));
  }

  @Override
  public void epochLost(String epoch, int messages) {
    count("epoch.lost", "Losses of the broker's disk", 1, Tags.empty());
  }

  @Override
  public void brokerClock(BrokerClock clock) {
    clockOffset = clock.ahead().toMillis() / 1_000.0;
  }

  @Override
  public void nativeHold(NativeHold hold) {
    nativeHold = hold;
  }

  /** Beyond it a timer overflows; only a forged header is so late. */
  private static final Duration LATEST = Duration.ofDays(36_500);

  /** A copy that came early has a lateness of zero: a timer knows no negative time. */
  @Override
  public void delivered(String consumer, @Nullable MessageKey key, @Nullable Duration lateness) {
    if (lateness != null) {
      Timer.builder(PREFIX + "lateness")
          .description("Arrival minus deliverAt")
          .tags(consumer(consumer, key))
          .publishPercentiles(0.5, 0.99)
          .register(registry)
          .record(bounded(lateness));
    }
  }

  private static Duration bounded(Duration lateness) {
    if (lateness.isNegative()) {
      return Duration.ZERO;
    }
    return lateness.compareTo(LATEST) > 0 ? LATEST : lateness;
  }

  @Override
  public void settled(String consumer, MessageKey key) {
    count("settled", "Handlings that settled a message", 1, consumer(consumer, key));
  }

  @Override
  public void overtaken(String consumer, MessageKey key) {
    count("overtaken", "Handlings whose message was changed meanwhile", 1, consumer(consumer, key));
  }

  @Override
  public void failed(String consumer, @Nullable MessageKey key, Throwable cause) {
    count("failed", "Handlings that failed", 1, consumer(consumer, key));
  }

  @Override
  public void deferred(String consumer, @Nullable MessageKey key, int attempt, Instant until) {
    count("deferred", "Messages that come again as another attempt", 1, consumer(consumer, key));
  }

  @Override
  public void skipped(String consumer, MessageKey key, Begun.Verdict verdict) {
    count(
        "skipped",
        "Copies that were not handled",
        1,
        consumer(consumer, key).and("why", verdict.name()));
  }

  @Override
  public void heldAgain(String consumer, @Nullable MessageKey key, Reason reason, Instant until) {
    count(
        "held.again",
        "Copies sent back until they are due",
        1,
        consumer(consumer, key).and("why", reason.name()));
  }

  @Override
  public void unexpected(String consumer, MessageKey key) {
    count(
        "unexpected",
        "Messages handled by more consumers than their route expects",
        1,
        consumer(consumer, key));
  }

  @Override
  public void unknown(String consumer, MessageKey key) {
    count("unknown", "Copies that have no row", 1, consumer(consumer, key));
  }

  @Override
  public void storeUnreachable(String consumer, MessageKey key, RuntimeException cause) {
    count("store.unreachable", "Copies that waited for the store", 1, consumer(consumer, key));
  }

  @Override
  public void stopped(String consumer, String why) {
    count(
        "consumer.stopped",
        "Consumers that the broker has ended",
        1,
        Tags.of("consumer", consumer));
  }

  /** Messages without a row have no route here. */
  private static Tags consumer(String consumer, @Nullable MessageKey key) {
    return Tags.of("route", key == null ? "none" : key.route()).and("consumer", consumer);
  }

  /** Built, because the registry's own short forms differ from one Micrometer to the next. */
  private void count(String name, String description, int by, Tags tags) {
    Counter.builder(PREFIX + name)
        .description(description)
        .tags(tags)
        .register(registry)
        .increment(by);
  }

  private Timer timer(String name, String description, Tags tags) {
    return Timer.builder(PREFIX + name).description(description).tags(tags).register(registry);
  }

  /**
   * {@code pocketwatch.pending}, {@code pocketwatch.held} and {@code pocketwatch.parked.now} per
   * route, and {@code pocketwatch.loader.heartbeat.age} in seconds (of the liveliest loader; NaN if
   * none was seen for a day). Reading a gauge asks no database: {@link #refresh} does, at the
   * rhythm its caller can afford. While the database does not answer, the counts stay as they were,
   * and the age grows on.
   */
  public static final class StoreGauges implements MeterBinder {
    private static final Map<MessageState, String> NAMES =
        Map.of(
            MessageState.PENDING, "pocketwatch.pending",
            MessageState.HELD, "pocketwatch.held",
            MessageState.PARKED, "pocketwatch.parked.now");

    private final DelayStore store;
    private final List<String> routes;
    private final Map<String, Long> counts = new ConcurrentHashMap<>();
    private final LongSupplier nanoTime;
    private volatile @Nullable Heartbeat latest;

    public StoreGauges(DelayStore store, DelayRoutes routes) {
      this(store, routes, System::nanoTime);
    }

    StoreGauges(DelayStore store, DelayRoutes routes, LongSupplier nanoTime) {
      this.store = store;
      this.routes = routes.all().map(DelayRoute::name).toList();
      this.nanoTime = nanoTime;
    }

    /**
     * Counts anew; one indexed question per route and state.
     *
     * @throws StoreException if the store does not answer; the counts then keep their values
     */
    public void refresh() {
      for (String route : routes) {
        for (MessageState state : NAMES.keySet()) {
          counts.put(key(route, state), store.count(MessageQuery.all().route(route).states(state)));
        }
      }
      Instant now = store.now();
      long asked = nanoTime.getAsLong();
      latest =
          store.heartbeats().stream()
              .map(LoaderHeartbeat::at)
              .max(Instant::compareTo)
              .map(at -> new Heartbeat(Duration.between(at, now), asked))
              .orElse(null);
    }

    /** Of this moment, not of the last refresh: the database may have been away since. */
    private double heartbeatAge() {
      Heartbeat known = latest;
      return known == null
          ? Double.NaN
          : known.age().plusNanos(nanoTime.getAsLong() - known.nanoTime()).toMillis() / 1_000.0;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
      for (String route : routes) {
        NAMES.forEach(
            (state, name) ->
                Gauge.builder(name, () -> counts.getOrDefault(key(route, state), 0L))
                    .description("Stored messages that are " + state + " now")
                    .tag("route", route)
                    .register(registry));
      }
      Gauge.builder("pocketwatch.loader.heartbeat.age", this::heartbeatAge)
          .description("Since the last sign of life of any loader")
          .baseUnit("seconds")
          .register(registry);
    }

    private static String key(String route, MessageState state) {
      return state + " " + route;
    }

    /**
     * The latest sign of life in the store.
     *
     * @param age on the store's clock, when it was read
     * @param nanoTime when that was, on this JVM's clock
     */
    private record Heartbeat(Duration age, long nanoTime) {}
  }
}
