// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.suite;

import io.pocketwatch.benchmarks.harness.Outcome;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Runs every case once per round, in an order that turns round by round. So none always follows the
 * same one or always comes when the machine is warm.
 */
final class Rounds {
  /** One round of one case. */
  interface Body {
    Outcome run(Case measured) throws Exception;
  }

  private Rounds() {}

  static void run(Session session, List<Case> cases, Body body) throws Exception {
    int warmups = session.options().warmups();
    int rounds = session.options().rounds();
    for (int round = -warmups; round < rounds; round++) {
      session.watch().say(round < 0 ? "Warm-up" : "Round %s of %s".formatted(round + 1, rounds));
      for (Case each : inTurn(cases, round)) {
        Outcome outcome = body.run(each);
        if (outcome.refusal() != null) {
          session.watch().say(each.label() + " refused a message: " + outcome.refusal());
        }
        if (round >= 0) {
          each.add(outcome);
        }
      }
    }
  }

  /** Forwards in even rounds, backwards in odd ones. */
  static <T> List<T> inTurn(List<T> cases, int round) {
    List<T> order = new ArrayList<>(cases);
    if (round % 2 != 0) {
      Collections.reverse(order);
    }
    return order;
  }
}
