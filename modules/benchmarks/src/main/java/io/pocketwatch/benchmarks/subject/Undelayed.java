// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.subject;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.MessageProperties;
import io.pocketwatch.benchmarks.harness.Ground;
import io.pocketwatch.benchmarks.harness.Lane;
import io.pocketwatch.benchmarks.harness.Ledger;
import io.pocketwatch.benchmarks.harness.Server;
import io.pocketwatch.benchmarks.harness.Subject;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;

/** No delay at all, with the plain client: what this RabbitMQ can do with any message. */
final class Undelayed implements Subject {
  private static final BasicProperties PERSISTENT = MessageProperties.MINIMAL_PERSISTENT_BASIC;

  /** All that our publisher adds to a message without a delay. */
  private static final Supplier<BasicProperties> WITH_ID =
      () -> PERSISTENT.builder().messageId(UUID.randomUUID().toString()).build();

  private final String name;
  private final Place place;
  private final Supplier<BasicProperties> properties;

  private Undelayed(String name, Place place, Supplier<BasicProperties> properties) {
    this.name = name;
    this.place = place;
    this.properties = properties;
  }

  static Undelayed bare(String name, Place place) {
    return new Undelayed(name, place, () -> PERSISTENT);
  }

  /** With the properties that our publisher sends, which is what to compare that with. */
  static Undelayed withId(String name, Place place) {
    return new Undelayed(name, place, WITH_ID);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String durability() {
    return "persistent, confirmed";
  }

  @Override
  public Optional<Duration> fixedDelay() {
    return Optional.of(Duration.ZERO);
  }

  @Override
  public int expectedPerSecond() {
    return place.expectedPerSecond();
  }

  @Override
  public List<Server> servers(Ground ground) throws Exception {
    return List.of(place.server(ground));
  }

  @Override
  public Lane open(Ground ground, Ledger ledger) throws Exception {
    RabbitServer.VirtualHost host = place.server(ground).virtualHost();
    TargetQueue target = TargetQueue.consume(host.connect(), "quorum", ledger);
    ConfirmedChannels channels = new ConfirmedChannels(host.connect(), ledger);
    return new Lane() {
      @Override
      public void ask(int number, byte[] payload, long dueMillis) throws Exception {
        channels.publish(TargetQueue.EXCHANGE, TargetQueue.KEY, properties.get(), payload);
      }

      @Override
      public void close() throws Exception {
        channels.close();
        target.close();
        host.close();
      }
    };
  }
}
