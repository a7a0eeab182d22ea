// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.harness;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A small trial of every peer of a kind, on servers of the class. */
@TestInstance(Lifecycle.PER_CLASS)
public abstract class PeersContract {
  private Ground ground;

  protected abstract List<Subject> peers();

  protected abstract Plan plan(Subject peer);

  /** What a trial has to show beyond every message taken and arrived. */
  protected abstract void check(Subject peer, Outcome outcome);

  @BeforeAll
  void layGround() throws IOException {
    ground = new Ground();
  }

  @AfterAll
  void close() {
    ground.close();
  }

  @ParameterizedTest
  @MethodSource("peers")
  void every_message_arrives(Subject peer) throws Exception {
    try {
      check(peer, SmallTrial.run(ground, peer, plan(peer)));
    } catch (NotHereException e) {
      Assumptions.abort(peer.name() + ": " + e.getMessage());
    }
  }
}
