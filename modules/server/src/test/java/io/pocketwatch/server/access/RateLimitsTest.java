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
  private final RateLimits limits = new RateLimits(1);
  private final Caller caller =
      new Caller("desk", Role.WRITE, "bearer", "credential desk", "127.0.0.1", Set.of());

  @Test
  void who_sends_too_many_on_a_route_is_to_wait() {
    limits.requireMessage(caller, "reports");
    Problem problem =
        catchThrowableOfType(Problem.class, () -> limits.requireMessage(caller, "reports"));
    assertThat(problem.type()).isEqualTo(ProblemType.RATE_LIMITED);
    assertThat(problem.headers()).containsEntry("Retry-After", "1");
    limits.requireMessage(caller, "others");
  }
}
