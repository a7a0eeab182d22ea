// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Consumer;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.Envelope;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.Headers;
import io.pocketwatch.PocketwatchListener;
import io.pocketwatch.PublishOutcome;
import io.pocketwatch.PublishReceipt;
import io.pocketwatch.PublishReceipt.Cause;
import io.pocketwatch.config.DelayRoutes;
import io.pocketwatch.guard.GuardedConsumer.GuardedHandler;
import io.pocketwatch.handoff.Holding;
import io.pocketwatch.store.SettlingStore;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A guard with a channel, a store and a hold that only note what they are told, and with clocks
 * that stand until somebody sets them.
 */
final class GuardScene implements AutoCloseable {
  static final String QUEUE = "work";

  /** What was told to the broker and the store, in order. */
  final BlockingQueue<String> said = new LinkedBlockingQueue<>();

  /** What was put on hold again. */
  final BlockingQueue<Held> held = new LinkedBlockingQueue<>();

  /** The consumer's clock. */
  volatile Instant here;

  /** The store's clock; without a store that of the publisher. */
  volatile Instant there;

  /** What the clock fails with. */
  volatile RuntimeException clockFails;

  final DeliveryGuard guard;
  final GuardedConsumer consuming;
  private volatile Consumer consumer;
  private long lastTag;

  record Held(Delivery copy, Instant until) {}

  GuardScene(boolean store, Instant now, GuardedHandler handler) throws Exception {
    here = now;
    there = now;
    GuardOptions options = GuardOptions.builder().clock(() -> here).build();
    Hold hold = new Hold();
    guard =
        store
            ? new DeliveryGuard(new Store(), hold, options, PocketwatchListener.NONE)
            : DeliveryGuard.withoutStore(hold, options, PocketwatchListener.NONE);
    consuming = guard.consume(channel(), QUEUE, handler);
  }

  void deliver(Map<String, Object> headers) throws Exception {
    deliver(new BasicProperties.Builder().messageId("m").headers(headers).build());
  }

  void deliver(BasicProperties properties) throws Exception {
    Envelope envelope = new Envelope(++lastTag, false, "", QUEUE);
    consumer.handleDelivery("tag", envelope, properties, new byte[0]);
  }

  static Map<String, Object> due(Instant instant) {
    return new HashMap<>(Map.of(Headers.DELIVER_AT, instant.toEpochMilli(), Headers.EXCHANGE, ""));
  }

  /** The same, of a message that has a row. */
  static Map<String, Object> tracked(Instant instant) {
    Map<String, Object> headers = due(instant);
    headers.put(Headers.ROUTE, "route");
    return headers;
  }

  static <T> T next(BlockingQueue<T> from) throws InterruptedException {
    return Objects.requireNonNull(from.poll(10, TimeUnit.SECONDS), "nothing came within 10 s");
  }

  @Override
  public void close() {
    guard.close();
  }

  private Channel channel() {
    return (Channel)
        Proxy.newProxyInstance(
            Channel.class.getClassLoader(),
            new Class<?>[] {Channel.class},
            (self, method, arguments) ->
                switch (method.getName()) {
                  case "isOpen" -> true;
                  case "basicConsume" -> {
                    consumer = (Consumer) arguments[arguments.length - 1];
                    yield "tag";
                  }
                  case "basicAck" -> {
                    said.add("ack " + arguments[0]);
                    yield null;
                  }
                  case "basicNack" -> {
                    said.add(((boolean) arguments[2] ? "requeue " : "reject ") + arguments[0]);
                    yield null;
                  }
                  case "basicQos", "basicCancel", "addShutdownListener", "removeShutdownListener" ->
                      null;
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  private final class Store implements SettlingStore {
    @Override
    public List<Begun> begin(List<Beginning> copies, Duration lease) {
      return copies.stream().map(each -> Begun.handle(Attempts.NONE)).toList();
    }

    @Override
    public List<Ended> end(List<Ending> endings) {
      endings.forEach(
          each ->
              said.add(
                  each.kind()
                      + (each.postponement() == null ? "" : " " + each.postponement().until())
                      + " "
                      + each.reason()));
      return endings.stream().map(each -> Ended.APPLIED).toList();
    }

    @Override
    public boolean settleIn(Object transaction, Handling handling) {
      throw new UnsupportedOperationException("no transactions");
    }

    @Override
    public List<Boolean> extend(List<Handling> handlings, Duration lease) {
      return handlings.stream().map(each -> true).toList();
    }

    @Override
    public Instant now() {
      return there;
    }
  }

  private final class Hold implements Holding {
    @Override
    public CompletableFuture<PublishReceipt> holdAgain(
        String queue, Delivery received, Instant until) {
      held.add(new Held(received, until));
      return CompletableFuture.completedFuture(
          new PublishReceipt(
              "m",
              "held-again",
              PublishOutcome.CONFIRMED,
              Cause.NONE,
              "",
              DelayStrategy.QUEUE_WHEEL,
              "",
              until,
              Duration.ZERO,
              false));
    }

    @Override
    public Instant now() {
      if (clockFails != null) {
        throw clockFails;
      }
      return there;
    }

    @Override
    public DelayRoutes routes() {
      return DelayRoutes.none();
    }
  }
}
