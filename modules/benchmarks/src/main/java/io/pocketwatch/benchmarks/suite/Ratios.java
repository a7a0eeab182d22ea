// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.suite;

import io.pocketwatch.benchmarks.harness.Outcome;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/** One subject by another, round by round. */
final class Ratios {
  private final List<Case> cases;
  private final Map<String, Double> ratios = new LinkedHashMap<>();

  Ratios(List<Case> cases) {
    this.cases = List.copyOf(cases);
  }

  /** Publish rates by that subject's; nothing if it was not measured. */
  void publish(String base) {
    against(base, "publish", Outcome::publishPerSecond);
  }

  /** Drain rates by that subject's. */
  void drain(String base) {
    against(base, "drain", Outcome::drainPerSecond);
  }

  /** Any figure of all other cases of the same setting, by that subject's. */
  void against(String base, String figure, ToDoubleFunction<Outcome> value) {
    for (Case other : cases) {
      baseOf(base, other)
          .flatMap(found -> Medians.ratio(other, found, value))
          .filter(ratio -> ratio > 0 && Double.isFinite(ratio))
          .ifPresent(ratio -> ratios.put(other.label() + "/" + base + " " + figure, ratio));
    }
  }

  /** A figure of one case by the same figure of another. */
  void between(Case one, Case other, String figure, ToDoubleFunction<Outcome> value) {
    Medians.ratio(one, other, value)
        .ifPresent(ratio -> ratios.put(one.label() + "/" + other.label() + " " + figure, ratio));
  }

  Map<String, Double> asMap() {
    return ratios;
  }

  private Optional<Case> baseOf(String name, Case other) {
    return cases.stream()
        .filter(each -> each != other)
        .filter(each -> each.subject().name().equals(name))
        .filter(each -> each.setting().equals(other.setting()))
        .findFirst();
  }
}
