// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.amqp;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.pocketwatch.benchmarks.harness.Ground;
import io.pocketwatch.benchmarks.harness.NotHereException;
import io.pocketwatch.benchmarks.harness.Subject;
import io.pocketwatch.benchmarks.subject.ConfirmedChannels;
import io.pocketwatch.benchmarks.subject.RabbitServer;
import io.pocketwatch.benchmarks.subject.TargetQueue;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;

/** The delayed-message-exchange plugin. It was given up for RabbitMQ 4.3, hence an older one. */
final class DelayedExchange implements Detour {
  private static final String PLUGIN = "rabbitmq_delayed_message_exchange";
  private static final String VERSION = "4.0";
  private static final String EXCHANGE = "delayed";

  private DelayedExchange() {}

  static Subject peer() {
    return new AmqpPeer(
        "delayed-exchange",
        "persistent, confirmed; one unreplicated copy on one node, no mandatory",
        Duration.ofMillis(1),
        10_000,
        DelayedExchange::server,
        DelayedExchange::declare);
  }

  private static RabbitServer server(Ground ground) throws Exception {
    String folder = System.getProperty(AmqpPeers.PLUGINS_PROPERTY);
    if (folder == null) {
      throw new NotHereException(
          "no plugin: --plugins DIR names a folder with %s for RabbitMQ %s"
              .formatted(PLUGIN, VERSION));
    }
    return ground.server(
        "rabbitmq-plugin",
        RabbitServer.class,
        () ->
            RabbitServer.start(
                RabbitServer.options()
                    .withVersion(VERSION)
                    .withPlugins(List.of(PLUGIN))
                    .withPluginFolders(List.of(Path.of(folder))),
                1,
                "with " + PLUGIN));
  }

  private static Detour declare(Connection connection) throws IOException, TimeoutException {
    try (Channel channel = connection.createChannel()) {
      channel.exchangeDeclare(
          EXCHANGE, "x-delayed-message", true, false, Map.of("x-delayed-type", "direct"));
      channel.queueBind(TargetQueue.KEY, EXCHANGE, TargetQueue.KEY);
    }
    return new DelayedExchange();
  }

  /** The plugin returns every mandatory message that it delays, although it has taken it. */
  @Override
  public boolean mandatory() {
    return false;
  }

  @Override
  public void publish(ConfirmedChannels channels, byte[] payload, long delayMillis)
      throws IOException, InterruptedException {
    channels.publish(
        EXCHANGE,
        TargetQueue.KEY,
        PERSISTENT.builder().headers(Map.of("x-delay", delayMillis)).build(),
        payload);
  }
}
