// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.boot;

import io.pocketwatch.spring.wiring.PocketwatchStatus;
import java.util.List;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/** Down, with the reason, while messages are not on their way; warnings leave it up. */
final class PocketwatchHealthIndicator extends AbstractHealthIndicator {
  private final PocketwatchStatus status;

  PocketwatchHealthIndicator(PocketwatchStatus status) {
    this.status = status;
  }

  @Override
  protected void doHealthCheck(Health.Builder builder) {
    List<String> problems = status.problems();
    if (problems.isEmpty()) {
      builder.up();
    } else {
      builder.down().withDetail("problems", problems);
    }
    List<String> warnings = status.warnings();
    if (!warnings.isEmpty()) {
      builder.withDetail("warnings", warnings);
    }
  }
}
