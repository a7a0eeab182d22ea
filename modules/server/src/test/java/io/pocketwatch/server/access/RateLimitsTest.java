// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.pocketwatch.server.config.Role;
import io.pocketwatch.server.http.Problem;
import io.pocketwatch.server.http.ProblemType;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RateLimitsTest {
  private final RateLimits limits = new RateLimits(5);
  private final Caller caller =
      new Caller("desk", Role.WRITE, "bearer", "credential desk", "127.0.0.1", Set.of());

  @Test
  void what_was_sent_at_once_is_paid_by_waiting() {
    limits.requireMessage(caller, "reports");
    limits.charge(caller, "reports", 1_000);
    Problem problem =
        catchThrowableOfType(Problem.class, () -> limits.requireMessage(caller, "reports"));
    assertThat(problem.type()).isEqualTo(ProblemType.RATE_LIMITED);
    assertThat(Integer.parseInt(problem.headers().get("Retry-After"))).isBetween(190, 200);
    limits.requireMessage(caller, "others");
  }
}
