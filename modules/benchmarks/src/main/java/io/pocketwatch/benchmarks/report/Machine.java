// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.report;

import java.util.Map;

/** The hardware and the system, as far as they matter to figures. */
public final class Machine {
  private Machine() {}

  public static Map<String, Object> describe() {
    return Map.of("cores", Runtime.getRuntime().availableProcessors());
  }
}
