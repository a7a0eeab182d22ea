// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the manual says of policies is what {@link PolicyMatrixIT} sees on brokers. */
class PolicyTableTest {
  private static final Path MANUAL = Path.of("..", "docs", "reference", "policies.md");

  @Test
  void the_manual_has_a_row_for_each_policy() throws IOException {
    List<String> rows =
        Files.readAllLines(MANUAL).stream().filter(line -> line.startsWith("| `")).toList();

    assertThat(rows).containsExactlyElementsOf(PolicyCases.rows());
  }
}
