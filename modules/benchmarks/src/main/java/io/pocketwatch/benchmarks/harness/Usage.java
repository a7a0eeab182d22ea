// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.harness;

import java.time.Duration;
import java.util.List;

/** Processor time used so far, by the servers and by this process. */
record Usage(Duration servers, Duration client) {

  static Usage now(List<Server> servers) {
    return new Usage(
        servers.stream().map(Server::cpuTime).reduce(Duration.ZERO, Duration::plus),
        ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO));
  }

  Usage minus(Usage earlier) {
    return new Usage(servers.minus(earlier.servers), client.minus(earlier.client));
  }

  static double microsPer(Duration time, long messages) {
    return messages == 0 ? 0 : time.toNanos() / 1_000.0 / messages;
  }
}
