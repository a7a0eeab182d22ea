// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.faults.driver;

import io.pocketwatch.lab.faults.level.Sample;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Takes a sample now and then, while nothing is disturbed. For one thread. */
final class Sampler {
  private final Gauges gauges;
  private final Instant begin;
  private final Duration every;
  private final List<Sample> samples = new ArrayList<>();
  private Instant next;
  private boolean asked;

  Sampler(Gauges gauges, Instant begin, Duration every) {
    this.gauges = gauges;
    this.begin = begin;
    this.every = every;
    this.next = begin.plus(every);
  }

  /**
   * Goes on with one, or begins one when it is time.
   *
   * @param calm whether no fault lasts, nor has just ended: one that was begun is thrown away
   * @return the sample, if one is complete
   */
  Optional<Sample> step(boolean calm) throws IOException {
    if (!calm) {
      asked = false;
      return Optional.empty();
    }
    Instant now = Instant.now();
    if (!asked && now.isAfter(next)) {
      gauges.ask();
      asked = true;
      next = now.plus(every);
    } else if (asked && gauges.answered()) {
      asked = false;
      Sample sample = gauges.read(Duration.between(begin, now));
      samples.add(sample);
      return Optional.of(sample);
    } else if (asked && now.isAfter(next)) {
      asked = false; // whoever does not answer is ending, or frozen
    }
    return Optional.empty();
  }

  List<Sample> samples() {
    return List.copyOf(samples);
  }
}
