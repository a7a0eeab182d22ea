// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.lab.demo;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.pocketwatch.DelayStrategy;
import io.pocketwatch.screen.Json;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a demo, in the shape of its JSON object.
 *
 * @param total all messages together
 * @param strategies the same by strategy
 * @param store the tasks that went through the store; null if none did
 * @param seconds how long it took, from the start of the command to the last answer
 */
record DemoReport(
    @JsonUnwrapped Counts total,
    Map<DelayStrategy, Counts> strategies,
    Broker broker,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable StoreCounts store,
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
        all.counts(), strategies, broker, null, Math.round(took.toMillis() / 100.0) / 10.0);
  }

  DemoReport withStore(StoreCounts counts) {
    return new DemoReport(total, strategies, broker, counts, seconds);
  }

  /** One object on one line. */
  String json() {
    return Json.line(this);
  }

  boolean sound() {
    return total.sound() && (store == null || store.sound());
  }
}
