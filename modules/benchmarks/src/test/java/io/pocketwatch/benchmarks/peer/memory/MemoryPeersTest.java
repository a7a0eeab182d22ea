// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.memory;

import io.pocketwatch.benchmarks.harness.Ground;
import io.pocketwatch.benchmarks.harness.SmallTrial;
import io.pocketwatch.benchmarks.harness.Subject;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class MemoryPeersTest {

  static Stream<Subject> peers() {
    return MemoryPeers.all().stream();
  }

  @ParameterizedTest
  @MethodSource("peers")
  @Timeout(60)
  void everyMessageArrivesAndNoneEarly(Subject peer) throws Exception {
    try (Ground ground = new Ground()) {
      SmallTrial.run(ground, peer, 300);
    }
  }
}
