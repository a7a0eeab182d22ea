// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.amqp;

import io.pocketwatch.benchmarks.harness.Subject;
import java.util.List;

/** Other ways to delay on a RabbitMQ. */
public final class AmqpPeers {
  private AmqpPeers() {}

  public static List<Subject> all() {
    return List.of();
  }
}
