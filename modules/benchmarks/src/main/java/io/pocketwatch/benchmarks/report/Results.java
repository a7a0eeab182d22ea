// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.report;

import java.util.List;
import java.util.Map;

/**
 * What a suite found; its JSON is the format of {@code bench --json}.
 *
 * @param machine hardware, system, and the versions of everything that ran
 * @param options what the suite was run with: messages, rounds, and so on
 * @param ratios medians over the rounds of one subject's figure by another's in the same round, by
 *     a name such as {@code wheel-quorum/undelayed publish}
 * @param absent subjects that were left out, and why
 */
public record Results(
    String suite,
    Map<String, Object> machine,
    Map<String, Object> options,
    List<Figures> subjects,
    Map<String, Double> ratios,
    Map<String, String> absent) {}
