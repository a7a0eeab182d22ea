// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks;

import io.pocketwatch.benchmarks.harness.Subject;
import io.pocketwatch.benchmarks.suite.Suite;
import io.pocketwatch.screen.TextTable;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What can be measured. */
final class Listing {
  private Listing() {}

  static List<String> lines(List<Suite> suites) {
    TextTable table = TextTable.ofWords("Suite", "Measures");
    suites.forEach(suite -> table.row(suite.name(), suite.question()));
    Stream<String> subjects =
        suites.stream()
            .map(
                suite ->
                    "Subjects of %s: %s"
                        .formatted(
                            suite.name(),
                            suite.subjects().stream()
                                .map(Subject::name)
                                .collect(Collectors.joining(", "))));
    return Stream.of(table.lines().stream(), Stream.of(""), subjects)
        .flatMap(lines -> lines)
        .toList();
  }
}
