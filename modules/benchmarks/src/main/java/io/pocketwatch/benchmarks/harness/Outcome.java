// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.harness;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * What one trial found.
 *
 * @param asked messages asked for
 * @param confirmed of these, durably taken
 * @param arrived of these, arrived by its end; not waited for in every trial
 * @param publishPerSecond from the first ask to the last confirm
 * @param drainPerSecond from the first due instant to the last arrival; 0 if not waited for
 * @param lateness in microseconds
 * @param refusal why the first message that was refused was refused
 * @param restart how long the servers took to restart afterwards, if they did
 * @param minutes what was seen minute by minute, in trials that are long enough
 */
public record Outcome(
    long asked,
    long confirmed,
    long arrived,
    long early,
    long worstEarlyMicros,
    long repeated,
    double publishPerSecond,
    double drainPerSecond,
    Histogram lateness,
    long brokerRssBytes,
    double brokerCpuMicros,
    double clientCpuMicros,
    @Nullable String refusal,
    @Nullable Duration restart,
    List<Map<String, Object>> minutes) {

  /** This one, with how long its servers took to restart, if they did. */
  public Outcome withRestart(Optional<Duration> time) {
    return copy(publishPerSecond, refusal, time.orElse(null), minutes);
  }

  /** This one, with what was seen minute by minute. */
  public Outcome withMinutes(List<Map<String, Object>> lines) {
    return copy(publishPerSecond, refusal, restart, lines);
  }

  /** This one, with the publish rate of another trial of the same round. */
  public Outcome withPublish(Outcome other) {
    return copy(
        other.publishPerSecond, refusal == null ? other.refusal : refusal, restart, minutes);
  }

  private Outcome copy(
      double perSecond,
      @Nullable String why,
      @Nullable Duration time,
      List<Map<String, Object>> lines) {
    return new Outcome(
        asked,
        confirmed,
        arrived,
        early,
        worstEarlyMicros,
        repeated,
        perSecond,
        drainPerSecond,
        lateness,
        brokerRssBytes,
        brokerCpuMicros,
        clientCpuMicros,
        why,
        time,
        lines);
  }

  /** Confirmed and not arrived; of no meaning where arrivals were not waited for. */
  public long missing() {
    return confirmed - arrived;
  }
}
