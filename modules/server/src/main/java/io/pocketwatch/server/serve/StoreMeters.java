// SPDX-License-Identifier: Apache-2.0
package io.pocketwatch.server.serve;

import java.util.Set;

/** The meters that belong to one set of routes, and go with it. */
final class StoreMeters {
  static final Set<String> NAMES =
      Set.of(
          "pocketwatch.pending",
          "pocketwatch.held",
          "pocketwatch.parked.now",
          "pocketwatch.loader.heartbeat.age");

  private StoreMeters() {}
}
