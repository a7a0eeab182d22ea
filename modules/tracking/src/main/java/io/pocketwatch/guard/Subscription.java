// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.guard;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Consumer;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.ShutdownSignalException;
import io.pocketwatch.guard.ConsumerEvent.OtherConsumer;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A consumer on a guarded channel, as the broker has it. The user's consumer is not notified when
 * its channel pauses for the store, or when its messages belong to another consumer.
 */
final class Subscription implements Consumer {
  /**
   * What was asked of the broker.
   *
   * @param tag empty for one that the broker chooses
   */
  record Terms(
      String queue,
      boolean autoAck,
      String tag,
      boolean noLocal,
      boolean exclusive,
      Map<String, Object> arguments) {}

  private final ChannelGuard channel;
  private final Terms terms;
  private final String settlesAs;
  private final Consumer consumer;
  private volatile String tag;
  private volatile boolean atBroker;
  private volatile boolean consuming;
  private volatile boolean paused;
  private volatile boolean cancelled;

  /** Why its messages stay in their queue: one belonged to another consumer. */
  private volatile @Nullable OtherConsumer withheld;

  Subscription(ChannelGuard channel, Terms terms, String settlesAs, Consumer consumer) {
    this.channel = channel;
    this.terms = terms;
    this.settlesAs = settlesAs;
    this.consumer = consumer;
    this.tag = terms.tag();
  }

  Terms terms() {
    return terms;
  }

  String queue() {
    return terms.queue();
  }

  /** The name under which its messages are settled. */
  String settlesAs() {
    return settlesAs;
  }

  String tag() {
    return tag;
  }

  void consumedAtBroker(String given) {
    tag = given;
    atBroker = true;
    consuming = !cancelled; // the broker's own word for it comes on another thread
  }

  boolean isAtBroker() {
    return atBroker;
  }

  /** Whether the broker sends messages. */
  boolean isConsuming() {
    return consuming;
  }

  /** Of its own wish, or of the broker's accord. */
  boolean isCancelled() {
    return cancelled;
  }

  /** Its consumer wants no more. */
  void cancelled() {
    cancelled = true;
  }

  /** It takes no more, and its consumer is not told: that one would only ask again. */
  void withhold(OtherConsumer why) {
    if (withheld == null) {
      withheld = why;
      channel.withhold(this, why);
    }
  }

  /** Why it was withheld; null if it was not. */
  @Nullable OtherConsumer withheld() {
    return withheld;
  }

  /** Until the store answers. */
  void paused() {
    paused = true;
    atBroker = false;
  }

  void handOut(Delivery delivery) throws IOException {
    consumer.handleDelivery(
        tag, delivery.getEnvelope(), delivery.getProperties(), delivery.getBody());
  }

  @Override
  public void handleConsumeOk(String given) {
    tag = given;
    consuming = true; // also when a connection has recovered
    if (paused) {
      paused = false;
    } else {
      consumer.handleConsumeOk(given);
    }
  }

  @Override
  public void handleCancelOk(String given) {
    consuming = false;
    if (!paused || cancelled) {
      consumer.handleCancelOk(given);
    }
  }

  /** Of the broker's own accord. The channel stays open, so nobody else would notice. */
  @Override
  public void handleCancel(String given) throws IOException {
    cancelled = true;
    consuming = false;
    channel.stopped(this, "the broker has cancelled it, as it does when its queue is gone");
    consumer.handleCancel(given);
  }

  @Override
  public void handleShutdownSignal(String given, ShutdownSignalException cause) {
    consuming = false;
    channel.shutDown(this, cause);
    consumer.handleShutdownSignal(given, cause);
  }

  @Override
  public void handleRecoverOk(String given) {
    consumer.handleRecoverOk(given);
  }

  @Override
  public void handleDelivery(
      String given, Envelope envelope, BasicProperties properties, byte[] body) {
    channel.arrived(this, new Delivery(envelope, properties, body));
  }
}
