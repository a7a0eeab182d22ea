// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.faults;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.pocketwatch.localbroker.BrokerNode;
import io.pocketwatch.screen.CommandFailedException;
import io.pocketwatch.screen.ExitCodes;
import io.pocketwatch.store.DelayStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Whether loader and consumer work: a fault before that would disturb nothing. */
final class Readiness {
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final long LOOK_MILLIS = 200;

  private Readiness() {}

  /**
   * Waits for both.
   *
   * @param since a loader's heartbeat before this is another's
   * @param logs where a reader finds why they do not start
   */
  static void await(BrokerNode node, DelayStore store, Instant since, Path logs)
      throws IOException, TimeoutException, InterruptedException {
    long end = System.nanoTime() + PATIENCE.toNanos();
    try (Connection connection = node.connectionFactory().newConnection("faults");
        Channel channel = connection.createChannel()) {
      while (!(consumed(channel) && loaded(store, since))) {
        if (System.nanoTime() > end) {
          throw new CommandFailedException(
              ExitCodes.FAILED, "loader or consumer did not start; see their logs in " + logs);
        }
        TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
      }
    }
  }

  private static boolean consumed(Channel channel) throws IOException {
    for (LedgerRoute route : LedgerRoute.values()) {
      if (channel.consumerCount(route.queue()) < LedgerConsumer.CHANNELS_PER_QUEUE) {
        return false;
      }
    }
    return true;
  }

  private static boolean loaded(DelayStore store, Instant since) {
    return store.heartbeats().stream().anyMatch(beat -> !beat.at().isBefore(since));
  }
}
