// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.testing;

import com.rabbitmq.client.AMQP.BasicProperties;
import io.pocketwatch.Headers;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A message that was written to a channel, and what the broker has said of it. */
public final class Sent {
  /** The two answers to a publish. */
  public enum Answer {
    ACK,
    NACK
  }

  private final FakeChannel channel;
  private final long number;
  private final String exchange;
  private final String routingKey;
  private final BasicProperties properties;
  private final byte[] body;
  private final long sent;
  private long answered;
  private @Nullable Answer answer;
  private boolean returned;

  Sent(
      FakeChannel channel,
      long number,
      String exchange,
      String routingKey,
      BasicProperties properties,
      byte[] body,
      long now) {
    this.channel = channel;
    this.number = number;
    this.exchange = exchange;
    this.routingKey = routingKey;
    this.properties = properties;
    this.body = body;
    this.sent = now;
  }

  public String id() {
    return Objects.requireNonNullElse(Headers.id(properties), "");
  }

  public String exchange() {
    return exchange;
  }

  public String routingKey() {
    return routingKey;
  }

  public BasicProperties properties() {
    return properties;
  }

  public byte[] body() {
    return body;
  }

  /** Null if there was none. */
  public @Nullable Answer answer() {
    return answer;
  }

  public boolean wasReturned() {
    return returned;
  }

  /** Whether the broker can still answer for it. */
  public boolean answerable() {
    return answer == null && channel.isOpen();
  }

  FakeChannel channel() {
    return channel;
  }

  long number() {
    return number;
  }

  /** How long the answer took. */
  public Duration answeredAfter() {
    return Duration.ofNanos(answered - sent);
  }

  void answered(Answer given, long now) {
    answer = given;
    answered = now;
  }

  void returned() {
    returned = true;
  }
}
