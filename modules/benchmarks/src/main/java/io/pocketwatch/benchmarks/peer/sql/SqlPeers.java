// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.benchmarks.peer.sql;

import io.pocketwatch.benchmarks.harness.Subject;
import java.util.List;

/** Schedulers that poll a table. */
public final class SqlPeers {
  private SqlPeers() {}

  public static List<Subject> all() {
    return List.of();
  }
}
