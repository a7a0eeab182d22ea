// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.internal.publish;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.pocketwatch.DelayedMessage;
import io.pocketwatch.DelayedPublisher;
import io.pocketwatch.PocketwatchListener;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.PublishReceipt.Cause;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.config.HoldOptions;
import io.pocketwatch.config.HoldOptions.TopologyMode;
import io.pocketwatch.config.HoldQueues;
import io.pocketwatch.config.PublisherOptions;
import io.pocketwatch.config.WheelOptions;
import io.pocketwatch.spi.Planning;
import io.pocketwatch.spi.PublisherSettings;
import io.pocketwatch.testing.FakeBroker;
import io.pocketwatch.testing.HandScheduler;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * A whole publisher, its broker, and time that a test moves. The queue {@code orders} and the
 * exchange {@code shop} are there; an answer is waited for {@link #TIMEOUT}, and four messages may
 * be in flight.
 */
final class HandDrivenPublisher {
  static { // they warn of what these tests are about
    ((Logger) LoggerFactory.getLogger("io.pocketwatch.internal")).setLevel(Level.OFF);
  }

  static final Duration TIMEOUT = ofSeconds(10);
  static final int MAX_IN_FLIGHT = 4;

  final HandScheduler time;
  final FakeBroker broker;
  final DelayedPublisher publisher;
  private final Map<String, CompletableFuture<PublishReceipt>> published = new LinkedHashMap<>();

  /** Connects when somebody needs it. */
  HandDrivenPublisher() {
    this(TopologyMode.DECLARE);
  }

  HandDrivenPublisher(TopologyMode mode) {
    this(null, HoldQueues.quorum(), mode);
  }

  /**
   * @param order what can run at the same time runs in an order drawn from this
   */
  HandDrivenPublisher(@Nullable Random order, HoldQueues holdQueues) {
    this(order, holdQueues, TopologyMode.DECLARE);
  }

  private HandDrivenPublisher(@Nullable Random order, HoldQueues holdQueues, TopologyMode mode) {
    time = new HandScheduler(order);
    broker = new FakeBroker(time);
    broker.hasQueue("orders");
    broker.hasExchange("shop");
    WheelOptions wheel =
        WheelOptions.builder()
            .maxDelay(ofSeconds(10))
            .hands(List.of(ofSeconds(1)))
            .queues(holdQueues)
            .build();
    DelayRoutes routes =
        DelayRoutes.builder()
            .hold(HoldOptions.builder().topology(mode).wheel(wheel).build())
            .publisher(
                PublisherOptions.builder()
                    .channels(1)
                    .maxInFlight(MAX_IN_FLIGHT)
                    .confirmTimeout(TIMEOUT)
                    .build())
            .build();
    DefaultDelayedPublisher made =
        DefaultDelayedPublisher.of(
            new PublisherSettings(
                broker.factory(),
                List::of,
                routes,
                time.clock(),
                PocketwatchListener.NONE,
                true,
                true),
            time);
    publisher = made;
  }

  /** One that has its connection. */
  static HandDrivenPublisher connected() {
    HandDrivenPublisher made = new HandDrivenPublisher();
    made.publisher.connect();
    return made;
  }

  /** To the queue {@code orders}, at once. All threads run until they have nothing to do. */
  void publish(String... ids) {
    for (String id : ids) {
      start(id, DelayedMessage.toQueue("orders").id(id));
      time.runAll();
    }
  }

  /** The same for one that may close its channel. */
  void publishOnChannelOfItsOwn(String id) {
    Planning planning = publisher.unwrap(Planning.class);
    DelayedMessage message = DelayedMessage.toQueue("orders").id(id).body("body of " + id);
    published.put(id, planning.publish(planning.accept(message).onChannelOfItsOwn()));
    time.runAll();
  }

  /** To the exchange {@code shop} in five seconds, so that it needs the wheel. */
  void hold(String id) {
    start(id, DelayedMessage.to("shop", "paid").id(id).delay(ofSeconds(5)));
    time.runAll();
  }

  /** Only the call; what it has left to other threads waits. */
  void start(String id, DelayedMessage message) {
    published.put(id, publisher.publish(message.body("body of " + id)));
  }

  CompletableFuture<PublishReceipt> future(String id) {
    return published.get(id);
  }

  /** For so long that each timer has run. */
  void waits(Duration duration) {
    time.advance(duration.plus(ofMillis(200)));
  }

  /**
   * How it ended: {@code CONFIRMED}, {@code UNCERTAIN CHANNEL_LOST}, the name of an exception, or
   * {@code open}. All threads run until they have nothing to do.
   */
  String outcome(String id) {
    time.runAll();
    return described(future(id));
  }

  List<String> outcomes(String... ids) {
    return Stream.of(ids).map(this::outcome).toList();
  }

  /** Ids of those whose future has not ended. */
  List<String> open() {
    return published.keySet().stream().filter(id -> !future(id).isDone()).toList();
  }

  static String described(CompletableFuture<PublishReceipt> future) {
    if (!future.isDone()) {
      return "open";
    }
    try {
      PublishReceipt receipt = future.join();
      return receipt.cause() == Cause.NONE
          ? receipt.outcome().name()
          : receipt.outcome() + " " + receipt.cause();
    } catch (CompletionException e) {
      return e.getCause().getClass().getSimpleName();
    }
  }

  /** What the receipt says beside the outcome. */
  String detail(String id) {
    return future(id).join().detail();
  }
}
