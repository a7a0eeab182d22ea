// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.memory;

import io.pocketwatch.benchmarks.harness.Subject;
import java.util.List;

/** Delays in memory. */
public final class MemoryPeers {
  private MemoryPeers() {}

  public static List<Subject> all() {
    return List.of(new NettyWheel());
  }
}
