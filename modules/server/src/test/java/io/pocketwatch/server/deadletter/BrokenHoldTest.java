// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.deadletter;

import static org.assertj.core.api.Assertions.assertThat;

import io.pocketwatch.server.deadletter.BrokenHold.State;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BrokenHoldTest {
  @ParameterizedTest
  @CsvSource({
    "REFUSED, REFUSED, REFUSED",
    "SILENT, REFUSED, SILENT",
    "UNBOUND, REFUSED, UNBOUND",
    "FULL, REFUSED, FULL",
    "REFUSED, SILENT, SILENT",
    "REFUSED, UNBOUND, UNBOUND",
    "REFUSED, FULL, FULL"
  })
  void one_that_refuses_only_once_does_not_count_as_refusing(
      State first, State second, State counts) {
    BrokenHold now = new BrokenHold("queue", second, "says so", Duration.ofMinutes(1));

    BrokenHold both = now.after(Map.of("queue", first));

    assertThat(both.state()).isEqualTo(counts);
    assertThat(both.words()).startsWith("queue says so");
  }
}
