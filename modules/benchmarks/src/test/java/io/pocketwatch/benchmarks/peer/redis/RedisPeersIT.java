// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.redis;

import io.pocketwatch.benchmarks.harness.Ground;
import io.pocketwatch.benchmarks.harness.NotHereException;
import io.pocketwatch.benchmarks.harness.SmallTrial;
import io.pocketwatch.benchmarks.harness.Subject;
import java.io.IOException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class RedisPeersIT {
  private static Ground ground;

  @BeforeAll
  static void layGround() throws IOException {
    ground = new Ground();
  }

  @AfterAll
  static void close() {
    ground.close();
  }

  static Stream<Subject> peers() {
    return RedisPeers.all().stream();
  }

  @ParameterizedTest
  @MethodSource("peers")
  @Timeout(60)
  void everyMessageArrivesAndNoneEarly(Subject peer) throws Exception {
    try {
      SmallTrial.run(ground, peer, 300);
    } catch (NotHereException e) {
      Assumptions.abort(peer.name() + ": " + e.getMessage());
    }
  }
}
