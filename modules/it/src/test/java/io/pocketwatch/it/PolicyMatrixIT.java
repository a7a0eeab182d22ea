// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.it.PolicyCases.Outcome;
import io.pocketwatch.it.PolicyCases.Policy;
import io.pocketwatch.it.PolicyWorld.Seen;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All of {@link PolicyCases}, one after another: {@link PoliciesIT} has one of each kind. */
@Tag("wide")
class PolicyMatrixIT {
  private static final Logger LOG = LoggerFactory.getLogger(PolicyMatrixIT.class);

  @ParameterizedTest
  @ValueSource(strings = {"4.3", "4.0", "3.10"})
  void no_policy_does_harm_that_nobody_is_told_of(String version) throws Exception {
    Map<String, Outcome> expected = new TreeMap<>();
    Map<String, Outcome> seen = new TreeMap<>();
    int refused = 0;
    for (Policy policy : PolicyCases.ALL) {
      for (boolean operator : policy.operator() ? new boolean[] {false, true} : new boolean[1]) {
        String name = (operator ? "operator " : "") + policy.definition();
        String queues = "policy-matrix-" + refused;
        try (PolicyWorld world = new PolicyWorld(SharedNodes.of(version), queues)) {
          Optional<Seen> what = world.see(operator, policy.definition());
          LOG.info("{} {}: {}", version, name, what);
          if (what.isPresent()) { // this version knows it
            seen.put(name, what.get().outcome());
            expected.put(name, policy.outcome(version));
          }
        }
        // 3.10 goes on refusing for a queue of which the policy is gone: the next takes others.
        refused += policy.definition().contains("reject-publish") ? 1 : 0;
      }
    }
    assertThat(seen).hasSizeGreaterThan(25).isEqualTo(expected);
  }

  /** The one that the manual advises. Operators' own are added to it, so those stay off. */
  @ParameterizedTest
  @ValueSource(strings = {"4.3", "4.0", "3.10"})
  void a_policy_of_our_own_keeps_every_other_away(String version) throws Exception {
    Map<String, Outcome> seen = new TreeMap<>();
    try (PolicyWorld world = new PolicyWorld(SharedNodes.of(version), "policy-own")) {
      world.set(false, "own", 1_000, PoliciesIT.advised());
      try {
        for (Policy policy : PolicyCases.ALL) {
          Optional<Seen> what = world.see(false, policy.definition());
          LOG.info("{} beside our own, {}: {}", version, policy.definition(), what);
          what.ifPresent(it -> seen.put(policy.definition(), it.outcome()));
        }
      } finally {
        world.clear(false, "own");
      }
    }
    assertThat(seen).hasSizeGreaterThan(20);
    assertThat(seen.values()).containsOnly(Outcome.IMMUNE);
  }
}
