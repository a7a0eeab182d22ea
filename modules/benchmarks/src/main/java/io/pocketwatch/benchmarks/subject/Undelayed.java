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

/** No delay at all, with the plain client: what this RabbitMQ can do with any message. */
final class Undelayed implements Subject {
  private static final BasicProperties PERSISTENT = MessageProperties.MINIMAL_PERSISTENT_BASIC;

  private final String name;
  private final Place place;
  private final String targetType;

  Undelayed(String name, Place place, String targetType) {
    this.name = name;
    this.place = place;
    this.targetType = targetType;
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
    TargetQueue target = TargetQueue.consume(host.connect(), targetType, ledger);
    ConfirmedChannels channels = new ConfirmedChannels(host.connect(), ledger);
    return new Lane() {
      @Override
      public void ask(int number, byte[] payload, long dueMillis) throws Exception {
        channels.publish(TargetQueue.EXCHANGE, TargetQueue.KEY, PERSISTENT, payload);
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
