// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.report;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What was measured of one subject under one setting: medians over the rounds, counts summed. What
 * a suite does not measure is null and left out of the JSON.
 *
 * @param name the subject's name
 * @param setting what a suite varies, for example {@code {"rate": 4000}}; empty if nothing
 * @param publishPerSecond messages per second from the first call to the last confirm
 * @param drainPerSecond messages per second from the first due instant to the last arrival
 * @param latenessMs arrival minus due instant
 * @param early arrivals before the due instant
 * @param repeated arrivals beyond the first of a message
 * @param lost confirmed, and not arrived by the end of the round
 * @param brokerRssMb memory of its servers at the end of a round
 * @param brokerCpuMicros processor time of its servers per message
 * @param clientCpuMicros processor time of this process per message
 * @param durability what a confirmed message survives
 * @param rounds the raw figures of each round that counted
 * @param remark what a reader must know to read the figures, or null
 */
@JsonInclude(Include.NON_NULL)
public record Figures(
    String name,
    Map<String, Object> setting,
    @Nullable Double publishPerSecond,
    @Nullable Double drainPerSecond,
    @Nullable Lateness latenessMs,
    long early,
    long repeated,
    long lost,
    @Nullable Double brokerRssMb,
    @Nullable Double brokerCpuMicros,
    @Nullable Double clientCpuMicros,
    String durability,
    List<Map<String, Object>> rounds,
    @Nullable String remark) {

  /** Milliseconds; the median over the rounds of each round's percentile, the largest maximum. */
  public record Lateness(double p50, double p99, double p999, double max) {}
}
