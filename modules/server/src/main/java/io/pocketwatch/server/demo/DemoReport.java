// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.demo;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.pocketwatch.DelayStrategy;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;

/**
 * The outcome of a demo, in the shape of its JSON object.
 *
 * @param total all messages together
 * @param strategies the same by strategy
 * @param seconds how long it took, from the start of the command to the last answer
 */
record DemoReport(
    @JsonUnwrapped Counts total,
    Map<DelayStrategy, Counts> strategies,
    Broker broker,
    double seconds) {

  /**
   * Where it ran.
   *
   * @param version the broker's full version
   * @param source how it was found
   */
  record Broker(String version, String source) {}

  static DemoReport of(Map<DelayStrategy, Tally> tallies, Broker broker, Duration took) {
    Tally all = new Tally();
    Map<DelayStrategy, Counts> strategies = new EnumMap<>(DelayStrategy.class);
    tallies.forEach(
        (strategy, tally) -> {
          all.add(tally);
          strategies.put(strategy, tally.counts());
        });
    return new DemoReport(
        all.counts(), strategies, broker, Math.round(took.toMillis() / 100.0) / 10.0);
  }

  /** One object on one line. */
  String json() {
    try {
      return new ObjectMapper().writeValueAsString(this);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("numbers and words can be written", e);
    }
  }

  boolean sound() {
    return total.sound();
  }
}
